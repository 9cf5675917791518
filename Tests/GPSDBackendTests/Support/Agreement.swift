import AsyncLocation
import Foundation
import Testing

/// Compares gpsd's reports of one receiver, read by Foundation, with the delivered values, field by
/// field. The library's rules are implemented here a second time, from its documentation.
struct Agreement: CustomStringConvertible {
  enum Delivered {
    case location(Location)
    case view(SatelliteView)
    case heading(Heading)

    init?(_ event: BackendEvent) {
      switch event {
      case .location(let location): self = .location(location)
      case .satellites(let view): self = .view(view)
      case .heading(let heading): self = .heading(heading)
      default: return nil
      }
    }
  }

  private(set) var reports = 0
  private(set) var locations = 0
  private(set) var views = 0
  private(set) var compassHeadings = 0
  private(set) var courses = 0
  /// The number of compared fields that gpsd has reported.
  private(set) var fields = 0
  /// The number of locations whose time is absent or implausible.
  private(set) var hostTimes = 0

  private var dilution: [String: Any] = [:]
  private var used: Int?
  private var visible: Int?
  private var fixesSinceSky = 0
  private var course: Double?
  /// Whether ATT has a heading; then IMU is ignored.
  private var hasAttitude = false

  var description: String {
    "\(reports) reports, \(locations) locations (\(hostTimes) dated by the host), \(views) views, "
      + "\(compassHeadings) headings of a compass, \(courses) by course, \(fields) fields compared"
  }

  static func += (left: inout Self, right: Self) {
    left.reports += right.reports
    left.locations += right.locations
    left.views += right.views
    left.compassHeadings += right.compassHeadings
    left.courses += right.courses
    left.fields += right.fields
    left.hostTimes += right.hostTimes
  }

  /// Stores the satellite values of the next report. Returns true if the report must produce an
  /// event.
  mutating func mustBeDelivered(_ report: [String: Any]) -> Bool {
    reports += 1
    let report = Report(report)
    switch report.name {
    case "TPV":
      return report.number("mode").map { $0 == 2 || $0 == 3 } ?? false
        && report.number("lat", -90...90) != nil && report.number("lon", -180...180) != nil
    case "SKY":
      fixesSinceSky = 0
      let names = ["hdop", "vdop", "pdop", "tdop", "gdop", "xdop", "ydop"]
      if names.contains(where: { report.number($0) != nil }) { dilution = report.object }
      let list = report.satellites
      used =
        report.integer("uSat") ?? list.map { $0.count { $0.object["used"] as? Bool == true } }
        ?? used
      visible = report.integer("nSat") ?? list?.count ?? visible
      return list != nil
    case "ATT", "IMU":
      let hasHeading =
        report.number("heading", 0...360) != nil || report.number("mheading", 0...360) != nil
      guard hasHeading, report.name == "ATT" || !hasAttitude else { return false }
      hasAttitude = report.name == "ATT"
      return true
    default: return false
    }
  }

  /// Compares a report with its events.
  mutating func compare(_ report: [String: Any], _ delivered: Delivered) {
    let report = Report(report)
    switch (report.name, delivered) {
    case ("TPV", .location(let location)): compare(report, location)
    case ("SKY", .view(let view)): compare(report, view)
    case ("ATT", .heading(let heading)), ("IMU", .heading(let heading)): compare(report, heading)
    default: Issue.record("\(report.object) is delivered as \(delivered)")
    }
  }

  /// Compares a heading by course with the course of the last compared location.
  mutating func compareCourse(_ heading: Heading) {
    courses += 1
    expectEqual(heading.trueHeading, course, "course")
  }

