import AsyncLocation
import FoundationEssentials

/// The features of a GeoJSON document (RFC 7946): a feature collection, or a single feature. Pure.
///
/// Foreign members are ignored, and so are altitudes.
struct GeoJSON: Hashable, Sendable {
  let features: [Feature]

  /// A geometry with its properties.
  struct Feature: Hashable, Sendable {
    let reference: Reference
    let geometry: Geometry?
    let properties: [String: Value]
  }

  enum Geometry: Hashable, Sendable {
    case point(Coordinate)
    case multiPoint([Coordinate])
    case lineString([Coordinate])
    case multiLineString([[Coordinate]])
    case polygon([[Coordinate]])
    case multiPolygon([[[Coordinate]]])
  }

  /// The value of a property.
  enum Value: Hashable, Sendable {
    case null
    case string(String)
    case integer(Int64)
    case number(Double)
    /// A Boolean value, an array or an object.
    case other
  }

  /// Names a feature in messages.
  struct Reference: Hashable, Sendable {
    /// Counted from 1; nil in a document that is a single feature.
    let number: Int?
    /// The member `id`.
    let id: String?
  }

  /// Why a document cannot be read.
  struct Fault: Error, Hashable, Sendable {
    /// Nil if the fault is not in a feature.
    let feature: Reference?
    let problem: Problem
  }

  enum Problem: Hashable, Sendable {
    case invalidJSON
    /// A document that is neither a collection nor a feature.
    case unsupportedDocument(type: String)
    case unsupportedGeometry(type: String)
    case missing(path: String)
    case unexpected(path: String, expected: String)
    /// A latitude or longitude out of range.
    case outOfRange(path: String, isExchanged: Bool)
  }

  /// - Parameter text: The document in UTF-8.
  init(_ text: [UInt8]) throws(Fault) {
    do {
      features = try JSONDecoder().decode(Document.self, from: Data(text)).features
    } catch let fault as Fault {
      throw fault
    } catch {
      throw Fault(feature: nil, problem: Problem(error, below: 0))
    }
  }
}

extension GeoJSON.Value {
  /// The text of a string or a number; nil for another value.
  var text: String? {
    switch self {
    case .string(let text): text
    case .integer(let number): String(number)
    case .number(let number): "\(number)"
    case .null, .other: nil
    }
  }

  var number: Double? {
    switch self {
    case .integer(let number): Double(number)
    case .number(let number): number
    case .null, .string, .other: nil
    }
  }
}

// MARK: Decoding

extension GeoJSON {
  fileprivate struct Document: Decodable {
    let features: [Feature]

    private enum CodingKeys: String, CodingKey { case type, features }

    init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: CodingKeys.self)
      let type = try values.decode(String.self, forKey: .type)
      switch type {
      case "FeatureCollection": features = try values.decode([Feature].self, forKey: .features)
      case "Feature": features = [try Feature(from: decoder)]
      default: throw Fault(feature: nil, problem: .unsupportedDocument(type: type))
      }
    }
  }
}

extension GeoJSON.Feature: Decodable {
  private enum CodingKeys: String, CodingKey { case type, id, geometry, properties }

  init(from decoder: any Decoder) throws {
    let path = decoder.codingPath
    let number = path.last?.intValue.map { $0 + 1 }
    var id: String?
    do {
      let values = try decoder.container(keyedBy: CodingKeys.self)
      if let value = try values.decodeIfPresent(GeoJSON.Value.self, forKey: .id), value != .null {
        guard let text = value.text else {
          throw GeoJSON.Fault(
            feature: nil, problem: .unexpected(path: "id", expected: "a string or a number"))
        }
        id = text
      }
      guard try values.decode(String.self, forKey: .type) == "Feature" else {
        throw GeoJSON.Fault(
          feature: nil, problem: .unexpected(path: "type", expected: "\"Feature\""))
      }
      properties =
        try values.decodeIfPresent([String: GeoJSON.Value].self, forKey: .properties) ?? [:]
      geometry = try values.decodeIfPresent(GeoJSON.Geometry.self, forKey: .geometry)
      reference = GeoJSON.Reference(number: number, id: id)
    } catch {
      throw GeoJSON.Fault(
        feature: GeoJSON.Reference(number: number, id: id),
        problem: (error as? GeoJSON.Fault)?.problem ?? GeoJSON.Problem(error, below: path.count))
    }
  }
}

