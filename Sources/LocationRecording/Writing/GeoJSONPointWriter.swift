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

  mutating func write(_ location: Location, lost: Int, into output: inout WriterOutput) {
    switch form {
    case .collection: output.append(isFirst ? "\n" : ",\n")
    case .sequence: output.append("\u{1E}")
    case .lines: break
    }
    isFirst = false
    GeoJSONText.appendPoint(
      location, LocationField.properties, segment: segment, lost: lost, into: &output)
    if form != .collection { output.append("\n") }
  }

  func finish(note: String?, into output: inout WriterOutput) {
    if form == .collection { GeoJSONText.endCollection(note: note, into: &output) }
  }
}

/// The parts that both kinds of GeoJSON have.
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
    let numbers = [location.longitude, location.latitude] + (location.altitude.map { [$0] } ?? [])
    return "[" + numbers.map(NumberText.shortest).joined(separator: ",") + "]"
  }

  static func appendPoint(
    _ location: Location, _ fields: [LocationField], segment: Int, lost: Int,
    into output: inout WriterOutput
  ) {
    output.append("{\"type\":\"Feature\",\"geometry\":{\"type\":\"Point\",\"coordinates\":")
    output.append(position(location))
    output.append("},\"properties\":{\"segment\":\(segment)")
    for field in fields {
      guard let value = field.value(location) else { continue }
      output.append(",\"\(field.name)\":")
      output.append(value.json)
    }
    if lost > 0 { output.append(",\"\(LocationField.lostName)\":\(lost)") }
    output.append("}}")
  }
}
