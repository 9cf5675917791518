import AsyncLocation
import FoundationEssentials
import LocationTransport

/// Decides how to open a source of sentences and how to supervise it. Performs no I/O.
///
/// A source counts as connected with its first valid sentence. Nothing is ever sent to it, so a
/// silent TCP connection cannot be tested: it is opened again. A silent port remains open, and its
/// silence is reported. A source that sends other bytes is reported as not NMEA 0183, but a few stray
/// bytes are silence. A source whose sentences have no position is reported as such.
struct SourceStateMachine: LinkStateMachine {
  enum Kind: Hashable, Sendable {
    case tcp
    case datagrams
    /// A serial port with a speed, or one whose speed is detected; the first speed to try, if it is
    /// known from an earlier run.
    case serial(SerialSpeed)
    case serialDetecting(first: SerialSpeed?)
  }

  struct Configuration: Sendable {
    var kind = Kind.tcp
    /// The source's name, which the first receiver has.
    var device = "tcp://localhost:10110"
    /// The source in connection states and messages, escaped.
    var endpoint = "tcp://localhost:10110"
    var reconnection: Reconnection = .exponential()
    var connectTimeout: Duration = .seconds(10)
    var silenceTimeout: Duration = .seconds(10)
  }

  enum Event: Hashable, Sendable {
    case resolved([SocketAddress])
    case resolutionFailed(TransportFailure)
    /// The connection or the port is open.
    ///
    /// - Parameter date: The host's time, for the description of the receiver.
    case opened(Date)
    case transportFailed(TransportFailure)
    /// A port could not be opened, or its speed could not be set.
    case portFailed(LocationError)
    case closed(TransportFailure?)
    case received(SourceReader.Content)
    /// Other devices deliver, or another receiver is in use, which is the first one.
    case devicesChanged(receivers: [String], devices: Set<String>)
  }

  enum Action: Hashable, Sendable {
    case resolve
    case open(SocketAddress)
    /// Open a serial port with this speed, or a port of datagrams.
    case openPort(SerialSpeed?)
    case setSpeed(SerialSpeed)
    /// The speed that is in force; nil while it is detected.
    case publishSpeed(SerialSpeed?)
  }

  /// A problem that does not close the source.
  private enum Problem {
    case silence, notNMEA, noPositions
  }

  private enum State {
    case closed
    case resolving(deadline: Duration)
    /// Connecting to one address; `rest` are the addresses to try next.
    case opening(rest: [SocketAddress], deadline: Duration)
    case openingPort
    /// Not permitted yet; it is tried again.
    case portDenied
    case listening
  }

  /// So many other bytes without a sentence, for at least ``noiseTime``, show that a source sends
  /// something else.
  private static let noiseBytes = 4_096
  private static let noiseTime = Duration.seconds(2)
  /// Fewer other bytes are stray ones of a line that is silent otherwise.
  private static let strayBytes = 64
  /// How long a port is tried again before it counts as not permitted: a device that is plugged in
  /// belongs to root until udev has set its group.
  private static let permissionTime = Duration.seconds(3)
  private static let permissionInterval = Duration.milliseconds(250)

  private let configuration: Configuration
  private var state = State.closed
  private(set) var hasWorked = false
  /// Nil unless the speed is detected.
  private var detection: SpeedDetection?
  private var openedAt: Date?
  /// When the last valid sentence arrived; before the first one, when the source was opened.
  private var lastSentence = Duration.zero
  private var lastByte = Duration.zero
  /// Bytes outside of sentences, and sentences with a wrong checksum, since the last sentence or
  /// since silence was last looked for.
  private var otherBytes = 0
  private var wrongChecksums = 0
  /// The first bytes outside of sentences since the last sentence.
  private var excerpt: [UInt8] = []
  /// When the port was first denied, since the attempt began.
  private var deniedSince: Duration?
  private var problem: (kind: Problem, error: LocationError)?
  private var positions = PositionWatch()
  /// The receivers' names, the one in use first, and the names of all devices.
  private var receivers: [String]
  private var devices: Set<String>

