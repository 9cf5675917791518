import AsyncLocation

/// Writes GeoJSON features that are points, with the properties of `Location`.
///
/// The third number of a position is the altitude above mean sea level, as other programs read it.
struct GeoJSONPointWriter: FormatWriter {
  enum Form { case collection, sequence, lines }

  private let form: Form
  private var segment = 0
  private var isFirst = true

  init(_ form: Form) { self.form = form }

  func begin(name: String?, into output: inout WriterOutput) {
    if form == .collection { GeoJSONText.beginCollection(name: name, into: &output) }
  }

  mutating func resume(afterSegment segment: Int) {
    (self.segment, isFirst) = (segment, segment == 0)
  }

  mutating func beginSegment(isFirst: Bool, into output: inout WriterOutput) { segment += 1 }

  mutating func write(_ point: TrackPoint, into output: inout WriterOutput) {
    beginFeature(into: &output)
    GeoJSONText.append(point, LocationField.properties, segment: segment, into: &output)
    endFeature(into: &output)
  }

  mutating func write(_ waypoint: Waypoint, into output: inout WriterOutput) {
    beginFeature(into: &output)
    GeoJSONText.append(waypoint, into: &output)
    endFeature(into: &output)
  }

  private mutating func beginFeature(into output: inout WriterOutput) {
    switch form {
    case .collection: output.append(isFirst ? "\n" : ",\n")
    case .sequence: output.append("\u{1E}")
    case .lines: break
    }
    isFirst = false
  }

  private func endFeature(into output: inout WriterOutput) {
    if form != .collection { output.append("\n") }
  }

  func finish(note: String?, into output: inout WriterOutput) {
    if form == .collection { GeoJSONText.endCollection(note: note, into: &output) }
  }
}

/// The parts that both GeoJSON writers share.
enum GeoJSONText {
  static func beginCollection(name: String?, into output: inout WriterOutput) {
    output.append("{\"type\":\"FeatureCollection\"")
    if let name {
      output.append(",\"name\":")
      output.append(EscapedText(json: name))
    }
    output.append(",\"features\":[")
  }

  static func endCollection(note: String?, into output: inout WriterOutput) {
    output.append("\n]")
    if let note {
      output.append(",\"note\":")
      output.append(EscapedText(json: note))
    }
    output.append("}\n")
  }

  static func position(_ location: Location) -> String {
    position(location.coordinate, location.altitude)
  }

  private static func position(_ coordinate: Coordinate, _ altitude: Double?) -> String {
    let numbers = [coordinate.longitude, coordinate.latitude] + (altitude.map { [$0] } ?? [])
    return "[" + numbers.map(NumberText.shortest).joined(separator: ",") + "]"
  }

  static func append(
    _ point: TrackPoint, _ fields: [LocationField], segment: Int, into output: inout WriterOutput
  ) {
    let location = point.location
    output.append("{\"type\":\"Feature\",\"geometry\":{\"type\":\"Point\",\"coordinates\":")
    output.append(position(location))
    output.append("},\"properties\":{\"segment\":\(segment)")
    for field in fields {
      guard let value = field.value(location) else { continue }
      output.append(",\"\(field.name)\":")
      output.append(value.json)
    }
    for field in SensorField.all {
      guard let value = point.sensors.flatMap(field.value) else { continue }
      output.append(",\"\(field.name)\":\(NumberText.shortest(value))")
    }
    if point.lostCount > 0 {
      output.append(",\"\(LocationField.lostName)\":\(point.lostCount)")
    }
    output.append("}}")
  }

  /// Appends a waypoint. A property distinguishes it from the points of a track when it is read.
  static func append(_ waypoint: Waypoint, into output: inout WriterOutput) {
    output.append("{\"type\":\"Feature\",\"geometry\":{\"type\":\"Point\",\"coordinates\":")
    output.append(position(waypoint.coordinate, waypoint.altitude))
    output.append("},\"properties\":{\"\(WaypointProperty.kind)\":\"\(WaypointProperty.waypoint)\"")
    let time = waypoint.timestamp.map(Timestamp.format)
    for (name, text) in [
      (WaypointProperty.name, waypoint.name), (WaypointProperty.comment, waypoint.comment),
      (WaypointProperty.details, waypoint.details), (WaypointProperty.symbol, waypoint.symbol),
      (WaypointProperty.type, waypoint.type), (LocationField.timestamp.name, time),
    ] {
      guard let text else { continue }
      output.append(",\"\(name)\":")
      output.append(EscapedText(json: text))
    }
    output.append("}}")
  }
}
