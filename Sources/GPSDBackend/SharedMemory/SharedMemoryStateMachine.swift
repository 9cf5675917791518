import AsyncLocation

/// Decides when to attach to gpsd's shared memory and when to read it. Performs no I/O.
struct SharedMemoryStateMachine: Sendable {
  struct Configuration: Sendable {
    var endpoint = "shared memory"
    var interval: Duration = .milliseconds(200)
    var silenceTimeout: Duration = .seconds(10)
    var reconnection: GPSDConfiguration.Reconnection = .exponential()
  }

  enum Event: Hashable, Sendable {
    case started
    case attached
    /// A read found a new record, of this receiver.
    case changed(device: String?)
    case unchanged
    /// Attaching or reading failed.
    case failed(LocationError)
    case timerFired
    case stopped
  }

  enum Action: Hashable, Sendable {
    case attach
    case look
    case detach
    case arm(at: Duration)
    case disarm
    case report(ConnectionState)
    case reportUnavailable(LocationError)
    case reportDenied
    case fail(LocationError)
    case end
  }

  private enum State {
    case idle
    case attaching
    case attached
    case waiting
    case ended
  }

  private static let mostReceivers = 256

  private let configuration: Configuration
  private var state = State.idle
  private var backoff: Backoff
  private var lastChange = Duration.zero
  private var lastAttachment = Duration.zero
  private var isConnected = false
  private var problem: LocationError?
  private var receivers: [Receiver] = []

  init(_ configuration: Configuration) {
    self.configuration = configuration
    backoff = Backoff(configuration.reconnection)
  }

  mutating func handle(
    _ event: Event, at now: Duration, using generator: inout some RandomNumberGenerator
  ) -> [Action] {
    switch event {
    case .started: started()
    case .attached: attached(now)
    case .changed(let device): changed(device, now)
    case .unchanged: unchanged(now)
    case .failed(let error): failed(error, now, &generator)
    case .timerFired: timerFired(now)
    case .stopped: stopped()
    }
  }

  private mutating func started() -> [Action] {
    guard case .idle = state else { return [] }
    return attempt()
  }

  private mutating func attempt() -> [Action] {
    state = .attaching
    return [
      .report(
        ConnectionState(
          .connecting, endpoint: configuration.endpoint, attempts: backoff.failures)),
      .attach,
    ]
  }

  private mutating func attached(_ now: Duration) -> [Action] {
    guard case .attaching = state else { return [] }
    state = .attached
    lastAttachment = now
    backoff.succeeded()
    let next: [Action] = [.look, .arm(at: now + configuration.interval)]
    guard !isConnected else { return next }
    isConnected = true
    lastChange = now
    return [connected()] + next
  }

  private mutating func changed(_ device: String?, _ now: Duration) -> [Action] {
    guard case .attached = state else { return [] }
    lastChange = now
    let before = (problem, receivers)
    problem = nil
    if let device, !receivers.contains(where: { $0.name == device }),
      receivers.count < Self.mostReceivers
    {
      receivers.append(Receiver(name: device))
    }
    return before == (problem, receivers) ? [] : [connected()]
  }

  private mutating func unchanged(_ now: Duration) -> [Action] {
    guard case .attached = state,
      now - max(lastChange, lastAttachment) >= configuration.silenceTimeout
    else { return [] }
    // A restarted gpsd may use another segment under the same key.
    state = .attaching
    var actions: [Action] = []
    if problem == nil {
      let silent = LocationError.silentSharedMemory(for: configuration.silenceTimeout)
      problem = silent
      actions = [connected(), .reportUnavailable(silent)]
    }
    return actions + [.disarm, .detach, .attach]
  }

  private mutating func failed(
    _ error: LocationError, _ now: Duration, _ generator: inout some RandomNumberGenerator
  ) -> [Action] {
    switch state {
    case .attaching, .attached: break
    case .idle, .waiting, .ended: return []
    }
    guard error.isTransient, !backoff.isExhausted else {
      state = .ended
      let denied: [Action] = error.code == .denied ? [.reportDenied] : []
      return [.disarm, .detach] + denied + [
        .report(
          ConnectionState(
            .failed, endpoint: configuration.endpoint, attempts: backoff.failures + 1,
            problem: error)),
        .fail(error),
      ]
    }
    let delay = backoff.failed(using: &generator)
    state = .waiting
    isConnected = false
    problem = nil
    receivers = []
    return [
      .detach,
      .report(
        ConnectionState(
          .waiting, endpoint: configuration.endpoint, attempts: backoff.failures,
          retryDelay: delay, problem: error)),
      .arm(at: now + delay),
    ]
  }

  private mutating func timerFired(_ now: Duration) -> [Action] {
    switch state {
    case .attached: [.arm(at: now + configuration.interval), .look]
    case .waiting: attempt()
    case .idle, .attaching, .ended: []
    }
  }

  private mutating func stopped() -> [Action] {
    defer { state = .ended }
    switch state {
    case .idle: return [.end]
    case .attaching, .attached, .waiting: return [.disarm, .detach, .end]
    case .ended: return []
    }
  }

  private func connected() -> Action {
    // Only the receivers that have reported are listed; there may be others.
    .report(
      ConnectionState(
        .connected, endpoint: configuration.endpoint, problem: problem, receivers: receivers,
        devices: nil))
  }
}
