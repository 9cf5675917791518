/// Locations that wait until their reduced ones are chosen and stored: the last of each receiver.
struct PendingReductions: Sendable {
  struct Pending: Sendable {
    var location: Location
    let run: RunStateMachine.RunID
    let arrival: Arrival
  }

  /// The locations of receivers whose choice is in progress; nil for one that was withdrawn.
  private var pending: [DeviceID: Pending?] = [:]
  private var waiters: [UInt64: CheckedContinuation<Void, Never>] = [:]

  /// What to do with a location.
  enum Decision: Hashable, Sendable {
    /// Choose its reduced location.
    case choose
    /// A choice for the receiver is in progress.
    case wait
    /// As ``wait``, and an earlier location is dropped for this one. Its reduced location would
    /// have been the same, except at the start of a time step.
    case replace
  }

  mutating func add(_ location: Pending) -> Decision {
    let device = location.location.sourceInformation.deviceID
    let earlier = pending.updateValue(location, forKey: device)
    switch earlier {
    case nil: return .choose
    case .some(nil): return .wait
    case .some(.some): return .replace
    }
  }

  /// Starts a choice for a location that is not delivered. Returns false if one is in progress.
  mutating func begin(_ device: DeviceID) -> Bool {
    guard pending[device] == nil else { return false }
    pending[device] = .some(nil)
    return true
  }

  /// Whether a location waits for the choice of a receiver.
  func isWaiting(_ device: DeviceID) -> Bool { (pending[device] ?? nil) != nil }

  /// The choice for a receiver was made. Returns the location that waited for it.
  mutating func end(_ device: DeviceID) -> Pending? { pending.removeValue(forKey: device) ?? nil }

  /// Resumes the waiters if no choice is in progress.
  mutating func resumeWaiters(_ effects: inout Effects) {
    guard pending.isEmpty else { return }
    effects.idle += waiters.values
    waiters = [:]
  }

  /// Forgets all locations, which the permission no longer covers. Returns how many.
  mutating func withdraw() -> Int {
    let count = pending.values.count { $0 != nil }
    for device in pending.keys { pending[device] = .some(nil) }
    return count
  }

  // MARK: Waiting

  /// Returns true when the waiter is kept until no choice is in progress.
  mutating func wait(
    _ id: UInt64, _ waiter: CheckedContinuation<Void, Never>, isCancelled: Bool
  ) -> Bool {
    guard !pending.isEmpty, !isCancelled else { return false }
    waiters[id] = waiter
    return true
  }

  mutating func cancelWait(_ id: UInt64, _ effects: inout Effects) {
    if let waiter = waiters.removeValue(forKey: id) { effects.idle.append(waiter) }
  }
}
