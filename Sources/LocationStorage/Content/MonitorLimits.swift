import AsyncLocation
import FoundationEssentials

/// The limits of a monitor's file.
enum MonitorLimits {
  /// True for identifiers of 1 to 1,024 bytes without NUL.
  static func isValid(identifier: String) -> Bool {
    (1...1_024).contains(identifier.utf8.count) && !identifier.utf8.contains(0)
  }

  /// True for dates of the years 1 to 9999.
  static func isValid(_ date: Date) -> Bool { (try? Timestamp.exact(date, "date")) != nil }

  /// Throws `LocationError` for a change whose row would be refused when it is read back.
  static func check(_ changes: [MonitorChange]) throws(LocationError) {
    for change in changes {
      switch change {
      case .add(let condition): try check(condition)
      case .event(let event): try check(event)
      case .candidate(_, let candidate): try check(candidate?.since, "since")
      case .remove, .offer, .finish, .discard: break
      }
    }
  }

  static func check(_ monitor: StoredMonitor) throws(LocationError) {
    for condition in monitor.conditions { try check(condition) }
    for stored in monitor.events { try check(stored.event) }
    try check(number: monitor.lastNumber)
  }

  private static func check(_ stored: StoredCondition) throws(LocationError) {
    guard isValid(identifier: stored.identifier) else {
      throw LocationError(
        .invalidValue, "A condition's identifier has 1 to 1,024 bytes and no NUL character.")
    }
    try check(stored.candidate?.since, "since")
    if let event = stored.lastEvent { try check(event) }
  }

  private static func check(_ event: Monitor.Event) throws(LocationError) {
    try check(event.date, "date")
    try check(number: event.number)
  }

  private static func check(number: UInt64) throws(LocationError) {
    guard number <= UInt64(Int64.max) else {
      throw LocationError(.invalidValue, "number must be at most \(Int64.max); got \(number).")
    }
  }

  private static func check(_ date: Date?, _ name: StaticString) throws(LocationError) {
    if let date { _ = try Timestamp.exact(date, name) }
  }
}
