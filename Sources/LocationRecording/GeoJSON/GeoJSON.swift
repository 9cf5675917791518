package import AsyncLocation

/// The features of a GeoJSON document (RFC 7946): a feature collection, or a single feature. Pure.
///
/// Foreign members are ignored.
package struct GeoJSON: Hashable, Sendable {
  package let features: [Feature]

  /// A geometry with its properties.
  package struct Feature: Hashable, Sendable {
    package let reference: Reference
    package let geometry: Geometry?
    package let properties: [String: Value]
    /// The offset of its first byte.
    let offset: Int
  }

  package enum Geometry: Hashable, Sendable {
    case point(Position)
    case multiPoint([Position])
    case lineString([Position])
    case multiLineString([[Position]])
    case polygon([[Position]])
    case multiPolygon([[[Position]]])
  }

  /// A coordinate, and the altitude that the third number gives.
  package struct Position: Hashable, Sendable {
    package let coordinate: Coordinate
    let altitude: Double?

    package init(_ coordinate: Coordinate, altitude: Double? = nil) {
      (self.coordinate, self.altitude) = (coordinate, altitude)
    }
  }

  /// The value of a property.
  package enum Value: Hashable, Sendable {
    case null
    case string(String)
    case integer(Int64)
    case number(Double)
    case list([Value])
    /// A Boolean value or an object.
    case other
  }

  /// Names a feature in messages.
  package struct Reference: Hashable, Sendable {
    /// Counted from 1; nil in a document that is a single feature.
    let number: Int?
    /// The member `id`.
    package let id: String?

    package init(number: Int?, id: String?) { (self.number, self.id) = (number, id) }
  }

  /// Why a document cannot be read.
  package struct Fault: Error, Hashable, Sendable {
    /// Nil if the fault is not in a feature.
    let feature: Reference?
    let problem: Problem
    /// Where the fault is, in bytes.
    let offset: Int
  }

  package enum Problem: Hashable, Sendable {
    case invalidJSON(line: Int, column: Int, isCut: Bool)
    /// A document that is neither a collection nor a feature.
    case unsupportedDocument(type: String)
    case unsupportedGeometry(type: String)
    case missing(path: String)
    case unexpected(path: String, expected: String)
    /// A latitude or longitude out of range.
    case outOfRange(path: String, isExchanged: Bool)
  }

  /// - Parameter text: The document in UTF-8.
  package init(_ text: [UInt8]) throws(Fault) {
    var features: [Feature] = []
    for result in try Self.document(text).features { features.append(try result.get()) }
    self.features = features
  }

  /// The features of a document, each with its own fault, and the name of a collection.
  ///
  /// - Parameter acceptsGeometry: Whether a document may be a geometry alone.
  static func document(
    _ text: [UInt8], acceptsGeometry: Bool = false
  ) throws(Fault) -> (name: String?, features: [Result<Feature, Fault>]) {
    let document: JSONNode
    do throws(JSONParser.Fault) {
      document = try JSONParser.parse(text)
    } catch {
      let (line, column) = TextPosition.lineAndColumn(of: error.offset, in: text)
      throw Fault(
        feature: nil,
        problem: .invalidJSON(line: line, column: column, isCut: error.problem == .cut),
        offset: error.offset)
    }
    let members = GeoJSONMembers(document, path: "", reference: nil)
    switch try members.string("type") {
    case "FeatureCollection":
      let features = try members.array("features").enumerated().map { index, node in
        Result { () throws(Fault) in try Feature(node, number: index + 1) }
      }
      guard case .string(let name)? = try members.optional("name")?.value else {
        return (nil, features)
      }
      return (name, features)
    case "Feature":
      return (nil, [Result { () throws(Fault) in try Feature(document, number: nil) }])
    case _ where acceptsGeometry:
      let reference = Reference(number: nil, id: nil)
      let geometry = try Geometry(document, path: "", reference: reference)
      let feature = Feature(
        reference: reference, geometry: geometry, properties: [:], offset: document.offset)
      return (nil, [.success(feature)])
    case let type: throw members.fault(.unsupportedDocument(type: type))
    }
  }
}

extension GeoJSON.Value {
  /// The text of a string or a number; nil for another value.
  package var text: String? {
    switch self {
    case .string(let text): text
    case .integer(let number): String(number)
    case .number(let number): "\(number)"
    case .null, .list, .other: nil
    }
  }

  package var number: Double? {
    switch self {
    case .integer(let number): Double(number)
    case .number(let number): number
    case .null, .string, .list, .other: nil
    }
  }
}
