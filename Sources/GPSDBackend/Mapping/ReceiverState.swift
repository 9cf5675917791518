import AsyncLocation
import FoundationEssentials

/// What is known of one receiver between its reports.
struct ReceiverState {
  private enum Fix { case unknown, present, lost }

  /// After so many fixes without one from a compass, the course speaks for the heading again.
  private static let compassPatience = 30
  /// After so many fixes without a view of the sky, the last one says nothing of them.
  private static let skyPatience = 60

  /// gpsd's device path; nil for reports that have none.
  let name: String?
  /// What reports of it bear for its name; none when no more names are kept.
  let device: DeviceID
  let id: ReceiverSelection.ID
  /// The number of the last report among all receivers'.
  var lastReport = 0
  /// When an ATT with a heading arrived last.
  var lastAttitude: Duration?
  /// Which of its reports make a location.
  var epoch = EpochStateMachine()
  /// The numbers of the epoch's reports so far.
  var epochReport = TPV()
  /// Where the events of the epoch that was delivered last lie in its chunk's.
  var epochEvents = 0..<0
  private var fix = Fix.unknown
  private var clock = ReceiverClock()
  private var dilution: DilutionOfPrecision?
  private var satellitesUsed: Int?
  private var satellitesVisible: Int?
  private var fixesSinceSky = 0
  /// Fixes since a compass spoke; nil when none does.
  private var fixesSinceCompass: Int?

  init(name: String?, device: DeviceID, id: ReceiverSelection.ID) {
    (self.name, self.device, self.id) = (name, device, id)
  }

  /// Takes a report with a fix, and keeps the numbers of one that is to be delivered at once.
  @inline(__always)
  mutating func take(
    _ report: borrowing TPV, chunk: Int?, _ arrival: Duration
  ) -> EpochStateMachine.Decision {
    let decision = epoch.reported(at: report[.time], report.motion, chunk: chunk, arrival)
    if decision == EpochStateMachine.Decision(.deliver) {
      epochReport.replaceNumbers(with: report)
    }
    return decision
  }

  /// Whom a report serves: those who name no receiver too, with positions and with courses.
  struct Preference {
    var positions = true
    var courses = true
  }

  /// When a fix was true, and whose it is.
  typealias Origin = (timestamp: Date, source: SourceInformation)

  /// A receiver's position; nil when it is none.
  @inline(__always)
  mutating func add(
    _ report: borrowing TPV, _ preference: Preference,
    _ horizon: inout ReceiverClock.Horizon, _ hostTime: () -> Date,
    to events: inout [BackendEvent]
  ) -> Origin? {
    guard let mode = GNSSFix.Mode(report), let latitude = report[.latitude],
      let longitude = report[.longitude]
    else { return nil }
    let (time, timeSource) = fixTime(
      report.time, isThreeDimensional: mode == .threeDimensional, &horizon, hostTime)
    var timestamp = time
    if timeSource == .host {
      do throws(LocationError) {
        timestamp = try Timestamp.exact(time, "timestamp")
      } catch {
        // A host whose clock is outside of the calendar: nothing can be dated.
        fix = .lost
        if preference.positions { events.append(.unavailable(error)) }
        epochEvents = events.count..<events.count
        return nil
      }
    }
    let status = GNSSFix.Status(report)
    let source = SourceInformation(
      isSimulated: status == .simulated, deviceID: device, timeSource: timeSource,
      isPreferred: preference.positions)
    if fixesSinceSky < Self.skyPatience {
      fixesSinceSky += 1
    } else {
      (dilution, satellitesUsed, satellitesVisible) = (nil, nil, nil)
    }
    fix = .present
    epochEvents = events.count..<events.count + 1
    // The decoder has checked every number, by the same ranges.
    events.append(
      .location(
        Location(
          checked: Coordinate(checkedLatitude: latitude, longitude: longitude),
          timestamp: timestamp, altitude: report.bestAltitude,
          ellipsoidalAltitude: report[.ellipsoidalAltitude],
          horizontalAccuracy: report.horizontalAccuracy,
          verticalAccuracy: report[.verticalError], speed: report[.speed],
          speedAccuracy: report[.speedError], course: report.course,
          courseAccuracy: report.courseAccuracy, climb: report[.climb],
          sourceInformation: source,
          gnss: GNSSFix(
            checked: mode, status: status, dilutionOfPrecision: dilution,
            satellitesUsed: satellitesUsed, satellitesVisible: satellitesVisible,
            magneticVariation: report[.magneticVariation],
            geoidSeparation: report[.geoidSeparation],
            differentialAge: report[.differentialAge],
            differentialStation: report[.differentialStation].map { Int($0) },
            timeUncertainty: report[.timeError], jamming: report[.jamming].map { Int($0) },
            antennaStatus: report[.antennaStatus].map { Int($0) }))))
    return (timestamp, source)
  }

