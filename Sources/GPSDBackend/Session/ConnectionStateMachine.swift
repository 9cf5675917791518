import AsyncLocation

/// Decides how to connect to gpsd, supervise the connection, and reconnect. Performs no I/O.
///
/// It uses a single timer, which is set again for each step.
struct ConnectionStateMachine: Sendable {
  private enum State {
    case idle
    case resolving(deadline: Duration)
    /// Connecting to one address; `rest` are the addresses to try next.
    case opening(rest: [SocketAddress], deadline: Duration)
    /// Connected; the server is not identified as gpsd yet.
    case handshaking
    case watching
    /// Silent for too long; the version has been requested to test the connection.
    case probing
    case waiting
    case ended
  }

  private static let mostReceivers = 256

  private let configuration: Configuration
  private var state = State.idle
  private var backoff: Backoff
  private var receivers: [Receiver] = []
  /// Whether gpsd has listed all its receivers and none had to be left out.
  private var hasList = false
  /// Names of the receivers that gpsd has reported as closed.
  private var closed: Set<String> = []
  /// When the last line and the last report of a receiver arrived.
  private var lastLine = Duration.zero
  private var lastReport = Duration.zero
  private var problem: LocationError?
  /// Whether the configured device is missing now, and whether gpsd ever listed it.
  private var deviceIsMissing = false
  private var deviceWasSeen = false

  init(_ configuration: Configuration) {
    self.configuration = configuration
    backoff = Backoff(configuration.reconnection)
  }

  mutating func handle(
    _ event: Event, at now: Duration, using generator: inout some RandomNumberGenerator
  ) -> [Action] {
    switch event {
    case .started: started(now)
    case .resolved(let addresses): resolved(addresses, now, &generator)
    case .resolutionFailed(let failure): resolutionFailed(failure, now, &generator)
    case .transportConnected: transportConnected(now)
    case .transportFailed(let failure): transportFailed(failure, now, &generator)
    case .closedByPeer(let failure): closedByPeer(failure, now, &generator)
    case .bannerReceived: bannerReceived(now)
    case .lineWasNotGPSD(let text): lineWasNotGPSD(text)
    case .linesArrived(let reports): linesArrived(reports, now)
    case .devicesReported(let receivers): devicesReported(receivers)
    case .deviceReported(let receiver): deviceReported(receiver)
    case .errorReported(let message): errorReported(message)
    case .timerFired: timerFired(now, &generator)
    case .stopped: stopped()
    }
  }
}

// MARK: - Connecting

extension ConnectionStateMachine {
  private mutating func started(_ now: Duration) -> [Action] {
    guard case .idle = state else { return [] }
    return attempt(now)
  }

  private mutating func attempt(_ now: Duration) -> [Action] {
    let deadline = now + configuration.connectTimeout
    state = .resolving(deadline: deadline)
    return [
      .report(
        ConnectionState(
          .connecting, endpoint: configuration.endpoint, attempts: backoff.failures)),
      .arm(at: deadline), .resolve,
    ]
  }

  private mutating func resolved(
    _ addresses: [SocketAddress], _ now: Duration,
    _ generator: inout some RandomNumberGenerator
  ) -> [Action] {
    guard case .resolving(let deadline) = state else { return [] }
    return openNext(
      addresses[...], deadline: deadline,
      otherwise: .connectTimedOut(to: configuration.endpoint, after: configuration.connectTimeout),
      now, &generator)
  }

  private mutating func resolutionFailed(
    _ failure: TransportFailure, _ now: Duration, _ generator: inout some RandomNumberGenerator
  ) -> [Action] {
    guard case .resolving = state else { return [] }
    return trouble(.cannotConnect(to: configuration.endpoint, failure), now, &generator)
  }

  /// Divides the remaining time evenly among the addresses, so that one that does not answer leaves
  /// time for the others.
  private mutating func openNext(
    _ addresses: ArraySlice<SocketAddress>, deadline: Duration, otherwise error: LocationError,
    _ now: Duration, _ generator: inout some RandomNumberGenerator
  ) -> [Action] {
    guard let first = addresses.first, now < deadline else {
      return trouble(error, now, &generator)
    }
    state = .opening(rest: Array(addresses.dropFirst()), deadline: deadline)
    return [.arm(at: now + (deadline - now) / addresses.count), .open(first)]
  }

  private mutating func transportConnected(_ now: Duration) -> [Action] {
    guard case .opening = state else { return [] }
    state = .handshaking
    // The client sends first. A server that waits for a request then answers and is identified.
    let commands: [Action] =
      switch (configuration.purpose, configuration.device) {
      case (.listDevices, _): [.send(.listDevices)]
      case (.watch, nil): [.send(.watch(device: nil, flags: configuration.flags))]
      // gpsd does not list its devices when the device to watch is unknown.
      case (.watch, let device?):
        [.send(.listDevices), .send(.watch(device: device, flags: configuration.flags))]
      }
    return [.arm(at: now + configuration.handshakeTimeout)] + commands
  }

