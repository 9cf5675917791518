import AsyncLocation

/// Performs the actions of ``ConnectionStateMachine`` for one run with one gpsd.
///
/// Each event on the transport's thread causes at most one call of `emit`.
final class GPSDSession: Session, ChannelHandler {
  typealias Emit = @Sendable ([BackendEvent]) -> Void

  private let transport: any Transport
  private let host: String
  private let port: Int
  private let statistics: Locked<GPSDStatistics>
  private let outlet: SessionOutlet<[Receiver]>
  /// Receives complete reports; nil for a run that converts reports to backend events.
  private let reports: ReportOutlet?

  private var machine: ConnectionStateMachine
  private var generator: any RandomNumberGenerator
  // Every report accesses these properties. Dynamic exclusivity checks are disabled: only one
  // thread accesses them, and no callback accesses them again.
  @safe @exclusivity(unchecked) private var reader: ReportReader
  @safe @exclusivity(unchecked) private var classes = GPSDStatistics.Classes()
  private var channel: (any Channel)?
  private var lookup: LookupID?
  private var timer: TimerID?
  /// `isGreeted`: gpsd has sent its banner on this connection. `sawReports`: the current chunk
  /// contains reports of receivers.
  @safe @exclusivity(unchecked) private var isGreeted = false
  @safe @exclusivity(unchecked) private var sawReports = false
  @safe @exclusivity(unchecked) private var arrival = Duration.zero

  init(
    _ configuration: GPSDConfiguration, purpose: ConnectionStateMachine.Configuration.Purpose,
    wanted: WantedKinds, names: DeviceNameLimit = DeviceNameLimit(), transport: any Transport,
    statistics: Locked<GPSDStatistics>, generator: sending any RandomNumberGenerator,
    reports: ReportOutlet? = nil, emit: @escaping Emit
  ) {
    self.transport = transport
    self.reports = reports
    self.statistics = statistics
    self.generator = generator
    outlet = SessionOutlet(
      configuration, wanted: wanted, names: names, transport: transport, statistics: statistics,
      isWatching: purpose == .watch, emit: emit)
    host = configuration.host
    port = configuration.port
    machine = ConnectionStateMachine(
      configuration.connection(for: purpose, flags: reports?.flags ?? []))
    reader = ReportReader(maximumLineLength: configuration.maximumLineLength)
  }

  func start(_ completion: @escaping (Result<[Receiver], any Error>) -> Void) {
    if outlet.begin(completion) { happened(.started) }
  }

  func stop() { happened(.stopped) }

  private func happened(_ event: ConnectionStateMachine.Event) {
    decide(event)
    outlet.flush()
  }

  private func decide(_ event: ConnectionStateMachine.Event) {
    guard !outlet.hasEnded else { return }
    for action in machine.handle(event, at: transport.now(), using: &generator) {
      perform(action)
    }
  }

  private func perform(_ action: ConnectionStateMachine.Action) {
    switch action {
    case .resolve:
      statistics.withLock { $0.attempts += 1 }
      lookup = transport.resolve(host: host, port: port) { [self] result in
        lookup = nil
        switch result {
        case .success(let addresses): happened(.resolved(addresses))
        case .failure(let failure): happened(.resolutionFailed(failure))
        }
      }
    case .open(let address):
      reader.reset()
      outlet.beginConnection()
      isGreeted = false
      channel = transport.open(address, handler: self)
    case .send(let command): channel?.send(command.bytes)
    case .arm(let instant):
      disarm()
      timer = transport.arm(at: instant) { [self] in
        timer = nil
        happened(.timerFired)
      }
    case .disarm: disarm()
    case .close: close()
    case .report(let state): outlet.notify(state)
    case .reportUnavailable(let error): outlet.append(.unavailable(error))
    case .reportDenied: outlet.append(.authorization(.denied))
    case .finish(let receivers): outlet.end(.success(receivers))
    case .fail(let error): outlet.end(.failure(error))
    case .end: outlet.end(.failure(CancellationError()))
    }
  }

  private func disarm() {
    guard let timer else { return }
    transport.cancel(timer)
    self.timer = nil
  }

  private func close() {
    if let lookup { transport.cancel(lookup) }
    lookup = nil
    channel?.close()
    channel = nil
  }
}

// MARK: - Channel events

extension GPSDSession {
  func channelOpened() { happened(.transportConnected) }
  func channelFailed(_ failure: TransportFailure) { happened(.transportFailed(failure)) }
  func channelClosed(_ failure: TransportFailure?) { happened(.closedByPeer(failure)) }

