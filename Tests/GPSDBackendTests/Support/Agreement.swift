import AsyncLocation
import Foundation
import Testing

/// Compares gpsd's reports of one receiver, read by Foundation, with the delivered values, field by
/// field. The rules are implemented separately here, from the documentation.
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

  /// Reads the next report; returns true if it must produce an event.
  mutating func isDelivered(_ report: [String: Any]) -> Bool {
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

  /// The course of a location that is also delivered as a heading.
  mutating func compareCourse(_ heading: Heading) {
    courses += 1
    same(heading.trueHeading, course, "course")
  }

  private mutating func compare(_ fix: Report, _ location: Location) {
    locations += 1
    same(location.latitude, fix.number("lat"), "lat")
    same(location.longitude, fix.number("lon"), "lon")
    let ellipsoidal = fix.number("altHAE")
    let undefined = ellipsoidal == nil ? fix.number("alt") : nil
    same(location.altitude, fix.number("altMSL") ?? undefined, "altMSL")
    same(location.ellipsoidalAltitude, ellipsoidal, "altHAE")
    let parts = fix.number("epx").flatMap { x in
      fix.number("epy").map { (hypot(x, $0) * 1_000).rounded() / 1_000 }
    }
    same(location.horizontalAccuracy, fix.number("eph") ?? parts, "eph")
    same(location.verticalAccuracy, fix.number("epv"), "epv")
    same(location.speed, fix.number("speed"), "speed")
    same(location.speedAccuracy, fix.number("eps"), "eps")
    // A stationary receiver has no course.
    let moves = fix.number("speed").map { $0 >= 0.5 } ?? true
    course = moves ? fix.number("track", 0...360) : nil
    same(location.course, course, "track")
    same(location.courseAccuracy, fix.number("epd", 0...180), "epd")
    same(location.climb, fix.number("climb"), "climb")
    let gnss = location.gnss
    same(gnss?.geoidSeparation, fix.number("geoidSep"), "geoidSep")
    same(gnss?.magneticVariation, fix.number("magvar"), "magvar")
    same(gnss?.timeUncertainty, fix.number("ept"), "ept")
    same(gnss?.differentialAge, fix.number("dgpsAge"), "dgpsAge")
    same(gnss?.differentialStation, fix.integer("dgpsSta"), "dgpsSta")
    same(gnss?.jamming, fix.integer("jam"), "jam")
    same(gnss?.antennaStatus, fix.integer("ant"), "ant")
    same(gnss?.mode == .threeDimensional, fix.number("mode") == 3, "mode")
    let statuses: [GNSSFix.Status?] = [
      nil, .autonomous, .differential, .rtkFixed, .rtkFloat, .deadReckoning,
      .combinedDeadReckoning, .surveyed, .simulated, .precise,
    ]
    same(gnss?.status, fix.integer("status").flatMap { statuses[$0] }, "status")
    let isFresh = fixesSinceSky < 60
    fixesSinceSky += 1
    let geometry = Report(isFresh ? dilution : [:])
    same(gnss?.satellitesUsed, isFresh ? used : nil, "uSat")
    same(gnss?.satellitesVisible, isFresh ? visible : nil, "nSat")
    same(gnss?.dilutionOfPrecision?.horizontal, geometry.number("hdop"), "hdop")
    same(gnss?.dilutionOfPrecision?.vertical, geometry.number("vdop"), "vdop")
    same(gnss?.dilutionOfPrecision?.position, geometry.number("pdop"), "pdop")
    same(location.sourceInformation?.device, fix.object["device"] as? String, "device")
    if location.sourceInformation?.timeSource == .host {
      hostTimes += 1
      // Absent, or earlier than the first gpsd with JSON reports.
      #expect(fix.date.map { $0.timeIntervalSince1970 < 935_280_000 } ?? true, "\(fix.object)")
    } else {
      same(location.timestamp, fix.date, "time")
    }
  }

  private mutating func compare(_ sky: Report, _ view: SatelliteView) {
    views += 1
    let geometry = Report(dilution)
    same(view.dilutionOfPrecision?.horizontal, geometry.number("hdop"), "hdop")
    same(view.dilutionOfPrecision?.vertical, geometry.number("vdop"), "vdop")
    same(view.dilutionOfPrecision?.position, geometry.number("pdop"), "pdop")
    if let timestamp = view.timestamp { same(timestamp, sky.date, "time") }
    let satellites = sky.satellites ?? []
    same(view.satellites.count, satellites.count, "satellites")
    for (satellite, said) in zip(view.satellites, satellites) {
      same(satellite.prn, said.integer("PRN"), "PRN")
      same(satellite.isUsed, said.object["used"] as? Bool, "used")
      same(satellite.elevation, said.number("el", -90...90), "el")
      same(satellite.azimuth, said.number("az", 0...360), "az")
      same(satellite.signalStrength, said.number("ss", 0...254), "ss")
      same(satellite.vehicle, said.integer("svid"), "svid")
      same(satellite.signal, said.integer("sigid"), "sigid")
      same(satellite.isHealthy, [1: true, 2: false][said.integer("health") ?? 0], "health")
    }
  }

  private mutating func compare(_ attitude: Report, _ heading: Heading) {
    compassHeadings += 1
    same(heading.source, .compass, "source")
    same(heading.trueHeading, attitude.number("heading", 0...360), "heading")
    same(heading.magneticHeading, attitude.number("mheading", 0...360), "mheading")
  }

  private mutating func same<Value: Equatable>(
    _ delivered: Value?, _ said: Value?, _ name: String
  ) {
    #expect(delivered == said, "\(name)")
    if said != nil { fields += 1 }
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
