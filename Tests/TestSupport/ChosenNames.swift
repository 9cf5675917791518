/// Spellings of one name that are canonically equivalent, so that `String` gives all of them one hash.
package enum ChosenNames {
  /// Different spellings, a power of two.
  package static func all(_ count: Int) -> [String] {
    (0..<count).map { number in
      (0..<count.trailingZeroBitCount).map { number >> $0 & 1 == 0 ? "\u{E9}" : "e\u{301}" }
        .joined()
    }
  }
}
