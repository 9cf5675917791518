import AsyncLocation
import FoundationEssentials

/// Reads the NMEA 0183 sentences of a receiver. Skips bytes of other protocols between them.
///
/// The sentences of one time form an epoch, which has one location. At most ``maximumHeld`` epochs
/// before the first date are held, and then dated backwards from it. Without a date, they remain
/// undated.
struct NMEAReader: FormatReader {
  static let maximumHeld = 64
  /// The maximum number of waypoints; plotters repeat them each second.
  static let maximumWaypoints = 10_000
  /// A sentence has at most 82 characters; some receivers exceed this.
  private static let maximumLine = 1024
  /// The mode of the last GSA is no longer used after this many epochs without a GSA.
  private static let maximumEpochsWithoutMode = 60

  private var lines = LineSplitter(cap: maximumLine)
  private var clock: NMEAClock
  private var epoch: NMEAEpoch?
  private var held: [Held] = []
  /// False after ``maximumHeld`` epochs without a date: later epochs are not held.
  private var awaitsDate = true
  private var sky = NMEASky()
  /// The number of satellites in the last complete view.
  private var visibleCount: Int?
  /// The century of the last ZDA.
  private var century: Int?
  /// Whether a sentence had a checksum. Later sentences without one are truncated.
  private var hasChecksums = false
  /// The mode of the last GSA, and the number of epochs without a GSA since.
  private var mode: (value: Int, age: Int)?
  private var waypoints: Set<[Substring]> = []
  /// The waypoints as points. They are appended if no sentence has a position of the receiver.
  private var points: [RecordedPoint] = []
  private var hasPositions = false

  /// An epoch that is not dated yet.
  private struct Held {
    var epoch: Result
    /// Nil if the epoch has no time of its own.
    let timeOfDay: Double?
  }

  /// The values of an epoch, in the order of their events.
  private struct Result {
    let line: Int
    var satellites: [Satellite]?
    var fix: RecordedFix?
    var heading: Double?
    var time = RecordedTime.unknown

    var isEmpty: Bool { satellites == nil && fix == nil && heading == nil }
  }

  /// Whether a line is a sentence, possibly a damaged one.
  static func recognizes(_ line: ArraySlice<UInt8>) -> Bool {
    do throws(NMEASentence.Fault) {
      _ = try NMEASentence(line)
      return true
    } catch {
      return error != .notASentence
    }
  }

  /// - Parameter start: The approximate current time; dates are trusted up to ten years later.
  init(start: Date) { clock = NMEAClock(today: CivilTime.split(start).seconds / 86_400) }

  var cost: ReadingCost {
    var cost = lines.cost
    cost.held += held.count * MemoryLayout<Held>.stride + waypoints.count * Self.maximumLine
    return cost
  }

  var line: Int { lines.number }

  mutating func read(
    _ bytes: [UInt8], into output: inout RecordingOutput
  ) throws(RecordingError) {
    for line in lines.split(bytes) { handle(line, into: &output) }
  }

  mutating func finish(into output: inout RecordingOutput) throws(RecordingError) {
    for line in lines.finish() { handle(line, into: &output) }
    outputReadable(into: &output)
  }

  mutating func outputReadable(into output: inout RecordingOutput) {
    closeEpoch(into: &output)
    releaseHeld(before: nil, into: &output)
    if !hasPositions { for point in points { output.append(point) } }
    points = []
  }

  private mutating func handle(_ line: LineSplitter.Line, into output: inout RecordingOutput) {
    do throws(NMEASentence.Fault) {
      let sentence = try NMEASentence(line.bytes)
      if sentence.hasChecksum { hasChecksums = true }
      guard sentence.hasChecksum || !hasChecksums else { throw .noChecksum }
      handle(sentence, line: line.number, into: &output)
    } catch {
      if let reason = error.reason { output.skip(line: line.number, reason) }
    }
  }

  private mutating func handle(
    _ sentence: NMEASentence, line: Int, into output: inout RecordingOutput
  ) {
    guard sentence.talker != "P" else { return }
    guard !sentence.hasInvalidTime else {
      return output.skip(line: line, "the time of the sentence is not valid")
    }
    guard !sentence.hasInvalidPosition else {
      return output.skip(line: line, "the position of the sentence is not valid")
    }
    if sentence.type == "GSV" { return handleSky(sentence, line: line, into: &output) }
    if sentence.type == "WPL" { return handleWaypoint(sentence, line: line, into: &output) }
    if let epoch, epoch.ends(before: sentence) { closeEpoch(into: &output) }
    var current = epoch ?? NMEAEpoch(line: line)
    current.handle(sentence)
    if let day = statedDay(sentence) { current.day = day }
    epoch = current
  }

  private mutating func handleWaypoint(
    _ sentence: NMEASentence, line: Int, into output: inout RecordingOutput
  ) {
    guard let position = sentence.position(1), !waypoints.contains(sentence.fields) else { return }
    guard waypoints.count < Self.maximumWaypoints else {
      return output.skip(line: line, "there are more than \(Self.maximumWaypoints) waypoints")
    }
    waypoints.insert(sentence.fields)
    let fix = RecordedFix(latitude: position.latitude, longitude: position.longitude)
    output.append(
      WaypointText(name: sentence[5].map(String.init)), fix, line: line, mayBeTrack: false)
    points.append(RecordedPoint(fix: fix, kind: .waypoint, beginsSegment: false, line: line))
  }

