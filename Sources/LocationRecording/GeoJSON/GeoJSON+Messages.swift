import AsyncLocation

extension GeoJSON.Reference: CustomStringConvertible {
  package var description: String {
    let name = id.map { "\"" + String(printable: $0, limit: 60) + "\"" }
    guard let number else { return "the feature" + (name.map { " " + $0 } ?? "") }
    return "feature \(number)" + (name.map { " (\($0))" } ?? "")
  }
}

extension GeoJSON.Fault: CustomStringConvertible {
  package var description: String {
    (feature.map { "\($0): " } ?? "") + problem.description
  }
}

extension GeoJSON.Problem: CustomStringConvertible {
  /// The error and the change that resolves it, without coordinates of the document.
  package var description: String {
    switch self {
    case .invalidJSON(let line, let column, let reason):
      "line \(line), column \(column): \(reason)"
    case .unsupportedDocument(let type):
      "the type is \"\(Self.shown(type))\", not FeatureCollection or Feature; make it the "
        + "geometry of a Feature"
    case .unsupportedGeometry("GeometryCollection"):
      "a GeometryCollection is not supported; make a feature of each of its geometries"
    case .unsupportedGeometry(let type):
      "\"\(Self.shown(type))\" is no supported geometry; use Point, LineString, Polygon or their "
        + "Multi forms, spelled like this"
    case .missing(let path): "\(path) is missing; add it"
    case .unexpected(let path, let expected):
      path.isEmpty ? "it must be \(expected)" : "\(path) must be \(expected)"
    case .contradictoryType:
      "features belong to a FeatureCollection, but its type is another; correct the type, or write it "
        + "once"
    case .tooLarge(let mebibytes): "it needs more than \(mebibytes) MiB of memory; divide it"
    case .outOfRange(let path, false):
      "\(path) is out of range: a longitude in -180...180 comes first, then a latitude in -90...90"
    case .outOfRange(let path, true):
      "\(path) is out of range: latitude and longitude look exchanged; GeoJSON has the longitude "
        + "first"
    }
  }

  private static func shown(_ text: String) -> String { String(printable: text, limit: 60) }
}
