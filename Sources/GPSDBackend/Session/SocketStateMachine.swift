import AsyncLocation
import GPSDReports
import LocationTransport

/// Decides how to connect to gpsd over TCP and how to supervise the connection. Performs no I/O.
struct SocketStateMachine: LinkStateMachine {
  private enum State {
    /// There is no connection.
    case closed
    case resolving(deadline: Duration)
    /// Connecting to one address; `rest` are the addresses to try next.
    case opening(rest: [SocketAddress], deadline: Duration)
    /// Connected; the server is not identified as gpsd yet.
    case handshaking
    case watching
    /// Silent for too long; the version has been requested to test the connection.
    case probing
  }

  private let configuration: Configuration
  private var state = State.closed
  private(set) var hasWorked = false
  private var receivers: [Receiver] = []
  /// Whether gpsd has listed all its receivers and none was omitted.
  private var hasList = false
  /// Names of the receivers that gpsd has reported as closed.
  private var closed: Set<String> = []
  /// When the last line arrived.
  private var lastLine = Duration.zero
  /// When the last report of a receiver arrived.
  private var lastReport = Duration.zero
  /// The problem that the connection state reports while connected.
  private var problem: LocationError?
  /// Whether the configured device is missing now.
  private var deviceIsMissing = false
  /// Whether gpsd has ever listed the configured device, or reported it as closed.
  private var deviceWasSeen = false

  init(_ configuration: Configuration) { self.configuration = configuration }

  var endpoint: String { configuration.endpoint }

  var reconnection: Reconnection {
    switch configuration.purpose {
    case .watch: configuration.reconnection
    case .listDevices: .never
    }
  }

  mutating func handle(_ event: Event, at now: Duration) -> [Decision] {
    switch event {
    case .resolved(let addresses): resolved(addresses, now)
    case .resolutionFailed(let failure): resolutionFailed(failure)
    case .transportConnected: transportConnected(now)
    case .transportFailed(let failure): transportFailed(failure, now)
    case .closedByPeer(let failure): closedByPeer(failure)
    case .bannerReceived: bannerReceived(now)
    case .lineWasNotGPSD(let text): lineWasNotGPSD(text)
    case .linesArrived(let reports): linesArrived(reports, now)
    case .devicesReported(let receivers): devicesReported(receivers)
    case .deviceReported(let receiver): deviceReported(receiver)
    case .errorReported(let message): errorReported(message)
    }
  }
}

// MARK: - Connecting

extension SocketStateMachine {
  mutating func connect(at now: Duration) -> [Decision] {
    let deadline = now + configuration.connectTimeout
    state = .resolving(deadline: deadline)
    hasWorked = false
    receivers = []
    (hasList, closed) = (false, [])
    problem = nil
    deviceIsMissing = false
    return [.arm(at: deadline), .perform(.resolve)]
  }

  private mutating func resolved(_ addresses: [SocketAddress], _ now: Duration) -> [Decision] {
    guard case .resolving(let deadline) = state else { return [] }
    return openNext(
      addresses[...], deadline: deadline,
      otherwise: .connectTimedOut(to: configuration.endpoint, after: configuration.connectTimeout),
      now)
  }

  private mutating func resolutionFailed(_ failure: TransportFailure) -> [Decision] {
    guard case .resolving = state else { return [] }
    return failed(.cannotConnect(to: configuration.endpoint, failure))
  }

  /// Connects to the next address. The remaining time is divided evenly among the addresses, so
  /// that an address that does not answer leaves time for the others. Fails with `error` if no
  /// address or no time is left.
  private mutating func openNext(
    _ addresses: ArraySlice<SocketAddress>, deadline: Duration, otherwise error: LocationError,
    _ now: Duration
  ) -> [Decision] {
    guard let first = addresses.first, now < deadline else {
      return failed(error)
    }
    state = .opening(rest: Array(addresses.dropFirst()), deadline: deadline)
    return [.arm(at: now + (deadline - now) / addresses.count), .perform(.open(first))]
  }

