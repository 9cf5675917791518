/// Selects the compass for subscribers without a `device` option, and decides when they receive the
/// course over ground instead.
struct CompassSelection: Sendable {
  /// How long a compass may be silent before another replaces it.
  let timeout: Duration
  private var current: (id: ReceiverSelection.ID, lastReport: Duration)?

  init(timeout: Duration) { self.timeout = timeout }

  /// Handles a report of a compass. Returns whether the compass is the selected one. If the
  /// selected compass is silent, the one that reported replaces it.
  mutating func selects(_ id: ReceiverSelection.ID, at now: Duration) -> Bool {
    if let current, current.id != id, now - current.lastReport <= timeout { return false }
    current = (id, now)
    return true
  }

  /// Returns whether the selected compass has reported recently. While it has, no course is
  /// reported as a heading.
  func isActive(at now: Duration) -> Bool {
    current.map { now - $0.lastReport <= timeout } ?? false
  }

  mutating func remove(_ id: ReceiverSelection.ID) {
    if current?.id == id { current = nil }
  }
}
