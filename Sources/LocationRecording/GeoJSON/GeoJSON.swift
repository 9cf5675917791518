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
    var fault: Fault?
    try Self.read(text) { part in
      guard case .feature(let result) = part else { return }
      do throws(Fault) {
        features.append(try result.get())
      } catch {
        fault = fault ?? error
      }
    }
    if let fault { throw fault }
    self.features = features
  }

  /// - Throws: A fault without a feature if the text is not JSON.
  fileprivate static func node(_ text: [UInt8]) throws(Fault) -> JSONNode {
    do throws(JSONParser.Fault) {
      return try JSONParser.parse(text)
    } catch {
      let (line, column) = TextPosition.lineAndColumn(of: error.offset, in: text)
      throw Fault(
        feature: nil,
        problem: .invalidJSON(line: line, column: column, isCut: error.problem == .cut),
        offset: error.offset)
    }
  }

  /// A part of a document.
  enum Part {
    /// The name of a collection; precedes the features.
    case name(String)
    case feature(Result<Feature, Fault>)
  }

  /// Calls `handle` with the parts of a document. Each feature has its own fault.
  ///
  /// - Parameter acceptsGeometry: Whether a document may be a geometry alone.
  static func read(
    _ text: [UInt8], acceptsGeometry: Bool = false, _ handle: (Part) -> Void
  ) throws(Fault) {
    let document = try node(text)
    let members = GeoJSONMembers(document, path: "", reference: nil)
    switch try members.string("type") {
    case "FeatureCollection":
      let features = try members.array("features")
      if case .string(let name)? = try members.optional("name")?.value { handle(.name(name)) }
      for (index, node) in features.enumerated() {
        handle(.feature(Result { () throws(Fault) in try Feature(node, number: index + 1) }))
      }
    case "Feature":
      handle(.feature(Result { () throws(Fault) in try Feature(document, number: nil) }))
    case _ where acceptsGeometry:
      let reference = Reference(number: nil, id: nil)
      let geometry = try Geometry(document, path: "", reference: reference)
      let feature = Feature(
        reference: reference, geometry: geometry, properties: [:], offset: document.offset)
      handle(.feature(.success(feature)))
    case let type: throw members.fault(.unsupportedDocument(type: type))
    }
  }
}

extension GeoJSON.Feature {
  /// Reads a feature of a collection.
  ///
  /// - Parameter number: Counted from 1.
  /// - Throws: A fault if the text is not JSON. The result has the faults of the feature itself.
  static func read(
    _ text: [UInt8], number: Int
  ) throws(GeoJSON.Fault) -> Result<Self, GeoJSON.Fault> {
    let node = try GeoJSON.node(text)
    return Result { () throws(GeoJSON.Fault) in try Self(node, number: number) }
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
