/// The latest location of each receiver, held while a reduced location is chosen and stored.
struct PendingReductions: Sendable {
  struct Pending: Sendable {
    let location: Location
    let run: RunStateMachine.RunID
    let arrival: Arrival
  }

  /// The waiting locations of receivers with a choice in progress; nil if none waits.
  private var pending: [DeviceID: Pending?] = [:]
  /// Callers that wait until no choice is in progress.
  var waiters = Waiters()

  /// The handling of an added location.
  enum Decision: Hashable, Sendable {
    /// Choose its reduced location.
    case choose
    /// A choice for the receiver is in progress.
    case wait
    /// Like ``wait``, and this location replaces an earlier one. The earlier location would have
    /// had the same reduced location, except at the start of a time step.
    case replace
  }

  /// Adds a location of a receiver, in place of an earlier one that waits.
  mutating func add(_ new: Pending) -> Decision {
    let device = new.location.sourceInformation.deviceID
    let earlier = pending.updateValue(new, forKey: device)
    switch earlier {
    case nil: return .choose
    case .some(nil): return .wait
    case .some(.some): return .replace
    }
  }

  /// Starts a choice for a receiver's known location, which is not delivered. Returns false if a
  /// choice for the receiver is in progress.
  mutating func begin(_ device: DeviceID) -> Bool {
    guard pending[device] == nil else { return false }
    pending[device] = .some(nil)
    return true
  }

  /// Whether no choice is in progress.
  var isEmpty: Bool { pending.isEmpty }

  /// Whether a location of the receiver waits for its reduced location.
  func isWaiting(_ device: DeviceID) -> Bool { (pending[device] ?? nil) != nil }

  /// Ends the choice for a receiver and returns the location that waited for it.
  mutating func end(_ device: DeviceID) -> Pending? { pending.removeValue(forKey: device) ?? nil }

  /// Resumes the waiters if no choice is in progress.
  mutating func resumeWaiters(_ effects: inout Effects) {
    if isEmpty { waiters.resumeAll(&effects) }
  }

  /// Discards all locations, since permission no longer covers them. Returns their number.
  mutating func withdraw() -> Int {
    let count = pending.values.count { $0 != nil }
    for device in pending.keys { pending[device] = .some(nil) }
    return count
  }
}
