import AsyncLocation
package import FoundationEssentials

/// The time of a location, in microseconds, by which a publisher and a server identify it.
package struct LocationTime: Hashable, Comparable, Sendable {
  /// Since 1970.
  private let microseconds: Int64

  /// - Parameter date: A date in the years 1 to 9999.
  package init(_ date: Date) {
    let seconds = date.timeIntervalSinceReferenceDate
    microseconds =
      Int64((seconds * 1e6).rounded()) + Int64(Date.timeIntervalBetween1970AndReferenceDate * 1e6)
  }

  /// Returns nil for a time outside of the years 1 to 9999.
  ///
  /// - Parameter seconds: Seconds since 1970.
  package init?(seconds: Double) {
    guard PayloadTime.range.contains(seconds) else { return nil }
    microseconds = Int64((seconds * 1e6).rounded())
  }

  /// The time as a number of JSON: seconds since 1970.
  var json: String { "\(Double(microseconds) / 1e6)" }

  package static func < (left: Self, right: Self) -> Bool {
    left.microseconds < right.microseconds
  }
}
