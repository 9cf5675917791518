import AsyncLocation
import FoundationEssentials
import LocationTransport

/// A run of the backend: performs the actions of ``SourceStateMachine`` and passes the received
/// bytes to a ``SourceReader``.
final class NMEASession: Session, ConnectionHandler {
  let transport: any Transport
  let outlet: NMEAOutlet
  var state: SessionState<SourceStateMachine>
  private let source: NMEASource
  private let ports: any PortOpening
  private let statistics: Locked<NMEAStatistics>
  private let lastSpeed: Locked<SerialSpeed?>
  private let firstReceiver: Locked<TalkerFamily?>
  private var reader: SourceReader
  /// The devices in the last state.
  private var reportedDevices: LineDevices
  private var lookup: LookupID?
  private var connection: (any Connection)?
  private var port: (any SourcePort)?
  /// Bytes that arrive meanwhile are of an unknown speed.
  private var isSettingSpeed = false
  /// Fires when the rest of an epoch does not arrive in time.
  private var epochTimer: (id: TimerID, instant: Duration)?

  init(
    _ configuration: NMEAConfiguration, transport: any Transport, ports: any PortOpening,
    statistics: Locked<NMEAStatistics>, lastSpeed: Locked<SerialSpeed?>,
    firstReceiver: Locked<TalkerFamily?>,
    generator: sending any RandomNumberGenerator, emit: @escaping NMEAOutlet.Emit
  ) {
    (self.transport, self.ports, self.statistics) = (transport, ports, statistics)
    source = configuration.source
    outlet = NMEAOutlet(statistics, emit: emit)
    reader = SourceReader(
      source: configuration.source.device, first: firstReceiver.withLock { $0 }
    ) { Date() }
    reportedDevices = reader.devices
    (self.lastSpeed, self.firstReceiver) = (lastSpeed, firstReceiver)
    state = SessionState(
      SourceStateMachine(configuration.link(lastSpeed: lastSpeed.withLock { $0 })),
      generator: generator)
  }

  func perform(_ action: SourceStateMachine.Action) {
    switch action {
    case .resolve:
      guard case .tcp(let host, let port) = source else { return }
      statistics.withLock { $0.attempts += 1 }
      lookup = transport.resolve(host: host, port: port) { [self] result in
        lookup = nil
        switch result {
        case .success(let addresses): happened(.link(.resolved(addresses)))
        case .failure(let failure): happened(.link(.resolutionFailed(failure)))
        }
      }
    case .open(let address): connection = transport.open(address, handler: self)
    case .openPort(let speed): openPort(speed)
    case .setSpeed(let speed): setSpeed(speed)
    case .publishSpeed(let speed):
      statistics.withLock { $0.speed = speed?.bitsPerSecond }
      if let speed { lastSpeed.withLock { $0 = speed } }
    }
  }

  private func openPort(_ speed: SerialSpeed?) {
    statistics.withLock { $0.attempts += 1 }
    port = ports.open(source, speed: speed, handler: self) { [self] error in
      if let error { return happened(.link(.portFailed(error))) }
      opened()
      outlet.flush()
    }
  }

  private func setSpeed(_ speed: SerialSpeed) {
    isSettingSpeed = true
    port?.setSpeed(speed) { [self] error in
      isSettingSpeed = false
      reader.begin(at: transport.now())
      if let error { happened(.link(.portFailed(error))) }
    }
  }

  private func opened() {
    statistics.withLock { $0.connections += 1 }
    reader.begin(at: transport.now())
    decide(.link(.opened(Date())))
  }

  func close() {
    if let lookup { transport.cancel(lookup) }
    lookup = nil
    connection?.close()
    connection = nil
    port?.close()
    (port, isSettingSpeed) = (nil, false)
    reader.endConnection(at: transport.now(), into: &outlet.events)
    // The devices of the next connection are reported anew.
    reportedDevices = reader.devices
    updateAfterReading()
  }
}

// MARK: - Connection events

extension NMEASession {
  func connectionOpened() {
    opened()
    outlet.flush()
  }

  func connectionFailed(_ failure: TransportFailure) {
    happened(.link(.transportFailed(failure)))
  }

  func connectionClosed(_ failure: TransportFailure?) { happened(.link(.closed(failure))) }

  func connectionReceived(_ bytes: Span<UInt8>) {
    guard !outlet.hasEnded, !isSettingSpeed else { return }
    let isDatagram = if case .udp = source { true } else { false }
    // The state precedes the first location.
    var events: [BackendEvent] = []
    let content = reader.read(
      bytes, isDatagram: isDatagram, at: transport.now(), into: &events)
    updateDevices()
    decide(.link(.received(content)))
    outlet.events += events
    if content.sentences > 0 { postponeSilence() }
    updateAfterReading()
    outlet.flush()
  }

  /// Updates the statistics and the timer of the open epochs.
  private func updateAfterReading() {
    let counts = reader.takeCounts()
    statistics.withLock { $0.add(counts) }
    let deadline = reader.deadline
    if let epochTimer {
      if epochTimer.instant == deadline { return }
      transport.cancel(epochTimer.id)
    }
    epochTimer = deadline.map { instant in
      (transport.arm(at: instant) { [self] in epochTimerFired() }, instant)
    }
  }

  private func epochTimerFired() {
    epochTimer = nil
    var events: [BackendEvent] = []
    reader.endEpochs(dueBy: transport.now(), into: &events)
    updateDevices()
    outlet.events += events
    updateAfterReading()
    outlet.flush()
  }

  /// Reports the devices if they have changed.
  private func updateDevices() {
    let devices = reader.devices
    guard devices != reportedDevices else { return }
    if let first = devices.first, first != reportedDevices.first {
      firstReceiver.withLock { $0 = first }
    }
    reportedDevices = devices
    decide(
      .link(.devicesChanged(receivers: devices.receiverNames, devices: devices.names)))
  }
}

extension NMEAStatistics {
  mutating func add(_ counts: SourceReader.Counts) {
    bytes += counts.bytes
    sentences += counts.sentences
    wrongChecksums += counts.wrongChecksums
    malformedSentences += counts.malformedSentences
    skippedSentences += counts.skippedSentences
    otherBytes += counts.otherBytes
    epochs += counts.epochs
  }
}

extension NMEAConfiguration {
  /// - Parameter lastSpeed: The speed that was detected last.
  fileprivate func link(lastSpeed: SerialSpeed?) -> SourceStateMachine.Configuration {
    let kind: SourceStateMachine.Kind =
      switch source {
      case .serial(_, let speed):
        speed.flatMap(SerialSpeed.init).map { .serial($0) } ?? .serialDetecting(first: lastSpeed)
      case .tcp: .tcp
      case .udp: .datagrams
      }
    return SourceStateMachine.Configuration(
      kind: kind, device: source.device, endpoint: source.endpoint, reconnection: reconnection,
      connectTimeout: connectTimeout, silenceTimeout: silenceTimeout)
  }
}
