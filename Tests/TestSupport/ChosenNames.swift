/// Spellings of one name that are canonically equivalent, so that all have one hash as `String`.
package enum ChosenNames {
  /// Returns `count` different spellings; `count` must be a power of two.
  package static func all(_ count: Int) -> [String] {
    (0..<count).map { number in
      (0..<count.trailingZeroBitCount).map { number >> $0 & 1 == 0 ? "\u{E9}" : "e\u{301}" }
        .joined()
    }
  }
}

/// A value whose comparisons are counted.
private struct CountedKey<Value: Hashable>: Hashable {
  final class Counter { var count = 0 }

  let value: Value
  let counter: Counter

  static func == (left: Self, right: Self) -> Bool {
    left.counter.count += 1
    return left.value == right.value
  }

  func hash(into hasher: inout Hasher) { value.hash(into: &hasher) }
}

extension ChosenNames {
  /// The number of comparisons when values are inserted into a set one by one.
  package static func comparisons<Value: Hashable>(of values: [Value]) -> Int {
    let counter = CountedKey<Value>.Counter()
    var set: Set<CountedKey<Value>> = []
    for value in values { set.insert(CountedKey(value: value, counter: counter)) }
    return counter.count
  }
}
