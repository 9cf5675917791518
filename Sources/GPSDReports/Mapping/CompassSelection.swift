/// Selects the compass for subscribers without a `device` option, and decides when they receive the
/// course over ground instead.
struct CompassSelection: Sendable {
  /// How long a compass may be silent before another replaces it.
  let timeout: Duration
  private var current: (id: ReceiverSelection.ID, lastReport: Duration)?

  init(timeout: Duration) { self.timeout = timeout }

  /// Returns whether the compass that just reported is the selected one. Another compass takes over
  /// when the selected one is silent.
  mutating func serves(_ id: ReceiverSelection.ID, at now: Duration) -> Bool {
    if let current, current.id != id, now - current.lastReport <= timeout { return false }
    current = (id, now)
    return true
  }

  /// Returns whether the selected compass is active. While it is, no course is reported as a
  /// heading.
  func isActive(at now: Duration) -> Bool {
    current.map { now - $0.lastReport <= timeout } ?? false
  }

  mutating func remove(_ id: ReceiverSelection.ID) {
    if current?.id == id { current = nil }
  }
}