  private mutating func transportConnected(_ now: Duration) -> [Decision] {
    guard case .opening = state else { return [] }
    state = .handshaking
    // The client sends first, so that a different server that waits for a request answers and is
    // identified.
    let commands: [GPSDCommand] =
      switch (configuration.purpose, configuration.device) {
      case (.listDevices, _): [.devices]
      case (.watch, nil): [watchCommand]
      // gpsd does not list its devices when the device to watch is unknown.
      case (.watch, _?): [.devices, watchCommand]
      }
    return [.arm(at: now + configuration.handshakeTimeout)] + commands.map { .perform(.send($0)) }
  }

  private var watchCommand: GPSDCommand {
    .watch(device: configuration.device, flags: configuration.flags)
  }

  private mutating func transportFailed(_ failure: TransportFailure, _ now: Duration) -> [Decision]
  {
    guard case .opening(let rest, let deadline) = state else { return [] }
    return [.close]
      + openNext(
        rest[...], deadline: deadline,
        otherwise: .cannotConnect(to: configuration.endpoint, failure), now)
  }

  private mutating func closedByPeer(_ failure: TransportFailure?) -> [Decision] {
    switch state {
    case .handshaking, .watching, .probing:
      failed(.connectionLost(to: configuration.endpoint, failure))
    case .closed, .resolving, .opening:
      []
    }
  }
}

// MARK: - Connected

extension SocketStateMachine {
  private mutating func bannerReceived(_ now: Duration) -> [Decision] {
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
    case .closed, .resolving, .opening, .watching:
      return []
    }
  }

  private mutating func lineWasNotGPSD(_ text: String) -> [Decision] {
    guard case .handshaking = state else { return [] }
    return failed(.notGPSD(at: configuration.endpoint, said: text))
  }

  private mutating func linesArrived(_ reports: Bool, _ now: Duration) -> [Decision] {
    var decisions: [Decision] = []
    switch state {
    case .watching: lastLine = now
    case .probing: decisions = probeAnswered(now)
    case .closed, .resolving, .opening, .handshaking: return []
    }
    guard reports else { return decisions }
    lastReport = now
    hasWorked = true
    guard problem != nil, !deviceIsMissing else { return decisions }
    problem = nil
    return decisions + [connected()]
  }

  /// Handles any line after a probe. Replaces the probe's deadline, which may be later than the
  /// next silence deadline.
  private mutating func probeAnswered(_ now: Duration) -> [Decision] {
    state = .watching
    lastLine = now
    return [.arm(at: now + configuration.silenceTimeout)]
  }

  private mutating func devicesReported(_ reported: [Receiver]) -> [Decision] {
    switch state {
    case .watching, .probing: break
    case .closed, .resolving, .opening, .handshaking: return []
    }
    hasWorked = true  // gpsd answers requests, so the connection works.
    let isFirst = !hasList
    hasList = reported.count <= Self.maximumReceivers
    let reported = Array(reported.prefix(Self.maximumReceivers))
    if configuration.purpose == .listDevices {
      state = .closed
      return [.finish(reported)]
    }
    guard receivers != reported || isFirst || configuration.device != nil else { return [] }
    let before = (receivers, problem)
    receivers = reported
    closed.subtract(reported.lazy.filter(\.isActive).map(\.name))
    var decisions = checkDevice()
    if case .closed = state { return decisions }
    if isFirst || before != (receivers, problem) { decisions.append(connected()) }
    return decisions
  }

  private mutating func deviceReported(_ receiver: Receiver) -> [Decision] {
    switch state {
    case .watching, .probing: break
    case .closed, .resolving, .opening, .handshaking: return []
    }
    let before = (receivers, problem)
    if receiver.isActive { closed.remove(receiver.name) } else { closed.insert(receiver.name) }
    if let index = receivers.firstIndex(where: { $0.name == receiver.name }) {
      receivers[index] = receiver
    } else if receivers.count < Self.maximumReceivers {
      receivers.append(receiver)
    } else {
      hasList = false
    }
    var decisions: [Decision] = []
    if receiver.name == configuration.device {
      if receiver.isActive {
        if deviceIsMissing { decisions = checkDevice() }
      } else {
        (deviceWasSeen, deviceIsMissing) = (true, true)
        problem = .deviceUnplugged(receiver.name, at: configuration.endpoint)
      }
    }
    if before != (receivers, problem) { decisions.append(connected()) }
    return decisions
  }

  /// Checks whether gpsd lists the configured device. Watches it when it is back; waits for it or
  /// fails if it is missing.
  private mutating func checkDevice() -> [Decision] {
    guard let device = configuration.device else { return [] }
    if receivers.contains(where: { $0.name == device }) {
      deviceWasSeen = true
      guard deviceIsMissing else { return [] }
      deviceIsMissing = false
      problem = nil
      return [.perform(.send(watchCommand))]
    }
    let unknown = LocationError.deviceUnknown(
      device, at: configuration.endpoint, having: receivers)
    guard configuration.waitsForDevice || deviceWasSeen else { return failed(unknown) }
    deviceIsMissing = true
    problem = unknown
    return []
  }

  private mutating func errorReported(_ message: String) -> [Decision] {
    switch state {
    case .watching, .probing:
      // The problem of a missing device is already reported, with a better message than gpsd's.
      guard !deviceIsMissing, configuration.purpose == .watch else { return [] }
      problem = .complaint(of: configuration.endpoint, message)
      return [connected()]
    case .closed, .resolving, .opening, .handshaking:
      return []
    }
  }

  private func connected() -> Decision {
    .reportConnected(problem, receivers: receivers, devices: hasList ? devices : nil)
  }

  /// The devices whose reports this connection delivers.
  private var devices: Set<String> {
    let open = Set(receivers.map(\.name)).subtracting(closed)
    return configuration.device.map { open.intersection([$0]) } ?? open
  }
}