  init(_ configuration: Configuration) {
    self.configuration = configuration
    (receivers, devices) = ([configuration.device], [configuration.device])
    if case .serialDetecting(let first) = configuration.kind {
      detection = SpeedDetection(first: first)
    }
  }

  var endpoint: String { configuration.endpoint }
  var reconnection: Reconnection { configuration.reconnection }
  var closingActions: [Action] { [] }

  /// A source that sends something else may be set to NMEA 0183 later.
  func mayHeal(_ error: LocationError) -> Bool { error.isTransient || error.code == .unsupported }

  mutating func handle(_ event: Event, at now: Duration) -> [Decision] {
    switch event {
    case .resolved(let addresses): resolved(addresses, now)
    case .resolutionFailed(let failure): resolutionFailed(failure)
    case .opened(let date): opened(date, now)
    case .transportFailed(let failure): transportFailed(failure, now)
    case .portFailed(let error): portFailed(error, now)
    case .closed(let failure): closed(failure)
    case .received(let content): received(content, now)
    case .devicesChanged(let receivers, let devices): devicesChanged(receivers, devices)
    }
  }
}

// MARK: - Opening

extension SourceStateMachine {
  mutating func connect(at now: Duration) -> [Decision] {
    (hasWorked, problem, deniedSince) = (false, nil, nil)
    switch configuration.kind {
    case .tcp:
      let deadline = now + configuration.connectTimeout
      state = .resolving(deadline: deadline)
      return [.arm(at: deadline), .perform(.resolve)]
    case .datagrams, .serial: return openPort()
    case .serialDetecting: return [.perform(.publishSpeed(nil))] + openPort()
    }
  }

  private mutating func openPort() -> [Decision] {
    state = .openingPort
    let speed: SerialSpeed? =
      if case .serial(let speed) = configuration.kind { speed } else { detection?.current }
    return [.perform(.openPort(speed))]
  }

  private mutating func resolved(_ addresses: [SocketAddress], _ now: Duration) -> [Decision] {
    guard case .resolving(let deadline) = state else { return [] }
    return openNext(addresses[...], deadline: deadline, otherwise: timedOut, now)
  }

  private mutating func resolutionFailed(_ failure: TransportFailure) -> [Decision] {
    guard case .resolving = state else { return [] }
    return failed(.cannotConnect(to: configuration.endpoint, failure))
  }

  /// Connects to the next address. The remaining time is divided evenly among the addresses.
  private mutating func openNext(
    _ addresses: ArraySlice<SocketAddress>, deadline: Duration, otherwise error: LocationError,
    _ now: Duration
  ) -> [Decision] {
    guard let first = addresses.first, now < deadline else { return failed(error) }
    state = .opening(rest: Array(addresses.dropFirst()), deadline: deadline)
    return [.arm(at: now + (deadline - now) / addresses.count), .perform(.open(first))]
  }

  private mutating func transportFailed(
    _ failure: TransportFailure, _ now: Duration
  ) -> [Decision] {
    guard case .opening(let rest, let deadline) = state else { return [] }
    return [.close]
      + openNext(
        rest[...], deadline: deadline,
        otherwise: .cannotConnect(to: configuration.endpoint, failure), now)
  }

  private mutating func opened(_ date: Date, _ now: Duration) -> [Decision] {
    switch state {
    case .opening, .openingPort: break
    case .closed, .resolving, .portDenied, .listening: return []
    }
    state = .listening
    openedAt = date
    (lastSentence, lastByte) = (now, now)
    (otherBytes, wrongChecksums, excerpt, positions) = (0, 0, [], PositionWatch())
    (receivers, devices) = ([configuration.device], [configuration.device])
    if detection != nil {
      detection?.begin(at: now)
      return arm(now)
    }
    guard case .serial(let speed) = configuration.kind else { return arm(now) }
    return [.perform(.publishSpeed(speed))] + arm(now)
  }

