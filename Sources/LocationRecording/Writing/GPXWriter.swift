import AsyncLocation

/// Writes GPX 1.1: waypoints, then one track, a point on each line.
///
/// The elements have the order of the schema. Values for which GPX 1.1 has no element are in the
/// point's `extensions`: readings of sensors in Garmin's extension if its schema permits them, the
/// rest in a namespace of this package, with the names of `Location` and ``SensorReadings``.
struct GPXWriter: FormatWriter {
  /// The highest reference station that fits into `dgpsid`.
  private static let highestStation = 1023

  /// The name of the track, written when the track begins.
  private var name: String?
  private var isSegmentOpen = false

  mutating func begin(name: String?, into output: inout WriterOutput) {
    output.append(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <gpx version="1.1" creator="AsyncLocation" xmlns="http://www.topografix.com/GPX/1/1" \
      xmlns:al="\(GPXExtensions.ownNamespace)" xmlns:gpxtpx="\(GPXExtensions.trackPointNamespace)">

      """)
    self.name = name
  }

  func write(_ waypoint: Waypoint, into output: inout WriterOutput) {
    beginPoint("wpt", waypoint.coordinate, into: &output)
    append("ele", waypoint.altitude, into: &output)
    append("time", waypoint.timestamp.map { .word(Timestamp.format($0)) }, into: &output)
    for (name, text) in [
      ("name", waypoint.name), ("cmt", waypoint.comment), ("desc", waypoint.details),
      ("sym", waypoint.symbol), ("type", waypoint.type),
    ] {
      append(name, text.map(LocationField.Value.text), into: &output)
    }
    output.append("</wpt>\n")
  }

  func beginTrack(into output: inout WriterOutput) {
    output.append("<trk>\n")
    if let name {
      append("name", EscapedText(xml: name), into: &output)
      output.append("\n")
    }
  }

  mutating func resume(afterSegment segment: Int) { isSegmentOpen = segment > 0 }

  mutating func beginSegment(isFirst: Bool, into output: inout WriterOutput) {
    output.append(isFirst ? "<trkseg>\n" : "</trkseg>\n<trkseg>\n")
    isSegmentOpen = true
  }

  func write(_ point: TrackPoint, into output: inout WriterOutput) {
    let location = point.location
    beginPoint("trkpt", location.coordinate, into: &output)
    append("ele", LocationField.altitude.value(location), into: &output)
    append("time", LocationField.timestamp.value(location), into: &output)
    if let fix = location.gnss { write(fix, into: &output) }
    let fields = LocationField.own + (location.gnss.map(Self.inexact) ?? [])
    var values = fields.compactMap { field in field.value(location).map { (field.name, $0) } }
    if point.lostCount > 0 { values.append((LocationField.lostName, .integer(point.lostCount))) }
    let readings = point.sensors.map(GPXReadings.init)
    values += readings?.others ?? []
    if !values.isEmpty || readings != nil {
      output.append("<extensions>")
      write(readings?.garmin ?? [], into: &output)
      for (name, value) in values { append("al:" + name, value, into: &output) }
      output.append("</extensions>")
    }
    output.append("</trkpt>\n")
  }

  func finish(note: String?, into output: inout WriterOutput) {
    if isSegmentOpen { output.append("</trkseg>\n") }
    output.append("</trk>\n")
    if let note { output.append("<!-- \(note) -->\n") }
    output.append("</gpx>\n")
  }

  private func write(
    _ readings: [(String, LocationField.Value)], into output: inout WriterOutput
  ) {
    guard !readings.isEmpty else { return }
    output.append("<gpxtpx:TrackPointExtension>")
    for (name, value) in readings { append("gpxtpx:" + name, value, into: &output) }
    output.append("</gpxtpx:TrackPointExtension>")
  }

  private func beginPoint(
    _ name: String, _ coordinate: Coordinate, into output: inout WriterOutput
  ) {
    // The schema excludes a longitude of 180, which is the same meridian as -180.
    let longitude = coordinate.longitude == 180 ? -180 : coordinate.longitude
    output.append("<\(name) lat=\"\(NumberText.decimal(coordinate.latitude) ?? "0")\"")
    output.append(" lon=\"\(NumberText.decimal(longitude) ?? "0")\">")
  }

  private func write(_ fix: GNSSFix, into output: inout WriterOutput) {
    let dilution = fix.dilutionOfPrecision
    append("magvar", fix.magneticVariation.map(Self.normalizedAngle), into: &output)
    append("geoidheight", fix.geoidSeparation, into: &output)
    append("fix", EscapedText(written: Self.word(fix)), into: &output)
    append("sat", fix.satellitesUsed.map(LocationField.Value.integer), into: &output)
    append("hdop", dilution?.horizontal, into: &output)
    append("vdop", dilution?.vertical, into: &output)
    append("pdop", dilution?.position, into: &output)
    append("ageofdgpsdata", fix.differentialAge, into: &output)
    if let station = fix.differentialStation, station <= Self.highestStation {
      append("dgpsid", .integer(station), into: &output)
    }
  }

  /// The fields of a fix that GPX's elements do not hold exactly.
  private static func inexact(_ fix: GNSSFix) -> [LocationField] {
    let word = word(fix)
    var fields: [LocationField] = []
    if word != fix.mode.rawValue.lowercased() {
      fields.append(.mode)
    } else if fix.status != nil {
      fields.append(.status)
    }
    if let variation = fix.magneticVariation, variation < 0 { fields.append(.magneticVariation) }
    if let station = fix.differentialStation, station > highestStation {
      fields.append(.differentialStation)
    }
    return fields
  }

  /// GPX's word for a kind of fix: the technique if GPX defines it, else the number of dimensions.
  private static func word(_ fix: GNSSFix) -> String {
    switch fix.status {
    case .differential?: "dgps"
    case .precise?: "pps"
    default: fix.mode.rawValue.lowercased()
    }
  }

  /// An angle in 0..<360, as the schema requires.
  private static func normalizedAngle(_ angle: Double) -> Double {
    let positive = angle < 0 ? angle + 360 : angle
    return positive < 360 ? positive : 0
  }

  private func append(_ name: String, _ number: Double?, into output: inout WriterOutput) {
    append(name, number.map(LocationField.Value.number), into: &output)
  }

  private func append(
    _ name: String, _ value: LocationField.Value?, into output: inout WriterOutput
  ) {
    if let text = value?.xml { append(name, text, into: &output) }
  }

  private func append(_ name: String, _ text: EscapedText, into output: inout WriterOutput) {
    output.append("<\(name)>")
    output.append(text)
    output.append("</\(name)>")
  }
}

/// Readings as elements: those of Garmin's extension, in the order of its schema, and the others.
private struct GPXReadings {
  let garmin: [(String, LocationField.Value)]
  let others: [(String, LocationField.Value)]

  init(_ readings: SensorReadings) {
    var (garmin, others) = ([(String, LocationField.Value)](), [(String, LocationField.Value)]())
    for (name, value) in [
      ("atemp", readings.airTemperature), ("wtemp", readings.waterTemperature),
      ("depth", readings.depth),
    ] {
      if let value { garmin.append((name, .number(value))) }
    }
    // The schema requires integers in these ranges.
    for (name, ownName, value, range) in [
      ("hr", "heartRate", readings.heartRate, 1...255),
      ("cad", "cadence", readings.cadence, 0...254),
    ] {
      guard let value else { continue }
      if let count = Int(exactly: value), range.contains(count) {
        garmin.append((name, .integer(count)))
      } else {
        others.append((ownName, .number(value)))
      }
    }
    if let power = readings.power { others.append(("power", .number(power))) }
    (self.garmin, self.others) = (garmin, others)
  }
}
