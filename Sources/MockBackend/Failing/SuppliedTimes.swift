import AsyncLocation
import FoundationEssentials

/// Moves supplied events forward in time where needed: a manager rejects a location or heading that
/// is not newer than the previous one, and a test may supply the same events again.
struct SuppliedTimes: Sendable {
  private var lastLocation: Date?
  private var lastHeading: Date?

  /// Returns the events to emit, all moved by the same duration.
  mutating func arranged(_ events: [BackendEvent]) -> [BackendEvent] {
    let delay = max(
      Self.delay(of: events.compactMap(\.locationTime), after: lastLocation),
      Self.delay(of: events.compactMap(\.headingTime), after: lastHeading))
    let arranged = delay > 0 ? events.map { $0.delayed(bySeconds: delay) } : events
    emitted(arranged)
    return arranged
  }

  /// Records the times of emitted events.
  mutating func emitted(_ events: [BackendEvent]) {
    lastLocation = (events.compactMap(\.locationTime) + [lastLocation].compactMap(\.self)).max()
    lastHeading = (events.compactMap(\.headingTime) + [lastHeading].compactMap(\.self)).max()
  }

  /// Returns the seconds by which the times must be moved so that all are later than `last`.
  private static func delay(of times: [Date], after last: Date?) -> Double {
    guard let first = times.min(), let last, first <= last else { return 0 }
    return last.timeIntervalSince(first) + 1
  }
}

extension BackendEvent {
  fileprivate var locationTime: Date? {
    if case .location(let location) = self { location.timestamp } else { nil }
  }

  fileprivate var headingTime: Date? {
    if case .heading(let heading) = self { heading.timestamp } else { nil }
  }
}