  private mutating func transportFailed(
    _ failure: TransportFailure, _ now: Duration, _ generator: inout some RandomNumberGenerator
  ) -> [Action] {
    guard case .opening(let rest, let deadline) = state else { return [] }
    return [.close]
      + openNext(
        rest[...], deadline: deadline,
        otherwise: .cannotConnect(to: configuration.endpoint, failure), now, &generator)
  }

  private mutating func closedByPeer(
    _ failure: TransportFailure?, _ now: Duration, _ generator: inout some RandomNumberGenerator
  ) -> [Action] {
    switch state {
    case .handshaking, .watching, .probing:
      trouble(.connectionLost(to: configuration.endpoint, failure), now, &generator)
    case .idle, .resolving, .opening, .waiting, .ended:
      []
    }
  }
}

// MARK: - Connected

extension ConnectionStateMachine {
  private mutating func bannerReceived(_ now: Duration) -> [Action] {
    switch state {
    case .handshaking:
      state = .watching
      (lastLine, lastReport) = (now, now)
      switch configuration.purpose {
      case .listDevices: return [.arm(at: now + configuration.handshakeTimeout)]
      case .watch: return [.arm(at: now + configuration.silenceTimeout), connected()]
      }
    case .probing:
      let watching = probeAnswered(now)
      guard now - lastReport >= configuration.silenceTimeout, problem == nil else {
        return watching
      }
      let silent = LocationError.silentReceivers(
        at: configuration.endpoint, for: configuration.silenceTimeout)
      problem = silent
      return watching + [connected(), .reportUnavailable(silent)]
    case .idle, .resolving, .opening, .watching, .waiting, .ended:
      return []
    }
  }

  private mutating func lineWasNotGPSD(_ text: String) -> [Action] {
    guard case .handshaking = state else { return [] }
    return failure(.notGPSD(at: configuration.endpoint, said: text))
  }

  private mutating func linesArrived(_ reports: Bool, _ now: Duration) -> [Action] {
    var actions: [Action] = []
    switch state {
    case .watching: lastLine = now
    case .probing: actions = probeAnswered(now)
    case .idle, .resolving, .opening, .handshaking, .waiting, .ended: return []
    }
    guard reports else { return actions }
    lastReport = now
    backoff.succeeded()
    guard problem != nil, !deviceIsMissing else { return actions }
    problem = nil
    return actions + [connected()]
  }

  /// Replaces the probe's deadline, which may be later than the next silence deadline.
  private mutating func probeAnswered(_ now: Duration) -> [Action] {
    state = .watching
    lastLine = now
    return [.arm(at: now + configuration.silenceTimeout)]
  }

  private mutating func devicesReported(_ reported: [Receiver]) -> [Action] {
    switch state {
    case .watching, .probing: break
    case .idle, .resolving, .opening, .handshaking, .waiting, .ended: return []
    }
    backoff.succeeded()  // gpsd answers requests, so the connection works.
    let isFirst = !hasList
    hasList = reported.count <= Self.mostReceivers
    let reported = Array(reported.prefix(Self.mostReceivers))
    if configuration.purpose == .listDevices {
      state = .ended
      return [.disarm, .close, .finish(reported)]
    }
    guard receivers != reported || isFirst || configuration.device != nil else { return [] }
    let before = (receivers, problem)
    receivers = reported
    closed.subtract(reported.lazy.filter(\.isActive).map(\.name))
    var actions = judgeDevice()
    if case .ended = state { return actions }
    if isFirst || before != (receivers, problem) { actions.append(connected()) }
    return actions
  }

  private mutating func deviceReported(_ receiver: Receiver) -> [Action] {
    switch state {
    case .watching, .probing: break
    case .idle, .resolving, .opening, .handshaking, .waiting, .ended: return []
    }
    let before = (receivers, problem)
    if receiver.isActive { closed.remove(receiver.name) } else { closed.insert(receiver.name) }
    if let index = receivers.firstIndex(where: { $0.name == receiver.name }) {
      receivers[index] = receiver
    } else if receivers.count < Self.mostReceivers {
      receivers.append(receiver)
    } else {
      hasList = false
    }
    var actions: [Action] = []
    if receiver.name == configuration.device {
      if receiver.isActive {
        if deviceIsMissing { actions = judgeDevice() }
      } else {
        (deviceWasSeen, deviceIsMissing) = (true, true)
        problem = .deviceUnplugged(receiver.name, at: configuration.endpoint)
      }
    }
    if before != (receivers, problem) { actions.append(connected()) }
    return actions
  }

