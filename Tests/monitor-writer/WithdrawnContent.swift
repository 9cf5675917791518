import AsyncLocation
import FoundationEssentials

/// The stored content of a monitor when permission is withdrawn: an event with its location, and a
/// condition that stores which part of it was satisfied.
enum WithdrawnContent {
  static var stored: StoredMonitor {
    get throws {
      let area = try Condition.circle(center: Coordinate(latitude: 1, longitude: 1), radius: 1e6)
      let part = try Condition.circle(center: Coordinate(latitude: 2, longitude: 2), radius: 10)
      return StoredMonitor(
        conditions: [
          StoredCondition(
            identifier: "area", condition: area, state: .satisfied,
            lastEvent: event(1, at: nil, refinement: part))
        ],
        events: [StoredEvent(event(2, at: try location, refinement: part))], lastNumber: 2)
    }
  }

  /// The event with a location and without a part of the condition.
  static var event: Monitor.Event {
    get throws { event(2, at: try location, refinement: nil) }
  }

  /// The latitude of the location, which no file may contain after the withdrawal.
  static let latitude = 48.137_154_321_987

  private static let date = Date(timeIntervalSinceReferenceDate: 800_000_000)

  private static var location: Location {
    get throws { try Location(latitude: latitude, longitude: 11, timestamp: date) }
  }

  private static func event(
    _ number: UInt64, at location: Location?, refinement: Condition?
  ) -> Monitor.Event {
    Monitor.Event(
      identifier: "area", number: number, state: .satisfied, previousState: .unsatisfied,
      date: date, location: location, refinement: refinement)
  }
}
