package import AsyncLocation
package import FoundationEssentials

/// Decides when old locations of a history are deleted. Pure.
package struct FleetRetention: Sendable {
  /// The age beyond which locations are deleted; nil to retain all.
  private let age: Duration?
  /// When locations were last deleted.
  private var last: Date?

  package init(_ age: Duration?) { self.age = age }

  /// Checks the age.
  ///
  /// - Throws: `LocationError` with `invalidValue` for an age below one second.
  package static func check(_ age: Duration?) throws(LocationError) {
    guard let age, age < .seconds(1) else { return }
    throw LocationError(.invalidValue, "retention must be at least a second, got \(age).")
  }

  /// The time before which locations are to be deleted now. Nil without a maximum age, and until an
  /// hour or a tenth of the age, whichever is shorter, has passed since the last deletion.
  package func expiry(at now: Date) -> Date? {
    guard let age = age.map({ $0 / .seconds(1) }) else { return nil }
    if let last, abs(now.timeIntervalSince(last)) < min(3_600, age / 10) { return nil }
    return now.addingTimeInterval(-age)
  }

  /// Records that locations were deleted.
  package mutating func expired(at now: Date) { last = now }
}