// MARK: - Timeouts and the end

extension SocketStateMachine {
  mutating func timerFired(at now: Duration) -> [Decision] {
    let endpoint = configuration.endpoint
    switch state {
    case .resolving:
      return failed(.lookUpTimedOut(of: endpoint, after: configuration.connectTimeout))
    case .opening(let rest, let deadline):
      return [.close]
        + openNext(
          rest[...], deadline: deadline,
          otherwise: .connectTimedOut(to: endpoint, after: configuration.connectTimeout), now)
    case .handshaking:
      return failed(.noBanner(from: endpoint, after: configuration.handshakeTimeout))
    case .watching:
      guard let due = silenceDeadline else {  // gpsd did not send the device list.
        return failed(.silentConnection(to: endpoint, for: configuration.handshakeTimeout))
      }
      // The timer fires early if it was not postponed.
      guard due <= now else { return [.arm(at: due)] }
      state = .probing
      return [.arm(at: now + configuration.handshakeTimeout), .perform(.send(.version))]
    case .probing:
      return failed(.silentConnection(to: endpoint, for: now - lastLine))
    case .closed:
      return []
    }
  }

  /// When the connection counts as silent unless another line arrives. This is not an action: it
  /// changes with every line, and postponing a timer wakes no thread.
  var silenceDeadline: Duration? {
    guard case .watching = state, configuration.purpose == .watch else { return nil }
    return lastLine + configuration.silenceTimeout
  }

  var closingActions: [Action] {
    switch state {
    case .watching, .probing: [.send(.unwatch)]
    case .closed, .resolving, .opening, .handshaking: []
    }
  }

  private mutating func failed(_ error: LocationError) -> [Decision] {
    state = .closed
    return [.fail(error)]
  }
}
