import AsyncLocation
import GPSDReports
import LocationTransport

/// A run of the backend that reads a local gpsd's shared memory.
final class SharedMemorySession: Session {
  let transport: any Transport
  private let device: String?
  private let statistics: Locked<GPSDStatistics>
  let outlet: EventOutlet

  var state: SessionState<SharedMemoryStateMachine>
  private var reader: ReportReader
  private var segment: SharedMemorySegment?
  /// The last record that was delivered from the current segment.
  private var lastRecord: SharedMemoryRecord?

  init(
    _ configuration: GPSDConfiguration, wanted: WantedKinds,
    nameLimit: DeviceNameLimit = DeviceNameLimit(), transport: any Transport,
    statistics: Locked<GPSDStatistics>, generator: sending any RandomNumberGenerator,
    emit: @escaping EventOutlet.Emit
  ) {
    self.transport = transport
    self.statistics = statistics
    outlet = EventOutlet(
      configuration, wanted: wanted, nameLimit: nameLimit, transport: transport,
      statistics: statistics, emit: emit)
    device = configuration.device
    state = SessionState(
      SharedMemoryStateMachine(
        SharedMemoryStateMachine.Configuration(
          endpoint: configuration.endpoint, interval: configuration.sharedMemoryInterval,
          silenceTimeout: configuration.silenceTimeout,
          reconnection: configuration.reconnection)),
      generator: generator)
    reader = ReportReader(maximumLineLength: configuration.maximumLineLength)
  }

  func perform(_ action: SharedMemoryStateMachine.Action) {
    switch action {
    case .attach: attach()
    case .read: readRecord()
    }
  }

  func close() { segment = nil }

  private func attach() {
    statistics.withLock { $0.attempts += 1 }
    do throws(LocationError) {
      segment = try SharedMemorySegment()
      lastRecord = nil
      statistics.withLock { $0.connections += 1 }
      decide(.link(.attached))
    } catch {
      decide(.link(.failed(error)))
    }
  }

  private func readRecord() {
    do throws(LocationError) {
      guard let record = try segment?.read() else { return decide(.link(.unchanged)) }
      // gpsd keeps one record for all receivers. Records of other receivers are ignored.
      let isWanted = device == nil || record.device == device
      if isWanted { receive(record) }
      decide(.link(.changed(device: record.device, isWanted: isWanted)))
    } catch {
      decide(.link(.failed(error)))
    }
  }

  private func receive(_ record: SharedMemoryRecord) {
    let lines = record.lines(since: lastRecord)
    lastRecord = record
    let before = reader.statistics
    let arrival = transport.now()
    outlet.beginChunk()
    var assembly = Assembly(outlet: outlet, arrival: arrival)
    reader.read(lines.span, with: &outlet.workspace.decoder, into: &assembly)
    let (after, classes) = (reader.statistics, assembly.classes)
    statistics.withLock { statistics in
      statistics.add(after, since: before)
      statistics.classes += classes
    }
  }
}

/// Assembles the events of a record's lines.
private struct Assembly: ReportHandler {
  let outlet: EventOutlet
  let arrival: Duration
  var classes = GPSDStatistics.Classes()

  mutating func handle(_ report: borrowing TPV) {
    classes.positions += 1
    outlet.assemble(report, arrival: arrival)
  }

  mutating func handle(_ report: borrowing SKY) {
    classes.skies += 1
    outlet.assemble(report, arrival: arrival)
  }

  mutating func handle(_ report: borrowing ATT) {
    classes.attitudes += 1
    outlet.assemble(report, arrival: arrival)
  }

  // Records contain no other reports. Overlong lines are counted by the reader.
  mutating func handle(inertial report: borrowing ATT) {}
  mutating func handle(_ report: borrowing GPSDReport) {}
  mutating func handle(_ line: ReportReader.MalformedLine) {}
}
