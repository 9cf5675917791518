import AsyncLocation
import LocationTransport

/// Decides when to attach to gpsd's shared memory and when to read it. Performs no I/O.
struct SharedMemoryStateMachine: LinkStateMachine {
  struct Configuration: Sendable {
    var endpoint = "shared memory"
    var interval: Duration = .milliseconds(200)
    var silenceTimeout: Duration = .seconds(10)
    var reconnection: Reconnection = .exponential()
  }

  enum Event: Hashable, Sendable {
    case attached
    /// A read found a new record.
    ///
    /// - Parameters:
    ///   - device: The receiver that reported.
    ///   - isWanted: Whether the record is delivered, because it is of the configured device.
    case changed(device: String?, isWanted: Bool = true)
    /// A read found no new record.
    case unchanged
    /// Attaching or reading failed.
    case failed(LocationError)
  }

  enum Action: Hashable, Sendable {
    case attach
    /// Read the record if it is new.
    case read
  }

  private enum State {
    case detached
    case attaching
    case attached
  }

  private let configuration: Configuration
  private var state = State.detached
  private(set) var hasWorked = false
  /// When the last wanted record was found; before the first one, when the first segment was
  /// attached.
  private var lastChange = Duration.zero
  private var lastAttachment = Duration.zero
  private var problem: LocationError?
  private var receivers: [Receiver] = []

  init(_ configuration: Configuration) { self.configuration = configuration }

  var endpoint: String { configuration.endpoint }
  var reconnection: Reconnection { configuration.reconnection }
  var closingActions: [Action] { [] }

  mutating func connect(at now: Duration) -> [Decision] {
    state = .attaching
    hasWorked = false
    problem = nil
    receivers = []
    return [.perform(.attach)]
  }

  mutating func handle(_ event: Event, at now: Duration) -> [Decision] {
    switch event {
    case .attached: attached(now)
    case .changed(let device, let isWanted): changed(device, isWanted: isWanted, now)
    case .unchanged: unchanged(now)
    case .failed(let error): failed(error)
    }
  }

  mutating func timerFired(at now: Duration) -> [Decision] {
    switch state {
    case .attached: [.arm(at: now + configuration.interval), .perform(.read)]
    case .detached, .attaching: []
    }
  }

  private mutating func attached(_ now: Duration) -> [Decision] {
    guard case .attaching = state else { return [] }
    state = .attached
    lastAttachment = now
    let next: [Decision] = [.perform(.read), .arm(at: now + configuration.interval)]
    guard !hasWorked else { return next }
    hasWorked = true
    lastChange = now
    return [connected()] + next
  }

  private mutating func changed(
    _ device: String?, isWanted: Bool, _ now: Duration
  ) -> [Decision] {
    guard case .attached = state else { return [] }
    let before = (problem, receivers)
    if isWanted { (lastChange, problem) = (now, nil) }
    if let device, !receivers.contains(where: { $0.name == device }),
      receivers.count < Self.maximumReceivers
    {
      receivers.append(Receiver(name: device))
    }
    let report = before == (problem, receivers) ? [] : [connected()]
    guard !isWanted else { return report }
    let silence = unchanged(now)
    return silence.isEmpty ? report : silence
  }

  private mutating func unchanged(_ now: Duration) -> [Decision] {
    guard case .attached = state,
      now - max(lastChange, lastAttachment) >= configuration.silenceTimeout
    else { return [] }
    // A restarted gpsd may use another segment under the same key.
    state = .attaching
    var decisions: [Decision] = []
    if problem == nil {
      let silent = LocationError.silentSharedMemory(for: configuration.silenceTimeout)
      problem = silent
      decisions = [connected(), .reportUnavailable(silent)]
    }
    return decisions + [.disarm, .close, .perform(.attach)]
  }

  private mutating func failed(_ error: LocationError) -> [Decision] {
    switch state {
    case .attaching, .attached:
      state = .detached
      return [.fail(error)]
    case .detached:
      return []
    }
  }

  private func connected() -> Decision {
    // Only the receivers that have reported are listed; there may be others.
    .reportConnected(problem, receivers: receivers, devices: nil)
  }
}
