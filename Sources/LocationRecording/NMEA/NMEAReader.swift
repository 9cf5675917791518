import AsyncLocation
import FoundationEssentials
import NMEASentences

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

  private var lines = LineSplitter(cap: maximumLine)
  private var epochs: NMEAEpochAssembler
  private var held: [Held] = []
  /// False after ``maximumHeld`` epochs without a date: later epochs are not held.
  private var awaitsDate = true
  /// Whether a sentence had a checksum. Later sentences without one are truncated.
  private var hasChecksums = false
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
  init(start: Date) {
    epochs = NMEAEpochAssembler(today: CivilTime.split(start).seconds / 86_400)
  }

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
    if let epoch = epochs.close() { handle(epoch, into: &output) }
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
    if sentence.type == "WPL" { return handleWaypoint(sentence, line: line, into: &output) }
    if let epoch = epochs.handle(sentence, line: line) { handle(epoch, into: &output) }
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

  // MARK: Epochs

  /// Delivers an epoch, or holds it until a date is known.
  private mutating func handle(
    _ epoch: NMEAEpochAssembler.Epoch, into output: inout RecordingOutput
  ) {
    var result = Result(
      line: epoch.line, satellites: epoch.satellites, fix: epoch.fix.map(RecordedFix.init),
      heading: epoch.heading)
    if epoch.reportsPosition { hasPositions = true }
    if epoch.reportsPosition, epoch.fix == nil { output.omitUnlocated() }
    switch epoch.time {
    case .unknown:
      guard !held.isEmpty else { return deliver(result, into: &output) }
      hold(result, timeOfDay: nil, into: &output)
    case .date(let seconds):
      if epoch.isFirstDated { releaseHeld(before: seconds, into: &output) }
      result.time = .date(NMEAClock.date(seconds))
      deliver(result, into: &output)
    case .timeOfDay(let timeOfDay):
      result.time = .timeOfDay(timeOfDay)
      guard awaitsDate else { return deliver(result, into: &output) }
      hold(result, timeOfDay: timeOfDay, into: &output)
    }
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

extension RecordedFix {
  fileprivate init(_ fix: NMEAFix) {
    self.init(latitude: fix.latitude, longitude: fix.longitude)
    (altitude, ellipsoidalAltitude) = (fix.altitude, fix.ellipsoidalAltitude)
    (horizontalAccuracy, verticalAccuracy) = (fix.horizontalAccuracy, fix.verticalAccuracy)
    (speed, course) = (fix.speed, fix.course)
    (mode, status) = (fix.mode, fix.status)
    horizontalDilution = fix.horizontalDilution
    verticalDilution = fix.verticalDilution
    positionDilution = fix.positionDilution
    (satellitesUsed, satellitesVisible) = (fix.satellitesUsed, fix.satellitesVisible)
    (magneticVariation, geoidSeparation) = (fix.magneticVariation, fix.geoidSeparation)
    (differentialAge, differentialStation) = (fix.differentialAge, fix.differentialStation)
  }
}
