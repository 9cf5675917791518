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

  mutating func beginSegment(isFirst: Bool, into output: inout WriterOutput) { segment += 1 }

  mutating func write(_ location: Location, into output: inout WriterOutput) {
    switch form {
    case .collection: output.append(isFirst ? "\n" : ",\n")
    case .sequence: output.append("\u{1E}")
    case .lines: break
    }
    isFirst = false
    GeoJSONText.appendPoint(
      location, LocationField.properties, segment: segment, into: &output)
    if form != .collection { output.append("\n") }
  }

  func finish(into output: inout WriterOutput) {
    if form == .collection { output.append("\n]}\n") }
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

  static func position(_ location: Location) -> String {
    let numbers = [location.longitude, location.latitude] + (location.altitude.map { [$0] } ?? [])
    return "[" + numbers.map(NumberText.shortest).joined(separator: ",") + "]"
  }

  static func appendPoint(
    _ location: Location, _ fields: [LocationField], segment: Int,
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
    output.append("}}")
  }
}
