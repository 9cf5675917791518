import AsyncLocation
import FoundationEssentials

/// What is known of one receiver between its reports.
struct ReceiverState {
  private enum Fix { case unknown, present, lost }

  /// After so many fixes without one from a compass, the course speaks for the heading again.
  private static let compassPatience = 30

  /// gpsd's device path; nil for reports that have none.
  let name: String?
  /// The number of the last report among all receivers'.
  var lastReport = 0
  private var fix = Fix.unknown
  private var clock = ReceiverClock()
  private var dilution: DilutionOfPrecision?
  private var satellitesUsed: Int?
  private var satellitesVisible: Int?
  /// Fixes since a compass spoke; nil when none does.
  private var fixesSinceCompass: Int?

  init(name: String?) { self.name = name }

  /// A receiver's position, or the lack of it, and its course for want of a compass.
  @inline(__always)
  mutating func add(
    _ report: TimePositionVelocityReport, _ horizon: inout ReceiverClock.Horizon,
    _ hostTime: () -> Date, to events: inout [BackendEvent]
  ) {
    guard let mode = GNSSFix.Mode(report), let latitude = report[.latitude],
      let longitude = report[.longitude]
    else { return lose(Self.noFix, to: &events) }
    let (timestamp, timeSource) = time(report.time, &horizon, hostTime)
    let status = GNSSFix.Status(report)
    let source = SourceInformation(
      isSimulated: status == .simulated, device: name, timeSource: timeSource)
    do throws(LocationError) {
      let gnss = try GNSSFix(
        mode: mode, status: status, dilutionOfPrecision: dilution,
        satellitesUsed: satellitesUsed, satellitesVisible: satellitesVisible,
        magneticVariation: report[.magneticVariation], geoidSeparation: report[.geoidSeparation],
        differentialAge: report[.differentialAge],
        differentialStation: report[.differentialStation].map(Int.init),
        timeUncertainty: report[.timeError])
      events.append(
        .location(
          try Location(
            coordinate: Coordinate(latitude: latitude, longitude: longitude),
            timestamp: timestamp, altitude: report.bestAltitude,
            ellipsoidalAltitude: report[.ellipsoidalAltitude],
            horizontalAccuracy: report.horizontalAccuracy,
            verticalAccuracy: report[.verticalError], speed: report[.speed],
            speedAccuracy: report[.speedError], course: report.course,
            courseAccuracy: report.courseAccuracy, climb: report[.climb],
            sourceInformation: source, gnss: gnss)))
      fix = .present
    } catch {
      // A host whose clock is outside of the calendar: nothing can be dated.
      return lose({ _ in error.message }, to: &events)
    }
    if let silence = fixesSinceCompass {
      fixesSinceCompass = silence < Self.compassPatience ? silence + 1 : nil
    } else if let course = report.course,
      let heading = try? Heading(
        trueHeading: course, magneticHeading: report.measuredMagneticTrack,
        headingAccuracy: report.courseAccuracy, timestamp: timestamp, source: .courseOverGround,
        sourceInformation: source)
    {
      events.append(.heading(heading))
    }
  }

  /// A receiver's geometry and satellites, which its next fixes quote.
  mutating func add(
    _ report: SkyReport, _ horizon: inout ReceiverClock.Horizon, _ hostTime: () -> Date,
    to events: inout [BackendEvent]
  ) {
    if let reported = DilutionOfPrecision(report) { dilution = reported }
    let list = report.satellites
    satellitesUsed =
      report[.usedCount].map(Int.init)
      ?? list.map { $0.count { $0[.isUsed] == 1 } }.flatMap(Self.count) ?? satellitesUsed
    satellitesVisible =
      report[.visibleCount].map(Int.init) ?? list.flatMap { Self.count($0.count) }
      ?? satellitesVisible
    guard let list else { return }
    let (timestamp, timeSource) = time(report.time, &horizon, hostTime)
    let view = try? SatelliteView(
      timestamp: timeSource == .receiver ? timestamp : nil,
      satellites: list.compactMap(Satellite.init), dilutionOfPrecision: dilution,
      sourceInformation: SourceInformation(device: name, timeSource: timeSource))
    if let view { events.append(.satellites(view)) }
  }

  /// A compass' heading; reports of other attitudes alone mean no event.
  mutating func add(
    _ report: AttitudeReport, _ horizon: inout ReceiverClock.Horizon, _ hostTime: () -> Date,
    to events: inout [BackendEvent]
  ) {
    guard report[.heading] != nil || report[.magneticHeading] != nil else { return }
    let (timestamp, timeSource) = time(report.time, &horizon, hostTime)
    var field: Heading.MagneticField?
    if let x = report[.magneticX], let y = report[.magneticY], let z = report[.magneticZ] {
      field = try? Heading.MagneticField(x: x, y: y, z: z)
    }
    let heading = try? Heading(
      trueHeading: report[.heading], magneticHeading: report[.magneticHeading],
      magneticField: field, timestamp: timestamp, source: .compass,
      sourceInformation: SourceInformation(device: name, timeSource: timeSource))
    guard let heading else { return }
    fixesSinceCompass = 0
    events.append(.heading(heading))
  }

  /// gpsd let the receiver go.
  mutating func removed(to events: inout [BackendEvent]) {
    lose({ "\($0) is no longer attached to gpsd; plug it in again." }, to: &events)
    self = Self(name: name)
    fix = .lost
  }

  /// The receiver's time when it can be right, else the host's.
  @inline(__always)
  private mutating func time(
    _ time: Date?, _ horizon: inout ReceiverClock.Horizon, _ hostTime: () -> Date
  ) -> (Date, SourceInformation.TimeSource) {
    if let time, clock.accepts(time, &horizon, hostTime: hostTime) { return (time, .receiver) }
    return (hostTime(), .host)
  }

  /// Reports a loss once.
  private mutating func lose(
    _ message: (String) -> String, to events: inout [BackendEvent]
  ) {
    guard fix != .lost else { return }
    fix = .lost
    let receiver = name.map { "The receiver \(String(printable: $0))" } ?? "The receiver"
    events.append(.unavailable(LocationError(.locationUnknown, message(receiver))))
  }

  private static func noFix(_ receiver: String) -> String {
    "\(receiver) has no fix; give it time and its antenna a free view of the sky."
  }

  private static func count(_ count: Int) -> Int? { count <= 1000 ? count : nil }
}