  private mutating func handleSky(
    _ sentence: NMEASentence, line: Int, into output: inout RecordingOutput
  ) {
    if epoch == nil { epoch = NMEAEpoch(line: line) }
    sky.handle(sentence)
  }

  /// The date of a sentence, if it can be trusted.
  private mutating func statedDay(_ sentence: NMEASentence) -> Int? {
    switch sentence.type {
    case "ZDA":
      guard let day = sentence.integer(2), let month = sentence.integer(3),
        let year = sentence.integer(4),
        let trusted = clock.trustedDay(CivilTime.day(year: year, month: month, day: day))
      else { return nil }
      century = year / 100 * 100
      return trusted
    case "RMC": return clock.trustedDay(NMEAClock.day(sentence[9], century: century))
    default: return nil
    }
  }

  // MARK: Epochs

  private mutating func closeEpoch(into output: inout RecordingOutput) {
    guard let epoch else { return }
    self.epoch = nil
    var result = Result(line: epoch.line, heading: epoch.heading)
    if sky.isComplete {
      let satellites = sky.takeSatellites(used: epoch.used)
      visibleCount = satellites.count
      result.satellites = satellites
    }
    if let value = epoch.mode {
      mode = (value, 0)
    } else if let age = mode?.age {
      mode = age < Self.maximumEpochsWithoutMode ? (mode?.value ?? 1, age + 1) : nil
    }
    result.fix = epoch.located(lastMode: mode?.value)
    if epoch.reportsPosition { hasPositions = true }
    if epoch.reportsPosition, result.fix == nil { output.omitUnlocated() }
    result.fix?.satellitesVisible = visibleCount
    date(result, epoch, into: &output)
  }

  /// Dates an epoch and delivers it, or holds it until a date is known.
  private mutating func date(
    _ result: Result, _ epoch: NMEAEpoch, into output: inout RecordingOutput
  ) {
    var result = result
    guard let timeOfDay = epoch.timeOfDay else {
      return held.isEmpty
        ? deliver(result, into: &output) : hold(result, timeOfDay: nil, into: &output)
    }
    let wasDated = clock.isDated
    if let seconds = clock.date(timeOfDay, stated: epoch.day) {
      if !wasDated { releaseHeld(before: seconds, into: &output) }
      result.time = .date(NMEAClock.date(seconds))
      return deliver(result, into: &output)
    }
    result.time = .timeOfDay(timeOfDay)
    guard awaitsDate else { return deliver(result, into: &output) }
    hold(result, timeOfDay: timeOfDay, into: &output)
  }

  private mutating func hold(
    _ result: Result, timeOfDay: Double?, into output: inout RecordingOutput
  ) {
    guard !result.isEmpty else { return }
    held.append(Held(epoch: result, timeOfDay: timeOfDay))
    guard held.count >= Self.maximumHeld else { return }
    awaitsDate = false
    releaseHeld(before: nil, into: &output)
  }

  /// Delivers the held epochs.
  ///
  /// - Parameter date: Seconds since 1970 of the first epoch after them, from which the epochs
  ///   directly before it are dated; nil if there is no date.
  private mutating func releaseHeld(before date: Double?, into output: inout RecordingOutput) {
    if var next = date {
      for index in held.indices.reversed() {
        guard let timeOfDay = held[index].timeOfDay else { continue }
        let midnight = (next / 86_400).rounded(.down) * 86_400
        var seconds = midnight + timeOfDay
        if seconds > next { seconds -= 86_400 }
        // Within a gap of an hour or more, the receiver may have been off for days.
        guard next - seconds < 3600 else { break }
        held[index].epoch.time = .date(NMEAClock.date(seconds))
        next = seconds
      }
    }
    for epoch in held { deliver(epoch.epoch, into: &output) }
    held = []
  }

  private func deliver(_ result: Result, into output: inout RecordingOutput) {
    if let satellites = result.satellites {
      append(result, into: &output) { (placement, source) throws(LocationError) in
        .satellites(
          try SatelliteView(
            timestamp: source.timeSource == .receiver ? placement.timestamp : nil,
            satellites: satellites,
            dilutionOfPrecision: result.fix?.dilution, sourceInformation: source))
      }
    }
    if var fix = result.fix {
      fix.time = result.time
      output.append(fix, line: result.line)
    }
    if let heading = result.heading {
      append(result, into: &output) { (placement, source) throws(LocationError) in
        .heading(
          try Heading(
            trueHeading: heading, timestamp: placement.timestamp, source: .compass,
            sourceInformation: source))
      }
    }
  }

  private func append(
    _ result: Result, into output: inout RecordingOutput,
    _ make: (RecordingPacer.Placement, SourceInformation) throws(LocationError) -> BackendEvent
  ) {
    do throws(LocationError) {
      try output.append(at: result.time, isLocation: false) { (placement) throws(LocationError) in
        try make(
          placement, SourceInformation(isSimulated: true, timeSource: placement.timeSource))
      }
    } catch {
      output.skip(line: result.line, error.message)
    }
  }
}

extension NMEASentence.Fault {
  /// The reason to report for the skipped line; nil for a line that is not a sentence, which is not
  /// reported.
  fileprivate var reason: String? {
    switch self {
    case .notASentence: nil
    case .wrongChecksum: "the checksum is wrong: the sentence was damaged on its way"
    case .noChecksum: "the checksum is missing: the sentence is cut"
    case .invalidCharacter: "the sentence contains bytes that are not printable ASCII"
    }
  }
}
