import AsyncLocation

/// Writes gpsd's TPV reports, with the members in the order of gpsd 3.22. A report without a fix
/// separates segments.
struct GPSDWriter: FormatWriter {
  private var last: Location?
  /// Whether the text continues the reports of an earlier writer.
  private var isResumed = false

  func begin(name: String?, into output: inout WriterOutput) {}

  mutating func resume(afterSegment segment: Int) { isResumed = segment > 0 }

  func beginSegment(isFirst: Bool, into output: inout WriterOutput) {
    guard last != nil || isResumed else { return }
    output.append("{\"class\":\"TPV\"")
    append("device", last?.sourceInformation?.device.map(LocationField.Value.text), into: &output)
    output.append(",\"mode\":1}\n")
  }

  mutating func write(_ point: TrackPoint, into output: inout WriterOutput) {
    let location = point.location
    let fix = location.gnss
    let isThreeDimensional = fix.map { $0.mode == .threeDimensional } ?? (location.altitude != nil)
    output.append("{\"class\":\"TPV\"")
    append(
      "device", location.sourceInformation?.device.map(LocationField.Value.text), into: &output)
    append("status", fix?.status.flatMap(Self.code).map(LocationField.Value.integer), into: &output)
    append("mode", .integer(isThreeDimensional ? 3 : 2), into: &output)
    append("time", LocationField.timestamp.value(location), into: &output)
    append("ept", fix?.timeUncertainty, into: &output)
    append("lat", location.latitude, into: &output)
    append("lon", location.longitude, into: &output)
    append("altHAE", location.ellipsoidalAltitude, into: &output)
    append("altMSL", location.altitude, into: &output)
    append("alt", location.altitude, into: &output)
    append("epv", location.verticalAccuracy, into: &output)
    append("track", location.course, into: &output)
    append("magvar", fix?.magneticVariation, into: &output)
    append("speed", location.speed, into: &output)
    append("climb", location.climb, into: &output)
    append("epd", location.courseAccuracy, into: &output)
    append("eps", location.speedAccuracy, into: &output)
    append("geoidSep", fix?.geoidSeparation, into: &output)
    append("eph", location.horizontalAccuracy, into: &output)
    append("dgpsAge", fix?.differentialAge, into: &output)
    append("dgpsSta", fix?.differentialStation.map(LocationField.Value.integer), into: &output)
    output.append("}\n")
    last = location
  }

  func finish(note: String?, into output: inout WriterOutput) {
    guard let note else { return }
    output.append("{\"class\":\"ERROR\"")
    append("message", .text(note), into: &output)
    output.append("}\n")
  }

  private func append(_ name: String, _ number: Double?, into output: inout WriterOutput) {
    append(name, number.map(LocationField.Value.number), into: &output)
  }

  private func append(
    _ name: String, _ value: LocationField.Value?, into output: inout WriterOutput
  ) {
    guard let value else { return }
    output.append(",\"\(name)\":")
    output.append(value.json)
  }

  /// gpsd's number for a status.
  private static func code(_ status: GNSSFix.Status) -> Int? {
    switch status {
    case .autonomous: 1
    case .differential: 2
    case .rtkFixed: 3
    case .rtkFloat: 4
    case .deadReckoning: 5
    case .combinedDeadReckoning: 6
    case .surveyed: 7
    case .simulated: 8
    case .precise: 9
    }
  }
}
