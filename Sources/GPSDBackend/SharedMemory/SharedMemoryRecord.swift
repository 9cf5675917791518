import AsyncLocation
import CGPSDShims
import GPSDReports

/// The contents of gpsd's shared memory at one moment.
struct SharedMemoryRecord {
  var report: CGPSDReport
  var satellites: [CGPSDSatellite]

  /// gpsd's path of the receiver.
  var device: String? {
    // SAFETY: the bytes of the array in the record are copied.
    let bytes = unsafe withUnsafeBytes(of: report.device) { unsafe Array($0) }
    let path = bytes.prefix { $0 != 0 }
    return path.isEmpty ? nil : String(decoding: path, as: UTF8.self)
  }

  /// Converts the record to lines of gpsd's protocol, so that both transports share one mapping and
  /// one set of checks.
  ///
  /// - Parameter previous: The previous record; unchanged lines are omitted.
  func lines(since previous: SharedMemoryRecord?) -> [UInt8] {
    var text = ""
    let sky = skyLine
    if previous?.skyLine != sky { text += sky }
    let position = positionLine
    if previous?.positionLine != position { text += position }
    if let attitude = attitudeLine, previous?.attitudeLine != attitude { text += attitude }
    return Array(text.utf8)
  }

  private var positionLine: String {
    var line = Line("TPV", device)
    line.add("mode", report.mode)
    if report.status > 0 { line.add("status", report.status) }
    line.add(time: report.time)
    line.add("ept", report.errorTime)
    line.add("lat", report.latitude)
    line.add("lon", report.longitude)
    line.add("altHAE", report.altitudeHAE)
    line.add("altMSL", report.altitudeMSL)
    line.add("epx", report.errorLongitude)
    line.add("epy", report.errorLatitude)
    line.add("eph", report.errorHorizontal)
    line.add("epv", report.errorVertical)
    line.add("speed", report.speed)
    line.add("track", report.track)
    line.add("climb", report.climb)
    line.add("eps", report.errorSpeed)
    line.add("epd", report.errorTrack)
    line.add("epc", report.errorClimb)
    line.add("magvar", report.magneticVariation)
    line.add("geoidSep", report.geoidSeparation)
    line.add("dgpsAge", report.differentialAge)
    if report.differentialStation >= 0 { line.add("dgpsSta", report.differentialStation) }
    return line.terminated
  }

  private var skyLine: String {
    var line = Line("SKY", device)
    line.add(time: report.skyTime)
    line.add("xdop", report.xdop)
    line.add("ydop", report.ydop)
    line.add("vdop", report.vdop)
    line.add("tdop", report.tdop)
    line.add("hdop", report.hdop)
    line.add("gdop", report.gdop)
    line.add("pdop", report.pdop)
    line.add("nSat", Int32(satellites.count))
    if report.satellitesUsed >= 0 { line.add("uSat", report.satellitesUsed) }
    line.add("satellites", satellites.map(\.object))
    return line.terminated
  }

  /// Nil if the record has no heading.
  private var attitudeLine: String? {
    var line = Line("ATT", device)
    line.add(time: report.attitudeTime)
    line.add("heading", report.heading)
    line.add("pitch", report.pitch)
    line.add("roll", report.roll)
    line.add("yaw", report.yaw)
    return report.heading.isFinite ? line.terminated : nil
  }
}

extension CGPSDSatellite {
  /// The satellite as a JSON object.
  fileprivate var object: String {
    var object = Line()
    object.add("PRN", prn)
    object.add("el", elevation)
    object.add("az", azimuth)
    object.add("ss", signalStrength)
    object.add("used", raw: used == 0 ? "false" : "true")
    for (name, number) in [
      ("gnssid", constellation), ("svid", vehicle), ("sigid", signal), ("freqid", frequency),
    ] where number >= 0 { object.add(name, number) }
    if health > 0 { object.add("health", health) }
    return object.text + "}"
  }
}

/// Builds a JSON object member by member.
private struct Line {
  var text = "{"

  init() {}

  init(_ name: String, _ device: String?) {
    add("class", raw: "\"\(name)\"")
    if let device { add("device", raw: Self.quoted(device)) }
  }

  /// The object as a line, with its closing brace and a terminator.
  var terminated: String { text + "}\r\n" }

  mutating func add(_ name: String, raw value: String) {
    if text.utf8.count > 1 { text += "," }
    text += "\"\(name)\":\(value)"
  }

  mutating func add(_ name: String, _ value: Double) {
    if value.isFinite { add(name, raw: "\(value)") }
  }

  mutating func add(_ name: String, _ value: Int32) { add(name, raw: "\(value)") }

  mutating func add(_ name: String, _ objects: [String]) {
    add(name, raw: "[\(objects.joined(separator: ","))]")
  }

  /// Adds seconds since 1970 as gpsd's date format; adds nothing if the receiver reported no time.
  mutating func add(time: Double) {
    guard time > 0, time < 253_402_300_800 else { return }  // The year 10000.
    let total = Int((time * 1000).rounded())
    let (seconds, milliseconds) = (total / 1000, total % 1000)
    let date = CivilTime.date(days: seconds / 86_400)
    let rest = seconds % 86_400
    let day =
      "\(date.year.padded(to: 4))-\(date.month.padded(to: 2))-\(date.day.padded(to: 2))"
    let clock = [rest / 3600, rest / 60 % 60, rest % 60].map { $0.padded(to: 2) }
    add(
      "time", raw: "\"\(day)T\(clock.joined(separator: ":")).\(milliseconds.padded(to: 3))Z\"")
  }

  private static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": result += "\\\(scalar)"
      case _ where scalar.value < 32:
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