  func channelReceived(_ bytes: Span<UInt8>) {
    let before = reader.statistics
    sawReports = false
    classes = GPSDStatistics.Classes()
    if let reports {
      reports.beginChunk(of: bytes.count)
      var handler = ReportCollection(session: self, outlet: reports)
      reader.readWhole(bytes, with: &transport.workspace.wholeDecoder, into: &handler)
    } else {
      arrival = transport.now()
      outlet.beginChunk()
      transport.workspace.decoder.keepsSatellites = outlet.makesSatelliteViews
      var session = self
      reader.read(bytes, with: &transport.workspace.decoder, into: &session)
    }
    let after = reader.statistics
    if after.lines > before.lines {
      decide(.linesArrived(reports: sawReports))
      if let timer, let deadline = machine.silenceDeadline {
        transport.postpone(timer, to: deadline)
      }
    }
    let classes = classes
    statistics.withLock { statistics in
      statistics.add(after, since: before)
      statistics.classes += classes
    }
    reports?.flush()
    outlet.flush()
  }

  /// Returns false after the end of the run, and before gpsd has sent its banner. In the latter
  /// case the state machine is notified that the server is not gpsd.
  private func isListening() -> Bool {
    guard !outlet.hasEnded, channel != nil else { return false }
    if !isGreeted { decide(.lineWasNotGPSD("{\"class\":…")) }
    return isGreeted
  }
}

extension GPSDSession: ReportHandler {
  func take(_ report: borrowing TPV) {
    if hears({ $0.positions += 1 }) { outlet.assemble(report, arrival: arrival) }
  }

  func take(_ report: borrowing SKY) {
    if hears({ $0.skies += 1 }) { outlet.assemble(report, arrival: arrival) }
  }

  func take(_ report: borrowing ATT) {
    if hears({ $0.attitudes += 1 }) { outlet.assemble(report, arrival: arrival) }
  }

  func take(inertial report: borrowing ATT) {
    if hears({ $0.attitudes += 1 }) { outlet.assemble(inertial: report, arrival: arrival) }
  }

  /// Counts a report of a receiver. Returns false if the report must be ignored.
  @inline(__always)
  func hears(_ count: (inout GPSDStatistics.Classes) -> Void) -> Bool {
    guard isListening() else { return false }
    count(&classes)
    sawReports = true
    return true
  }

  func take(_ report: borrowing GPSDReport) { _ = hears(report) }

  /// Counts a report of a class without a `take` of its own, and passes what it says about the
  /// connection to the state machine. Returns false if the report must be ignored.
  func hears(_ report: borrowing GPSDReport) -> Bool {
    if case .version(let version) = copy report { return hears(version) }
    guard isListening() else { return false }
    classes.count(report)
    switch copy report {
    case .tpv, .sky, .att, .imu, .gst, .toff, .pps,
      .osc, .poll, .ais, .rtcm2, .rtcm3, .subframe, .raw, .log, .other:
      sawReports = true
    case .devices(let list): decide(.devicesReported(list.devices.compactMap(Receiver.init)))
    case .device(let device):
      if reports == nil { outlet.assemble(device, arrival: arrival) }
      if let receiver = Receiver(device) { decide(.deviceReported(receiver)) }
    case .error(let error): decide(.errorReported(error.message ?? ""))
    case .version, .watch: break
    }
    return true
  }

  private func hears(_ version: VersionReport) -> Bool {
    guard !outlet.hasEnded, channel != nil else { return false }
    classes.others += 1
    if !isGreeted {
      let daemon = GPSDVersion(version)
      statistics.withLock { statistics in
        statistics.connections += 1
        statistics.daemon = daemon
      }
    }
    isGreeted = true
    decide(.bannerReceived)
    return true
  }

  func take(_ line: ReportReader.MalformedLine) { _ = hears(line) }

  /// Returns false before gpsd's banner and after the end of the run. Before the banner, a line
  /// that is not empty is reported to the state machine, which fails on the first one.
  func hears(_ line: ReportReader.MalformedLine) -> Bool {
    guard !outlet.hasEnded, channel != nil else { return false }
    if !isGreeted, line.reason != .empty { decide(.lineWasNotGPSD(line.excerpt)) }
    return isGreeted
  }
}

extension ConnectionStateMachine.Command {
  fileprivate var bytes: [UInt8] {
    switch self {
    case .watch(let device, let flags): WatchCommand.watch(device: device, flags: flags)
    case .listDevices: WatchCommand.devices
    case .askVersion: WatchCommand.version
    case .unwatch: WatchCommand.unwatch
    }
  }
}

extension GPSDConfiguration {
  fileprivate func connection(
    for purpose: ConnectionStateMachine.Configuration.Purpose, flags: WatchCommand.Flags
  ) -> ConnectionStateMachine.Configuration {
    ConnectionStateMachine.Configuration(
      purpose: purpose, endpoint: endpoint, device: device, flags: flags,
      waitsForDevice: waitsForDevice,
      reconnection: reconnection, connectTimeout: connectTimeout,
      handshakeTimeout: handshakeTimeout, silenceTimeout: silenceTimeout)
  }
}
