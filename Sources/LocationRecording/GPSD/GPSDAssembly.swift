import AsyncLocation
import FoundationEssentials
import GPSDReports

/// Assembles the events of recorded reports as a connection does. Pure: the times of the reports
/// are its clock.
///
/// A TPV report with another time, or without a time, begins an epoch. All reports of an epoch are
/// treated as if they arrived together, so that the epoch has one location with the values of all
/// its reports.
struct GPSDAssembly: ReportValueHandler {
  private var assembler = EventAssembler()
  /// The events of the open epoch; later reports may change them. The host's clock is not
  /// recorded: the early date prevents the assembler from comparing the receiver's clock with it.
  private var batch = EventBatch { Date(timeIntervalSinceReferenceDate: 0) }
  private var complete: [BackendEvent] = []
  private var malformed: ReportReader.MalformedLine?
  /// The time of the open epoch.
  private var epoch: Date?
  /// The latest time of all reports.
  private var latest: Date?
  /// Whether an epoch is open.
  private var isOpen = false
  /// Whether the last TPV report had a fix, but no readable coordinates.
  private var lacksPosition = false

  /// The maximum number of seconds by which the clock advances between two epochs.
  private static let longestStep = 86_400.0

  mutating func handle(_ report: borrowing GPSDReport) {
    let report = copy report
    if case .tpv(let position) = report {
      lacksPosition =
        (position.mode ?? 0) > 1 && (position.latitude == nil || position.longitude == nil)
      beginEpoch(at: position.time)
    } else if !isOpen {
      beginChunk()
    }
    assembler.add(report, to: &batch)
  }

  mutating func handle(_ line: ReportReader.MalformedLine) { malformed = line }

  /// Returns whether the last TPV report had a fix, but no readable coordinates, and forgets it.
  mutating func takeLackOfPosition() -> Bool {
    defer { lacksPosition = false }
    return lacksPosition
  }

  /// The problem of the last line; nil if it was a report, empty or not an object.
  mutating func takeMalformed() -> String? {
    defer { malformed = nil }
    switch malformed?.reason {
    case nil, .empty, .notAnObject: return nil
    case .invalid: return "it is not valid JSON"
    case .tooDeep: return "its brackets are nested too deeply"
    case .noClass: return "it has no class"
    case .tooLong: return "it is too long"
    }
  }

  /// Completes the open epoch.
  mutating func finish() {
    assembler.closeEpochs(to: &batch)
    beginChunk()
  }

  /// Moves the events of complete epochs into an output.
  mutating func move(into output: inout RecordingOutput) {
    for event in complete { output.append(recorded: event) }
    complete.removeAll(keepingCapacity: true)
  }

  private mutating func beginEpoch(at time: Date?) {
    guard !isOpen || time == nil || time != epoch else { return }
    if let time {
      let step = latest.map { time.timeIntervalSince($0) } ?? 0
      // The times of the reports are the assembler's clock.
      batch.arrival += .milliseconds(Int64(min(max(step, 0), Self.longestStep) * 1000))
      latest = max(latest ?? time, time)
    }
    epoch = time
    beginChunk()
  }

  /// Completes the events so far, and begins a chunk: the reports of one epoch.
  private mutating func beginChunk() {
    complete += batch.events
    batch.events.removeAll(keepingCapacity: true)
    assembler.beginChunk(.all)
    isOpen = true
  }
}

extension RecordingOutput {
  /// Appends an event of the assembler, marked as simulated, and with a time of the recording if
  /// the receiver reported none.
  fileprivate mutating func append(recorded event: BackendEvent) {
    let (source, date, isLocation): (SourceInformation?, Date?, Bool) =
      switch event {
      case .location(let location): (location.sourceInformation, location.timestamp, true)
      case .heading(let heading): (heading.sourceInformation, heading.timestamp, false)
      case .satellites(let view): (view.sourceInformation, view.timestamp, false)
      default: (nil, nil, false)
      }
    let isDated = source.map { $0.timeSource != .host } ?? false
    let time = isDated ? date.map(RecordedTime.date) ?? .unknown : .unknown
    // The event was valid, and placements are in range, so this cannot fail.
    try? appendReport(at: time, isLocation: isLocation) { (placement) throws(LocationError) in
      try event.recorded(at: isDated ? nil : placement.timestamp)
    }
  }
}

extension BackendEvent {
  /// The event marked as simulated.
  ///
  /// - Parameter timestamp: The replacement of the host's time; nil to retain the receiver's time.
  ///   A satellite view never has the host's time.
  fileprivate func recorded(at timestamp: Date?) throws(LocationError) -> Self {
    switch self {
    case .location(let location):
      .location(
        try location.with {
          $0.timestamp = timestamp ?? $0.timestamp
          $0.sourceInformation = $0.sourceInformation?.simulated
        })
    case .heading(let heading):
      .heading(
        try heading.with {
          $0.timestamp = timestamp ?? $0.timestamp
          $0.sourceInformation = $0.sourceInformation?.simulated
        })
    case .satellites(let view):
      .satellites(
        try SatelliteView(
          timestamp: view.timestamp, satellites: view.satellites,
          dilutionOfPrecision: view.dilutionOfPrecision,
          sourceInformation: view.sourceInformation?.simulated))
    default: self
    }
  }
}

extension SourceInformation {
  /// The same source in a replay.
  fileprivate var simulated: Self {
    Self(
      isSimulated: true, deviceID: deviceID, timeSource: timeSource, isPreferred: isPreferred)
  }
}
