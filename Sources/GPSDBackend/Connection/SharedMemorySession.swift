import AsyncLocation
import FoundationEssentials

/// Carries out what ``SharedMemoryStateMachine`` decides: a local gpsd's memory, for one run.
final class SharedMemorySession: Session {
  private let transport: any Transport
  private let device: String?
  private let statistics: Locked<GPSDStatistics>
  private var emit: GPSDSession.Emit?
  private var completion: ((Result<Void, any Error>) -> Void)?

  private var machine: SharedMemoryStateMachine
  private var generator: any RandomNumberGenerator
  private var reader: ReportReader
  private var assembler: EventAssembler
  private var preference = PreferenceWatch()
  private var events: [BackendEvent] = []
  private var segment: SharedMemorySegment?
  private var last: SharedMemoryRecord?
  private var timer: TimerID?
  private var outcome: Result<Void, any Error>?

  init(
    _ configuration: GPSDConfiguration, transport: any Transport,
    statistics: Locked<GPSDStatistics>, generator: sending any RandomNumberGenerator,
    emit: @escaping GPSDSession.Emit
  ) {
    self.transport = transport
    self.statistics = statistics
    self.generator = generator
    self.emit = emit
    device = configuration.device
    assembler = EventAssembler(configuration)
    machine = SharedMemoryStateMachine(
      SharedMemoryStateMachine.Configuration(
        endpoint: configuration.endpoint, interval: configuration.sharedMemoryInterval,
        silenceTimeout: configuration.silenceTimeout, reconnection: configuration.reconnection))
    reader = ReportReader(maximumLineLength: configuration.maximumLineLength)
  }

  func start(_ completion: @escaping (Result<Void, any Error>) -> Void) {
    if let outcome { return completion(outcome) }
    self.completion = completion
    happened(.started)
  }

  func stop() { happened(.stopped) }

  private func happened(_ event: SharedMemoryStateMachine.Event) {
    decide(event)
    flush()
  }

  private func decide(_ event: SharedMemoryStateMachine.Event) {
    guard outcome == nil else { return }
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
    case .report(let state):
      tell(preference.state(state, assembler))
    case .reportUnavailable(let error): events.append(.unavailable(error))
    case .reportDenied: events.append(.authorization(.denied))
    case .fail(let error): outcome = .failure(error)
    case .end: outcome = .failure(CancellationError())
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
    // gpsd keeps one record for all receivers: the other ones' turns are left out.
    if let device, record.device != device { return }
    let lines = record.lines(since: last)
    last = record
    let before = reader.statistics
    let arrival = transport.now()
    var classes = GPSDStatistics.Classes()
    lines.withUnsafeBytes { bytes in
      reader.read(bytes) { item in
        guard case .report(let report) = item else { return }
        classes.count(report)
        let count = events.count
        assembler.add(report, arrival: arrival, at: { Date() }, to: &events)
        guard assembler.preferred != preference.seen, let state = preference.change(assembler)
        else { return }
        tell(state)
        events.insert(events.removeLast(), at: count)
      }
    }
    let after = reader.statistics
    statistics.withLock { [classes] statistics in
      statistics.add(after, since: before)
      statistics.classes += classes
    }
  }

  private func tell(_ state: ConnectionState) {
    statistics.withLock { $0.take(state) }
    events.append(.connection(state))
  }

  private func disarm() {
    guard let timer else { return }
    transport.cancel(timer)
    self.timer = nil
  }

  private func flush() {
    if !events.isEmpty {
      emit?(events)
      events.removeAll(keepingCapacity: true)
    }
    guard let outcome, let completion else { return }
    if case .failure(let error) = outcome, error is CancellationError {
      statistics.withLock { $0.enter(.idle) }
    }
    self.completion = nil
    emit = nil
    completion(outcome)
  }
}