  private mutating func compare(_ fix: Report, _ location: Location) {
    locations += 1
    expectEqual(location.latitude, fix.number("lat"), "lat")
    expectEqual(location.longitude, fix.number("lon"), "lon")
    let ellipsoidal = fix.number("altHAE")
    // gpsd does not define the datum of `alt`.
    let otherAltitude = ellipsoidal == nil ? fix.number("alt") : nil
    expectEqual(location.altitude, fix.number("altMSL") ?? otherAltitude, "altMSL")
    expectEqual(location.ellipsoidalAltitude, ellipsoidal, "altHAE")
    let combinedError = fix.number("epx").flatMap { x in
      fix.number("epy").map { (hypot(x, $0) * 1_000).rounded() / 1_000 }
    }
    expectEqual(location.horizontalAccuracy, fix.number("eph") ?? combinedError, "eph")
    expectEqual(location.verticalAccuracy, fix.number("epv"), "epv")
    expectEqual(location.speed, fix.number("speed"), "speed")
    expectEqual(location.speedAccuracy, fix.number("eps"), "eps")
    // A stationary receiver has no course.
    let isMoving = fix.number("speed").map { $0 >= 0.5 } ?? true
    course = isMoving ? fix.number("track", 0...360) : nil
    expectEqual(location.course, course, "track")
    expectEqual(location.courseAccuracy, fix.number("epd", 0...180), "epd")
    expectEqual(location.climb, fix.number("climb"), "climb")
    let gnss = location.gnss
    expectEqual(gnss?.geoidSeparation, fix.number("geoidSep"), "geoidSep")
    expectEqual(gnss?.magneticVariation, fix.number("magvar"), "magvar")
    expectEqual(gnss?.timeUncertainty, fix.number("ept"), "ept")
    expectEqual(gnss?.differentialAge, fix.number("dgpsAge"), "dgpsAge")
    expectEqual(gnss?.differentialStation, fix.integer("dgpsSta"), "dgpsSta")
    expectEqual(gnss?.jamming, fix.integer("jam"), "jam")
    expectEqual(gnss?.antennaStatus, fix.integer("ant"), "ant")
    expectEqual(gnss?.mode == .threeDimensional, fix.number("mode") == 3, "mode")
    let statuses: [GNSSFix.Status?] = [
      nil, .autonomous, .differential, .rtkFixed, .rtkFloat, .deadReckoning,
      .combinedDeadReckoning, .surveyed, .simulated, .precise,
    ]
    expectEqual(gnss?.status, fix.integer("status").flatMap { statuses[$0] }, "status")
    // The values of a SKY report apply to the 60 fixes after it.
    let isFresh = fixesSinceSky < 60
    fixesSinceSky += 1
    let geometry = Report(isFresh ? dilution : [:])
    expectEqual(gnss?.satellitesUsed, isFresh ? used : nil, "uSat")
    expectEqual(gnss?.satellitesVisible, isFresh ? visible : nil, "nSat")
    expectEqual(gnss?.dilutionOfPrecision?.horizontal, geometry.number("hdop"), "hdop")
    expectEqual(gnss?.dilutionOfPrecision?.vertical, geometry.number("vdop"), "vdop")
    expectEqual(gnss?.dilutionOfPrecision?.position, geometry.number("pdop"), "pdop")
    expectEqual(location.sourceInformation?.device, fix.object["device"] as? String, "device")
    if location.sourceInformation?.timeSource == .host {
      hostTimes += 1
      // Absent, or before the first rollover of the GPS week, 1999-08-22.
      #expect(fix.date.map { $0.timeIntervalSince1970 < 935_280_000 } ?? true, "\(fix.object)")
    } else {
      expectEqual(location.timestamp, fix.date, "time")
    }
  }

  private mutating func compare(_ sky: Report, _ view: SatelliteView) {
    views += 1
    let geometry = Report(dilution)
    expectEqual(view.dilutionOfPrecision?.horizontal, geometry.number("hdop"), "hdop")
    expectEqual(view.dilutionOfPrecision?.vertical, geometry.number("vdop"), "vdop")
    expectEqual(view.dilutionOfPrecision?.position, geometry.number("pdop"), "pdop")
    if let timestamp = view.timestamp { expectEqual(timestamp, sky.date, "time") }
    let satellites = sky.satellites ?? []
    expectEqual(view.satellites.count, satellites.count, "satellites")
    for (satellite, reported) in zip(view.satellites, satellites) {
      expectEqual(satellite.prn, reported.integer("PRN"), "PRN")
      expectEqual(satellite.isUsed, reported.object["used"] as? Bool, "used")
      expectEqual(satellite.elevation, reported.number("el", -90...90), "el")
      expectEqual(satellite.azimuth, reported.number("az", 0...360), "az")
      expectEqual(satellite.signalStrength, reported.number("ss", 0...254), "ss")
      expectEqual(satellite.vehicle, reported.integer("svid"), "svid")
      expectEqual(satellite.signal, reported.integer("sigid"), "sigid")
      let isHealthy = [1: true, 2: false][reported.integer("health") ?? 0]
      expectEqual(satellite.isHealthy, isHealthy, "health")
    }
  }

  private mutating func compare(_ attitude: Report, _ heading: Heading) {
    compassHeadings += 1
    expectEqual(heading.source, .compass, "source")
    expectEqual(heading.trueHeading, attitude.number("heading", 0...360), "heading")
    expectEqual(heading.magneticHeading, attitude.number("mheading", 0...360), "mheading")
  }

  private mutating func expectEqual<Value: Equatable>(
    _ delivered: Value?, _ reported: Value?, _ name: String
  ) {
    #expect(delivered == reported, "\(name)")
    if reported != nil { fields += 1 }
  }

  /// A report as Foundation reads it.
  private struct Report {
    let object: [String: Any]

    init(_ object: [String: Any]) { self.object = object }

    var name: String? { object["class"] as? String }
    var satellites: [Report]? { (object["satellites"] as? [[String: Any]])?.map(Report.init) }
    var date: Date? {
      (object["time"] as? String).flatMap {
        try? Date($0, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true))
      }
    }

    func number(_ name: String) -> Double? { (object[name] as? NSNumber)?.doubleValue }
    func number(_ name: String, _ range: ClosedRange<Double>) -> Double? {
      number(name).flatMap { range.contains($0) ? $0 : nil }
    }
    func integer(_ name: String) -> Int? { (object[name] as? NSNumber)?.intValue }
  }
}
