import AsyncLocation
import GPSDReports
import LocationTransport

/// A run of the backend, or a request, over a connection to gpsd's socket.
final class GPSDSession: Session, ConnectionHandler {
  let transport: any Transport
  private let host: String
  private let port: Int
  private let statistics: Locked<GPSDStatistics>
  let outlet: EventOutlet
  /// Receives complete reports; nil for a run that converts reports to backend events.
  private let reports: ReportOutlet?

  var state: SessionState<SocketStateMachine>
  // Every report accesses these properties. Dynamic exclusivity checks are disabled: only one
  // thread accesses them, and no access is reentrant.
  @safe @exclusivity(unchecked) private var reader: ReportReader
  @safe @exclusivity(unchecked) private var classes = GPSDStatistics.Classes()
  private var connection: (any Connection)?
  private var lookup: LookupID?
  /// Whether gpsd has sent its banner on this connection.
  @safe @exclusivity(unchecked) private var isGreeted = false
  /// Whether the current chunk contains reports of receivers.
  @safe @exclusivity(unchecked) private var sawReports = false
  /// When the current chunk arrived.
  @safe @exclusivity(unchecked) private var arrival = Duration.zero

  init(
    _ configuration: GPSDConfiguration, purpose: SocketStateMachine.Configuration.Purpose,
    wanted: WantedKinds, nameLimit: DeviceNameLimit = DeviceNameLimit(), transport: any Transport,
    statistics: Locked<GPSDStatistics>, generator: sending any RandomNumberGenerator,
    reports: ReportOutlet? = nil, emit: @escaping EventOutlet.Emit
  ) {
    self.transport = transport
    self.reports = reports
    self.statistics = statistics
    outlet = EventOutlet(
      configuration, wanted: wanted, nameLimit: nameLimit, transport: transport,
      statistics: statistics, isWatching: purpose == .watch, emit: emit)
    host = configuration.host
    port = configuration.port
    state = SessionState(
      SocketStateMachine(configuration.socket(for: purpose, flags: reports?.flags ?? [])),
      generator: generator)
    reader = ReportReader(maximumLineLength: configuration.maximumLineLength)
  }

  func perform(_ action: SocketStateMachine.Action) {
    switch action {
    case .resolve:
      statistics.withLock { $0.attempts += 1 }
      lookup = transport.resolve(host: host, port: port) { [self] result in
        lookup = nil
        switch result {
        case .success(let addresses): happened(.link(.resolved(addresses)))
        case .failure(let failure): happened(.link(.resolutionFailed(failure)))
        }
      }
    case .open(let address):
      reader.reset()
      outlet.beginConnection()
      isGreeted = false
      connection = transport.open(address, handler: self)
    case .send(let command): connection?.send(command.bytes)
    }
  }

  func close() {
    if let lookup { transport.cancel(lookup) }
    lookup = nil
    connection?.close()
    connection = nil
  }
}

// MARK: - Connection events

extension GPSDSession {
  func connectionOpened() { happened(.link(.transportConnected)) }
  func connectionFailed(_ failure: TransportFailure) { happened(.link(.transportFailed(failure))) }
  func connectionClosed(_ failure: TransportFailure?) { happened(.link(.closedByPeer(failure))) }

  func connectionReceived(_ bytes: Span<UInt8>) {
    let before = reader.statistics
    sawReports = false
    classes = GPSDStatistics.Classes()
    if let reports {
      reports.beginChunk(of: bytes.count)
      var handler = ReportCollection(session: self, outlet: reports)
      reader.readWhole(bytes, with: &outlet.workspace.wholeDecoder, into: &handler)
    } else {
      arrival = transport.now()
      outlet.beginChunk()
      var session = self
      reader.read(bytes, with: &outlet.workspace.decoder, into: &session)
    }
    let after = reader.statistics
    if after.lines > before.lines {
      decide(.link(.linesArrived(reports: sawReports)))
      postponeSilence()
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
    guard !outlet.hasEnded, connection != nil else { return false }
    if !isGreeted { decide(.link(.lineWasNotGPSD("{\"class\":…"))) }
    return isGreeted
  }
}

extension GPSDSession: ReportHandler {
  func handle(_ report: borrowing TPV) {
    if accepts({ $0.positions += 1 }) { outlet.assemble(report, arrival: arrival) }
  }

  func handle(_ report: borrowing SKY) {
    if accepts({ $0.skies += 1 }) { outlet.assemble(report, arrival: arrival) }
  }

  func handle(_ report: borrowing ATT) {
    if accepts({ $0.attitudes += 1 }) { outlet.assemble(report, arrival: arrival) }
  }

  func handle(inertial report: borrowing ATT) {
    if accepts({ $0.attitudes += 1 }) { outlet.assemble(inertial: report, arrival: arrival) }
  }

  /// Counts a report of a receiver. Returns false if the report must be ignored.
  @inline(__always)
  func accepts(_ count: (inout GPSDStatistics.Classes) -> Void) -> Bool {
    guard isListening() else { return false }
    count(&classes)
    sawReports = true
    return true
  }

  func handle(_ report: borrowing GPSDReport) { _ = accepts(report) }

  /// Counts a report of a class that has no `handle` method of its own, and passes versions,
  /// devices and errors to the state machine. Returns false if the report must be ignored.
  func accepts(_ report: borrowing GPSDReport) -> Bool {
    if case .version(let version) = copy report { return accepts(version) }
    guard isListening() else { return false }
    classes.count(report)
    switch copy report {
    case .tpv, .sky, .att, .imu, .gst, .toff, .pps,
      .osc, .poll, .ais, .rtcm2, .rtcm3, .subframe, .raw, .log, .other:
      sawReports = true
    case .devices(let list): decide(.link(.devicesReported(list.devices.compactMap(Receiver.init))))
    case .device(let device):
      if reports == nil { outlet.assemble(device, arrival: arrival) }
      if let receiver = Receiver(device) { decide(.link(.deviceReported(receiver))) }
    case .error(let error): decide(.link(.errorReported(error.message ?? "")))
    case .version, .watch: break
    }
    return true
  }

  /// Handles gpsd's banner or its answer to a version request. Returns false after the end of the
  /// run.
  private func accepts(_ version: VersionReport) -> Bool {
    guard !outlet.hasEnded, connection != nil else { return false }
    classes.others += 1
    if !isGreeted {
      let daemon = GPSDVersion(version)
      statistics.withLock { statistics in
        statistics.connections += 1
        statistics.daemon = daemon
      }
    }
    isGreeted = true
    decide(.link(.bannerReceived))
    return true
  }

  func handle(_ line: ReportReader.MalformedLine) { _ = accepts(line) }

  /// Returns false before gpsd's banner and after the end of the run. Before the banner, the first
  /// nonempty line fails the connection with `notGPSD`.
  func accepts(_ line: ReportReader.MalformedLine) -> Bool {
    guard !outlet.hasEnded, connection != nil else { return false }
    if !isGreeted, line.reason != .empty { decide(.link(.lineWasNotGPSD(line.excerpt))) }
    return isGreeted
  }
}

extension GPSDConfiguration {
  fileprivate func socket(
    for purpose: SocketStateMachine.Configuration.Purpose, flags: GPSDCommand.WatchFlags
  ) -> SocketStateMachine.Configuration {
    SocketStateMachine.Configuration(
      purpose: purpose, endpoint: endpoint, device: device, flags: flags,
      waitsForDevice: waitsForDevice,
      reconnection: reconnection, connectTimeout: connectTimeout,
      handshakeTimeout: handshakeTimeout, silenceTimeout: silenceTimeout)
  }
}
