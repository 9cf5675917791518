import AsyncLocation

/// Performs the actions of ``SharedMemoryStateMachine`` for one run with a local gpsd's shared
/// memory.
final class SharedMemorySession: Session {
  private let transport: any Transport
  private let device: String?
  private let statistics: Locked<GPSDStatistics>
  private let outlet: SessionOutlet<Void>

  private var machine: SharedMemoryStateMachine
  private var generator: any RandomNumberGenerator
  private var reader: ReportReader
  private var segment: SharedMemorySegment?
  private var last: SharedMemoryRecord?
  private var timer: TimerID?

  init(
    _ configuration: GPSDConfiguration, wanted: WantedKinds,
    names: DeviceNameLimit = DeviceNameLimit(), transport: any Transport,
    statistics: Locked<GPSDStatistics>, generator: sending any RandomNumberGenerator,
    emit: @escaping GPSDSession.Emit
  ) {
    self.transport = transport
    self.statistics = statistics
    self.generator = generator
    outlet = SessionOutlet(
      configuration, wanted: wanted, names: names, transport: transport, statistics: statistics,
      emit: emit)
    device = configuration.device
    machine = SharedMemoryStateMachine(
      SharedMemoryStateMachine.Configuration(
        endpoint: configuration.endpoint, interval: configuration.sharedMemoryInterval,
        silenceTimeout: configuration.silenceTimeout, reconnection: configuration.reconnection))
    reader = ReportReader(maximumLineLength: configuration.maximumLineLength)
  }

  func start(_ completion: @escaping (Result<Void, any Error>) -> Void) {
    if outlet.begin(completion) { happened(.started) }
  }

  func stop() { happened(.stopped) }

  private func happened(_ event: SharedMemoryStateMachine.Event) {
    decide(event)
    outlet.flush()
  }

  private func decide(_ event: SharedMemoryStateMachine.Event) {
    guard !outlet.hasEnded else { return }
    for action in machine.handle(event, at: transport.now(), using: &generator) {
      perform(action)
    }
  }

  private func perform(_ action: SharedMemoryStateMachine.Action) {
    switch action {
    case .attach: attach()
    case .look: look()
    case .detach: segment = nil
    case .arm(let instant):
      disarm()
      timer = transport.arm(at: instant) { [self] in
        timer = nil
        happened(.timerFired)
      }
    case .disarm: disarm()
    case .report(let state): outlet.notify(state)
    case .reportUnavailable(let error): outlet.append(.unavailable(error))
    case .reportDenied: outlet.append(.authorization(.denied))
    case .fail(let error): outlet.end(.failure(error))
    case .end: outlet.end(.failure(CancellationError()))
    }
  }

  private func attach() {
    statistics.withLock { $0.attempts += 1 }
    do throws(LocationError) {
      segment = try SharedMemorySegment()
      last = nil
      statistics.withLock { $0.connections += 1 }
      decide(.attached)
    } catch {
      decide(.failed(error))
    }
  }

  private func look() {
    do throws(LocationError) {
      guard let record = try segment?.look() else { return decide(.unchanged) }
      take(record)
      decide(.changed(device: record.device))
    } catch {
      decide(.failed(error))
    }
  }

  private func take(_ record: SharedMemoryRecord) {
    // gpsd keeps one record for all receivers. Records of other receivers are ignored.
    if let device, record.device != device { return }
    let lines = record.lines(since: last)
    last = record
    let before = reader.statistics
    let arrival = transport.now()
    outlet.beginChunk()
    transport.workspace.decoder.keepsSatellites = outlet.makesSatelliteViews
    var assembly = Assembly(outlet: outlet, arrival: arrival)
    reader.read(lines.span, with: &transport.workspace.decoder, into: &assembly)
    let (after, classes) = (reader.statistics, assembly.classes)
    statistics.withLock { statistics in
      statistics.add(after, since: before)
      statistics.classes += classes
    }
  }

  private func disarm() {
    guard let timer else { return }
    transport.cancel(timer)
    self.timer = nil
  }
}

/// Assembles the events of a record's lines.
private struct Assembly: ReportHandler {
  let outlet: SessionOutlet<Void>
  let arrival: Duration
  var classes = GPSDStatistics.Classes()

  mutating func take(_ report: borrowing TPV) {
    classes.positions += 1
    outlet.assemble(report, arrival: arrival)
  }

  mutating func take(_ report: borrowing SKY) {
    classes.skies += 1
    outlet.assemble(report, arrival: arrival)
  }

  mutating func take(_ report: borrowing ATT) {
    classes.attitudes += 1
    outlet.assemble(report, arrival: arrival)
  }

  // Records contain no other reports.
  mutating func take(inertial report: borrowing ATT) {}
  mutating func take(_ report: borrowing GPSDReport) {}
  mutating func take(_ line: ReportReader.MalformedLine) {}
}