extension GeoJSON.Geometry: Decodable {
  private enum CodingKeys: String, CodingKey { case type, coordinates }

  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    func coordinates<Value: Decodable>(_ type: Value.Type) throws -> Value {
      try values.decode(type, forKey: .coordinates)
    }
    typealias Position = GeoJSON.Position
    let type = try values.decode(String.self, forKey: .type)
    switch type {
    case "Point": self = .point(try coordinates(Position.self).coordinate)
    case "MultiPoint": self = .multiPoint(try coordinates([Position].self).map(\.coordinate))
    case "LineString": self = .lineString(try coordinates([Position].self).map(\.coordinate))
    case "MultiLineString":
      self = .multiLineString(try coordinates([[Position]].self).map { $0.map(\.coordinate) })
    case "Polygon":
      self = .polygon(try coordinates([[Position]].self).map { $0.map(\.coordinate) })
    case "MultiPolygon":
      self = .multiPolygon(
        try coordinates([[[Position]]].self).map { $0.map { $0.map(\.coordinate) } })
    default: throw GeoJSON.Fault(feature: nil, problem: .unsupportedGeometry(type: type))
    }
  }
}

extension GeoJSON {
  /// Longitude, latitude, and an altitude that is ignored.
  fileprivate struct Position: Decodable {
    let coordinate: Coordinate

    init(from decoder: any Decoder) throws {
      let numbers = try decoder.singleValueContainer().decode([Double].self)
      guard numbers.count >= 2 else {
        throw DecodingError.typeMismatch(
          Position.self, .init(codingPath: decoder.codingPath, debugDescription: "too few numbers"))
      }
      let (longitude, latitude) = (numbers[0], numbers[1])
      do {
        coordinate = try Coordinate(latitude: latitude, longitude: longitude)
      } catch {
        let path = GeoJSON.path(decoder.codingPath.drop { $0.stringValue != "geometry" })
        let isExchanged = (try? Coordinate(latitude: longitude, longitude: latitude)) != nil
        throw Fault(feature: nil, problem: .outOfRange(path: path, isExchanged: isExchanged))
      }
    }
  }
}

extension GeoJSON.Value: Decodable {
  init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    if value.decodeNil() {
      self = .null
    } else if let text = try? value.decode(String.self) {
      self = .string(text)
    } else if let number = try? value.decode(Int64.self) {
      self = .integer(number)
    } else if let number = try? value.decode(Double.self) {
      self = .number(number)
    } else {
      self = .other
    }
  }
}

// MARK: Faults

extension GeoJSON.Problem {
  /// - Parameter depth: The number of keys before the feature, which the path leaves out.
  fileprivate init(_ error: any Error, below depth: Int) {
    func path(_ context: DecodingError.Context, _ key: (any CodingKey)? = nil) -> String {
      GeoJSON.path((context.codingPath + (key.map { [$0] } ?? [])).dropFirst(depth))
    }
    switch error {
    case DecodingError.keyNotFound(let key, let context):
      self = .missing(path: path(context, key))
    case DecodingError.typeMismatch(let type, let context):
      self = .unexpected(path: path(context), expected: Self.name(of: type))
    case DecodingError.valueNotFound(let type, let context):
      self = .unexpected(path: path(context), expected: Self.name(of: type))
    default: self = .invalidJSON
    }
  }

  private static func name(of type: any Any.Type) -> String {
    switch type {
    case is String.Type: "a string"
    case is Double.Type: "a number"
    case is GeoJSON.Position.Type: "a position: longitude, latitude"
    case is [Any].Type: "an array"
    default: "an object"
    }
  }
}

extension GeoJSON {
  /// A path as programming languages write it: `geometry.coordinates[0][2]`.
  fileprivate static func path(_ keys: some Sequence<any CodingKey>) -> String {
    keys.reduce("") { path, key in
      if let index = key.intValue { return path + "[\(index)]" }
      return path.isEmpty ? key.stringValue : path + "." + key.stringValue
    }
  }
}

extension GeoJSON.Reference: CustomStringConvertible {
  var description: String {
    let name = id.map { "\"" + String(printable: $0, limit: 60) + "\"" }
    guard let number else { return "the feature" + (name.map { " " + $0 } ?? "") }
    return "feature \(number)" + (name.map { " (\($0))" } ?? "")
  }
}

extension GeoJSON.Fault: CustomStringConvertible {
  var description: String { (feature.map { "\($0): " } ?? "") + problem.description }
}

extension GeoJSON.Problem: CustomStringConvertible {
  /// Says what is wrong and what to change. Never contains a coordinate.
  var description: String {
    switch self {
    case .invalidJSON:
      "not valid JSON; 'python3 -m json.tool FILE' shows the line"
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
    case .outOfRange(let path, false):
      "\(path) is out of range: a longitude in -180...180 comes first, then a latitude in -90...90"
    case .outOfRange(let path, true):
      "\(path) is out of range: latitude and longitude look exchanged; GeoJSON has the longitude "
        + "first"
    }
  }

  private static func shown(_ text: String) -> String { String(printable: text, limit: 60) }
}
