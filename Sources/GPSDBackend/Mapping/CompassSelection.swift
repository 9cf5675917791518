/// Decides which compass serves those who name no receiver, and when the course over ground does.
struct CompassSelection: Sendable {
  /// How long a compass may be silent.
  let timeout: Duration
  private var current: (id: ReceiverSelection.ID, heard: Duration)?

  init(timeout: Duration) { self.timeout = timeout }

  /// True when a compass that is heard is the one; another takes over when it is silent.
  mutating func serves(_ id: ReceiverSelection.ID, at now: Duration) -> Bool {
    if let current, current.id != id, now - current.heard <= timeout { return false }
    current = (id, now)
    return true
  }

  /// True while a compass speaks, so that no course is to pass for where something points.
  func speaks(at now: Duration) -> Bool {
    current.map { now - $0.heard <= timeout } ?? false
  }

  mutating func remove(_ id: ReceiverSelection.ID) {
    if current?.id == id { current = nil }
  }
}
