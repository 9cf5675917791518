import AsyncLocation

/// Writes KML 2.2: a `gx:Track` for each segment, which has a time for each position.
///
/// A `gx:Track` has all its times before its positions, so the text of at most
/// ``DeferredTexts/capacity`` positions is buffered; a longer segment has several `gx:Track`s.
/// Either all positions of a `gx:Track` have an altitude above mean sea level, or none has. A
/// waypoint ends a `gx:Track`. Each `gx:Track` has the segment number in its extended data, and no
/// name: the document has the name of the track.
struct KMLWriter: FormatWriter {
  private var positions = DeferredTexts()
  private var hasAltitude = false
  private var segment = 0

  func begin(name: String?, into output: inout WriterOutput) {
    output.append(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <kml xmlns="http://www.opengis.net/kml/2.2" xmlns:gx="http://www.google.com/kml/ext/2.2">
      <Document>

      """)
    append("name", name, into: &output)
  }

  mutating func resume(afterSegment segment: Int) { self.segment = segment }

  mutating func beginSegment(isFirst: Bool, into output: inout WriterOutput) {
    endTrack(into: &output)
    segment += 1
  }

  mutating func write(_ point: TrackPoint, into output: inout WriterOutput) {
    let location = point.location
    if positions.isFull || hasAltitude != (location.altitude != nil) { endTrack(into: &output) }
    if positions.isEmpty { beginTrack(location, into: &output) }
    output.append("<when>\(Timestamp.format(location.timestamp))</when>\n")
    let numbers = [location.longitude, location.latitude, location.altitude ?? 0]
    positions.append(
      "<gx:coord>" + numbers.map(NumberText.shortest).joined(separator: " ") + "</gx:coord>\n")
  }

  /// Writes a waypoint. Its comment, symbol and type, for which KML has no elements, are extended
  /// data.
  mutating func write(_ waypoint: Waypoint, into output: inout WriterOutput) {
    endTrack(into: &output)
    output.append("<Placemark>\n")
    append("name", waypoint.name, into: &output)
    append("description", waypoint.details, into: &output)
    if let time = waypoint.timestamp {
      output.append("<TimeStamp><when>\(Timestamp.format(time))</when></TimeStamp>\n")
    }
    let others = [
      (WaypointProperty.comment, waypoint.comment), (WaypointProperty.symbol, waypoint.symbol),
      (WaypointProperty.type, waypoint.type),
    ].filter { $1 != nil }
    if !others.isEmpty { output.append("<ExtendedData>\n") }
    for (name, text) in others { append(data: name, text, into: &output) }
    if !others.isEmpty { output.append("</ExtendedData>\n") }
    let (place, altitude) = (waypoint.coordinate, waypoint.altitude)
    let numbers = [place.longitude, place.latitude] + (altitude.map { [$0] } ?? [])
    output.append("<Point>")
    if altitude != nil { output.append("<altitudeMode>absolute</altitudeMode>") }
    output.append(
      "<coordinates>" + numbers.map(NumberText.shortest).joined(separator: ",")
        + "</coordinates></Point>\n</Placemark>\n")
  }

  private func append(_ name: String, _ text: String?, into output: inout WriterOutput) {
    guard let text else { return }
    output.append("<\(name)>")
    output.append(EscapedText(xml: text))
    output.append("</\(name)>\n")
  }

  private func append(data name: String, _ text: String?, into output: inout WriterOutput) {
    output.append("<Data name=\"\(name)\">")
    append("value", text, into: &output)
    output.append("</Data>\n")
  }

  mutating func finish(note: String?, into output: inout WriterOutput) {
    endTrack(into: &output)
    if let note { output.append("<!-- \(note) -->\n") }
    output.append("</Document>\n</kml>\n")
  }

  private mutating func beginTrack(_ location: Location, into output: inout WriterOutput) {
    hasAltitude = location.altitude != nil
    output.append("<Placemark>\n<ExtendedData>\n")
    append(data: RecordedColumn.segmentName, "\(segment)", into: &output)
    output.append("</ExtendedData>\n<gx:Track>\n")
    output.append(
      "<altitudeMode>\(hasAltitude ? "absolute" : "clampToGround")</altitudeMode>\n")
  }

  private mutating func endTrack(into output: inout WriterOutput) {
    guard !positions.isEmpty else { return }
    output.append(positions.take())
    output.append("</gx:Track>\n</Placemark>\n")
  }
}