  private mutating func portFailed(_ error: LocationError, _ now: Duration) -> [Decision] {
    switch state {
    case .openingPort where isSerial && error.code == .denied:
      let since = deniedSince ?? now
      deniedSince = since
      guard now - since < Self.permissionTime else { return failed(error) }
      state = .portDenied
      return [.arm(at: now + Self.permissionInterval)]
    case .openingPort, .listening: return failed(error)
    case .closed, .resolving, .opening, .portDenied: return []
    }
  }

  private var timedOut: LocationError {
    .connectTimedOut(to: configuration.endpoint, after: configuration.connectTimeout)
  }
}

// MARK: - Listening

extension SourceStateMachine {
  private mutating func received(
    _ content: SourceReader.Content, _ now: Duration
  ) -> [Decision] {
    guard case .listening = state else { return [] }
    lastByte = now
    let isFound = content.sentences > 0 && (detection == nil || content.checkedSentences > 0)
    if isFound {
      (lastSentence, otherBytes, wrongChecksums, excerpt) = (now, 0, 0, [])
    } else {
      otherBytes += content.otherBytes
      wrongChecksums += content.wrongChecksums
      // The beginning may arrive in pieces.
      if content.excerpt.count > excerpt.count { excerpt = content.excerpt }
    }
    var decisions: [Decision] = []
    let step = detection?.received(
      sentences: content.checkedSentences, other: content.otherBytes, at: now)
    switch step {
    case nil, .wait: break
    case .found: decisions = [.perform(.publishSpeed(detection?.current))] + arm(now)
    case .tryNext(let speed): return trySpeed(speed, now)
    }
    if isFound { return decisions + found(content, isNewSpeed: step == .found, now) }
    // A port may have another speed now, which is looked for first.
    guard detection == nil, otherBytes >= Self.noiseBytes,
      now - lastSentence >= Self.noiseTime
    else { return decisions }
    return decisions + report(.notNMEA, notNMEA)
  }

  /// Handles valid sentences at the right speed.
  private mutating func found(
    _ content: SourceReader.Content, isNewSpeed: Bool, _ now: Duration
  ) -> [Decision] {
    positions.received(content, at: now)
    let isLacking = positions.lacksPosition(for: configuration.silenceTimeout, at: now)
    let wasLacking = problem?.kind == .noPositions
    let isChanged = !hasWorked || isNewSpeed || problem != nil && !(isLacking && wasLacking)
    hasWorked = true
    if isLacking, !wasLacking {
      return report(
        .noPositions, .noPositions(configuration.endpoint, sentences: positions.types))
    }
    if !isLacking { problem = nil }
    return isChanged ? [connected()] : []
  }

  /// Sets another speed, and reports the problem after all speeds have been tried.
  private mutating func trySpeed(_ speed: SerialSpeed, _ now: Duration) -> [Decision] {
    var decisions: [Decision] = [.perform(.publishSpeed(nil))]
    if isMute(now) {
      decisions += report(.silence, silence(now))
      (otherBytes, wrongChecksums) = (0, 0)
    } else if detection?.hasTriedAll == true {
      if otherBytes >= Self.strayBytes {
        decisions += report(.notNMEA, notNMEA)
      } else if now - lastSentence >= configuration.silenceTimeout {
        decisions += report(.silence, silence(now))
      }
      (otherBytes, wrongChecksums) = (0, 0)
    }
    return decisions + arm(now) + [.perform(.setSpeed(speed))]
  }

  private mutating func closed(_ failure: TransportFailure?) -> [Decision] {
    guard case .listening = state else { return [] }
    return switch configuration.kind {
    case .tcp, .datagrams: failed(.connectionLost(to: configuration.endpoint, failure))
    case .serial, .serialDetecting: failed(.unplugged(configuration.endpoint))
    }
  }

