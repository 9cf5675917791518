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
    /// The names of the lists that have an element for each position and are not read.
    var omittedNames: [String] = []
    let place: TextPlace
  }

  package enum Geometry: Hashable, Sendable {
    case point(Position)
    case multiPoint([Position])
    case lineString([Position])
    case multiLineString([[Position]])
    case polygon([[Position]])
    case multiPolygon([[[Position]]])
  }

  /// A coordinate, with the third number as the altitude.
  package struct Position: Hashable, Sendable {
    package let coordinate: Coordinate
    private let packedAltitude: PackedOptional

    var altitude: Double? { packedAltitude.value }

    package init(_ coordinate: Coordinate, altitude: Double? = nil) {
      (self.coordinate, packedAltitude) = (coordinate, PackedOptional(altitude))
    }
  }

  /// The value of a property.
  package enum Value: Hashable, Sendable {
    case null
    case string(String)
    case integer(Int64)
    case number(Double)
    /// A list of times, recognized by its name.
    case times(RecordedTimes)
    /// A text of more than 64 KiB.
    case tooLong
    /// A Boolean value, an object or another list.
    case other
  }

  /// Identifies a feature in messages.
  package struct Reference: Hashable, Sendable {
    /// The number of the feature, from 1; nil in a document that is a single feature.
    let number: Int?
    /// The member `id`.
    package let id: String?

    package init(number: Int?, id: String?) { (self.number, self.id) = (number, id) }
  }

  /// The reason that a document cannot be read.
  package struct Fault: Error, Hashable, Sendable {
    /// Nil if the fault is not in a feature.
    let feature: Reference?
    let problem: Problem
    /// The place of the fault.
    let place: TextPlace
  }

  package enum Problem: Hashable, Sendable {
    case invalidJSON(line: Int, column: Int, reason: String)
    /// A document that is neither a collection nor a feature.
    case unsupportedDocument(type: String)
    case unsupportedGeometry(type: String)
    case missing(path: String)
    case unexpected(path: String, expected: String)
    /// A document with features whose type is not that of a collection.
    case contradictoryType
    /// A feature that needs more memory than the limit, which is in MiB.
    case tooLarge(mebibytes: Int)
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

  /// A part of a document.
  enum Part {
    /// The name of a collection, or a fault if it is too long. Delivered before the features if the
    /// document has it there, and again at the end.
    case name(Result<String, Fault>)
    case feature(Result<Feature, Fault>)
  }

  /// Calls `handle` with the parts of a document. The fault of a feature is passed as that
  /// feature's part, and does not end the reading.
  ///
  /// - Parameter acceptsGeometry: Whether a document may be a geometry alone.
  static func read(
    _ text: [UInt8], acceptsGeometry: Bool = false, _ handle: (Part) -> Void
  ) throws(Fault) {
    var document = GeoJSONDocument(acceptsGeometry: acceptsGeometry)
    var index = 0
    while index < text.count {
      if let part = try document.read(text.span, at: &index) { handle(part) }
    }
    try document.finish()
  }
}

extension GeoJSON.Value {
  /// Creates the value that a token represents or begins.
  init(_ token: JSONToken) {
    switch token.kind {
    case .null: self = .null
    case .string(let text?): self = .string(text)
    case .number(let number):
      self = number.integer.map(Self.integer) ?? .number(number.value)
    case .string(nil): self = .tooLong
    case .boolean, .name, .beginObject, .endObject, .beginArray, .endArray:
      self = .other
    }
  }

  /// The text of a string or a number; nil for another value.
  package var text: String? {
    switch self {
    case .string(let text): text
    case .integer(let number): String(number)
    case .number(let number): "\(number)"
    case .null, .times, .tooLong, .other: nil
    }
  }

  package var number: Double? {
    switch self {
    case .integer(let number): Double(number)
    case .number(let number): number
    case .null, .string, .times, .tooLong, .other: nil
    }
  }
}