  /// Checks whether gpsd lists the configured device.
  private mutating func judgeDevice() -> [Action] {
    guard let device = configuration.device else { return [] }
    if receivers.contains(where: { $0.name == device }) {
      deviceWasSeen = true
      guard deviceIsMissing else { return [] }
      deviceIsMissing = false
      problem = nil
      return [.send(.watch(device: device, flags: configuration.flags))]
    }
    let unknown = LocationError.deviceUnknown(
      device, at: configuration.endpoint, having: receivers)
    guard configuration.waitsForDevice || deviceWasSeen else { return failure(unknown) }
    deviceIsMissing = true
    problem = unknown
    return []
  }

  private mutating func errorReported(_ message: String) -> [Action] {
    switch state {
    case .watching, .probing:
      // The problem of a missing device is already reported, with a better message than gpsd's.
      guard !deviceIsMissing, configuration.purpose == .watch else { return [] }
      problem = .complaint(of: configuration.endpoint, message)
      return [connected()]
    case .idle, .resolving, .opening, .handshaking, .waiting, .ended:
      return []
    }
  }

  private func connected() -> Action {
    .report(
      ConnectionState(
        .connected, endpoint: configuration.endpoint, problem: problem, receivers: receivers,
        devices: hasList ? devices : nil))
  }

  /// The devices whose reports this connection delivers.
  private var devices: Set<String> {
    let open = Set(receivers.map(\.name)).subtracting(closed)
    return configuration.device.map { open.intersection([$0]) } ?? open
  }
}

// MARK: - Timeouts, errors and the end

extension ConnectionStateMachine {
  private mutating func timerFired(
    _ now: Duration, _ generator: inout some RandomNumberGenerator
  ) -> [Action] {
    let endpoint = configuration.endpoint
    switch state {
    case .resolving:
      return trouble(
        .lookUpTimedOut(of: endpoint, after: configuration.connectTimeout), now, &generator)
    case .opening(let rest, let deadline):
      return [.close]
        + openNext(
          rest[...], deadline: deadline,
          otherwise: .connectTimedOut(to: endpoint, after: configuration.connectTimeout),
          now, &generator)
    case .handshaking:
      return trouble(
        .noBanner(from: endpoint, after: configuration.handshakeTimeout), now, &generator)
    case .watching:
      guard let due = silenceDeadline else {  // gpsd did not send the device list.
        return trouble(
          .silentConnection(to: endpoint, for: configuration.handshakeTimeout), now, &generator)
      }
      // The timer may not have been postponed.
      guard due <= now else { return [.arm(at: due)] }
      state = .probing
      return [.arm(at: now + configuration.handshakeTimeout), .send(.askVersion)]
    case .probing:
      return trouble(
        .silentConnection(to: endpoint, for: now - lastLine), now, &generator)
    case .waiting:
      return attempt(now)
    case .idle, .ended:
      return []
    }
  }

  /// When the connection counts as silent unless another line arrives. This is not an action: it
  /// changes with every line, and postponing a timer wakes no thread.
  var silenceDeadline: Duration? {
    guard case .watching = state, configuration.purpose == .watch else { return nil }
    return lastLine + configuration.silenceTimeout
  }

  private mutating func stopped() -> [Action] {
    defer { state = .ended }
    switch state {
    case .idle: return [.end]
    case .resolving, .opening, .handshaking, .waiting: return [.disarm, .close, .end]
    case .watching, .probing: return [.disarm, .send(.unwatch), .close, .end]
    case .ended: return []
    }
  }

  /// Handles a possibly transient error: schedules another attempt if attempts are left.
  private mutating func trouble(
    _ error: LocationError, _ now: Duration, _ generator: inout some RandomNumberGenerator
  ) -> [Action] {
    guard error.isTransient, configuration.purpose == .watch, !backoff.isExhausted
    else { return failure(error) }
    let delay = backoff.failed(using: &generator)
    state = .waiting
    receivers = []
    (hasList, closed) = (false, [])
    problem = nil
    deviceIsMissing = false
    return [
      .close,
      .report(
        ConnectionState(
          .waiting, endpoint: configuration.endpoint, attempts: backoff.failures,
          retryDelay: delay, problem: error)),
      .arm(at: now + delay),
    ]
  }

  /// Handles a permanent error.
  private mutating func failure(_ error: LocationError) -> [Action] {
    state = .ended
    let denied: [Action] = error.code == .denied ? [.reportDenied] : []
    return [.disarm, .close] + denied + [
      .report(
        ConnectionState(
          .failed, endpoint: configuration.endpoint, attempts: backoff.failures + 1,
          problem: error)),
      .fail(error),
    ]
  }
}