  mutating func timerFired(at now: Duration) -> [Decision] {
    switch state {
    case .resolving: return failed(timedOut)
    case .opening(let rest, let deadline):
      return [.close] + openNext(rest[...], deadline: deadline, otherwise: timedOut, now)
    case .portDenied: return openPort()
    case .listening: return checkSilence(now)
    case .closed, .openingPort: return []
    }
  }

  private mutating func checkSilence(_ now: Duration) -> [Decision] {
    switch detection?.timerFired(at: now) {
    case .tryNext(let speed)?: return trySpeed(speed, now)
    case .wait?, .found?: if detection?.isSearching == true { return arm(now) }
    case nil: break
    }
    // The timer fires early if it was not postponed.
    guard now - lastSentence >= configuration.silenceTimeout else { return arm(now) }
    let isForeign = content.isGreeting || !isMute(now) && otherBytes >= Self.strayBytes
    let error = isForeign ? notNMEA : silence(now)
    (otherBytes, wrongChecksums) = (0, 0)
    if configuration.kind == .tcp, isMute(now) { return failed(error) }
    return report(isForeign ? .notNMEA : .silence, error) + [
      .arm(at: now + configuration.silenceTimeout)
    ]
  }

  /// When the source counts as silent unless another sentence arrives.
  var silenceDeadline: Duration? {
    guard case .listening = state, detection?.isSearching != true else { return nil }
    return lastSentence + configuration.silenceTimeout
  }

  private func arm(_ now: Duration) -> [Decision] {
    (detection?.deadline ?? silenceDeadline).map { [.arm(at: max($0, now))] } ?? []
  }

  private var notNMEA: LocationError {
    .notNMEA(configuration.endpoint, sent: content, isSerial: isSerial)
  }

  private var content: ForeignContent {
    ForeignContent(excerpt, hasWrongChecksums: wrongChecksums > 0)
  }

  /// Whether not a single byte has arrived for the time after which a source is silent.
  private func isMute(_ now: Duration) -> Bool { now - lastByte >= configuration.silenceTimeout }

  private func silence(_ now: Duration) -> LocationError {
    configuration.kind == .tcp && isMute(now)
      ? .silentConnection(to: configuration.endpoint, for: configuration.silenceTimeout)
      : .silent(configuration.endpoint, for: configuration.silenceTimeout)
  }

  private var isSerial: Bool {
    switch configuration.kind {
    case .serial, .serialDetecting: true
    case .tcp, .datagrams: false
    }
  }

  /// Reports a problem that does not close the source, once.
  private mutating func report(_ kind: Problem, _ error: LocationError) -> [Decision] {
    guard problem?.kind != kind else { return [] }
    problem = (kind, error)
    return [connected(), .reportUnavailable(error)]
  }

  private func connected() -> Decision {
    let speed: SerialSpeed? =
      switch configuration.kind {
      case .serial(let speed): speed
      case .serialDetecting: detection?.isSearching == false ? detection?.current : nil
      case .tcp, .datagrams: nil
      }
    let receivers = receivers.map {
      Receiver(
        name: $0, driver: "NMEA0183", activated: openedAt, baudRate: speed?.bitsPerSecond)
    }
    return .reportConnected(problem?.error, receivers: receivers, devices: devices)
  }

  private mutating func devicesChanged(
    _ receivers: [String], _ devices: Set<String>
  ) -> [Decision] {
    guard case .listening = state, (receivers, devices) != (self.receivers, self.devices) else {
      return []
    }
    (self.receivers, self.devices) = (receivers, devices)
    // Before the first sentence, the source does not count as connected.
    return hasWorked ? [connected()] : []
  }

  private mutating func failed(_ error: LocationError) -> [Decision] {
    state = .closed
    return [.fail(error)]
  }
}