  /// The course of a fix, for want of a compass.
  mutating func addCourse(
    of report: borrowing TPV, _ origin: Origin, _ preference: Preference,
    to events: inout [BackendEvent]
  ) {
    if let silence = fixesSinceCompass {
      fixesSinceCompass = silence < Self.compassPatience ? silence + 1 : nil
      return
    }
    guard let course = report.course else { return }
    let source = SourceInformation(
      isSimulated: origin.source.isSimulated, deviceID: device,
      timeSource: origin.source.timeSource,
      isPreferred: preference.courses)
    let heading = try? Heading(
      trueHeading: course, magneticHeading: report.measuredMagneticTrack,
      headingAccuracy: report.courseAccuracy, timestamp: origin.timestamp,
      source: .courseOverGround, sourceInformation: source)
    guard let heading else { return }
    events.append(.heading(heading))
    epochEvents = epochEvents.lowerBound..<events.count
  }

  /// A receiver's geometry and satellites, which its next fixes quote; a view of the sky if that is
  /// wanted.
  mutating func add(
    _ report: borrowing SKY, isPreferred: Bool, isWanted: Bool,
    _ horizon: inout ReceiverClock.Horizon,
    _ hostTime: () -> Date, to events: inout [BackendEvent]
  ) {
    fixesSinceSky = 0
    if let reported = DilutionOfPrecision(report) { dilution = reported }
    let list = report.satellites
    satellitesUsed =
      report[.usedCount].map(Int.init)
      ?? list.map { $0.count { $0[.isUsed] == 1 } }.flatMap(Self.count) ?? satellitesUsed
    satellitesVisible =
      report[.visibleCount].map(Int.init) ?? list.flatMap { Self.count($0.count) }
      ?? satellitesVisible
    guard let list, isWanted else { return }
    let (timestamp, timeSource) = time(report.time, &horizon, hostTime)
    let view = try? SatelliteView(
      timestamp: timeSource == .receiver ? timestamp : nil,
      satellites: list.compactMap(Satellite.init), dilutionOfPrecision: dilution,
      sourceInformation: SourceInformation(
        deviceID: device, timeSource: timeSource, isPreferred: isPreferred))
    if let view { events.append(.satellites(view)) }
  }

  /// A compass' heading; reports of other attitudes alone mean no event.
  mutating func add(
    _ report: borrowing ATT, isPreferred: Bool, _ horizon: inout ReceiverClock.Horizon,
    _ hostTime: () -> Date, to events: inout [BackendEvent]
  ) {
    let (timestamp, timeSource) = time(report.time, &horizon, hostTime)
    var field: Heading.MagneticField?
    if let x = report[.magneticX], let y = report[.magneticY], let z = report[.magneticZ] {
      field = try? Heading.MagneticField(x: x, y: y, z: z)
    }
    let heading = try? Heading(
      trueHeading: report[.heading], magneticHeading: report[.magneticHeading],
      magneticField: field, timestamp: timestamp, source: .compass,
      sourceInformation: SourceInformation(
        deviceID: device, timeSource: timeSource, isPreferred: isPreferred))
    guard let heading else { return }
    fixesSinceCompass = 0
    events.append(.heading(heading))
  }

  /// gpsd let the receiver go. True when it was not without a fix already.
  mutating func removed() -> Bool {
    defer {
      self = Self(name: name, device: device, id: id)
      fix = .lost
    }
    return lose()
  }

  /// It has no fix. True when that is news.
  mutating func lose() -> Bool {
    clock.lostFix()
    guard fix != .lost else { return false }
    fix = .lost
    return true
  }

  /// The receiver's time when it can be right, else the host's.
  @inline(__always)
  private mutating func time(
    _ time: Date?, _ horizon: inout ReceiverClock.Horizon, _ hostTime: () -> Date
  ) -> (Date, SourceInformation.TimeSource) {
    if let time, clock.accepts(time, &horizon, hostTime: hostTime) { return (time, .receiver) }
    return (hostTime(), .host)
  }

  /// The same for a fix, whose times are what proves a clock.
  @inline(__always)
  private mutating func fixTime(
    _ time: Date?, isThreeDimensional: Bool, _ horizon: inout ReceiverClock.Horizon,
    _ hostTime: () -> Date
  ) -> (Date, SourceInformation.TimeSource) {
    guard let time, clock.accepts(time, &horizon, hostTime: hostTime) else {
      clock.lostFix()
      return (hostTime(), .host)
    }
    clock.fixed(at: time, isThreeDimensional: isThreeDimensional)
    return (time, clock.isProved ? .receiver : .provisional)
  }

  private static func count(_ count: Int) -> Int? { count <= 1000 ? count : nil }
}
