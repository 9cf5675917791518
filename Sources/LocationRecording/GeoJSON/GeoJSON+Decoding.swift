import AsyncLocation

/// The members of an object, and how to name them in messages.
struct GeoJSONMembers {
  private let node: JSONNode
  private let path: String
  private let reference: GeoJSON.Reference?

  /// - Parameters:
  ///   - path: Of the object; empty for a document and a feature.
  ///   - reference: The feature that the object belongs to.
  init(_ node: JSONNode, path: String, reference: GeoJSON.Reference?) {
    (self.node, self.path, self.reference) = (node, path, reference)
  }

  func fault(_ problem: GeoJSON.Problem, at offset: Int? = nil) -> GeoJSON.Fault {
    GeoJSON.Fault(feature: reference, problem: problem, offset: offset ?? node.offset)
  }

  func path(_ name: String) -> String { path.isEmpty ? name : path + "." + name }

  func all() throws(GeoJSON.Fault) -> [String: JSONNode] {
    guard case .object(let members) = node.value else {
      throw fault(.unexpected(path: path, expected: "an object"))
    }
    return members
  }

  /// The member; nil if it is missing or null.
  func optional(_ name: String) throws(GeoJSON.Fault) -> JSONNode? {
    guard let member = try all()[name], member.value != .null else { return nil }
    return member
  }

  func required(_ name: String) throws(GeoJSON.Fault) -> JSONNode {
    guard let member = try all()[name] else { throw fault(.missing(path: path(name))) }
    return member
  }

  func string(_ name: String) throws(GeoJSON.Fault) -> String {
    let member = try required(name)
    guard case .string(let text) = member.value else {
      throw fault(.unexpected(path: path(name), expected: "a string"), at: member.offset)
    }
    return text
  }

  func array(_ name: String) throws(GeoJSON.Fault) -> [JSONNode] {
    try Self.elements(of: try required(name), path: path(name), reference)
  }

  static func elements(
    of node: JSONNode, path: String, _ reference: GeoJSON.Reference?
  ) throws(GeoJSON.Fault) -> [JSONNode] {
    guard case .array(let elements) = node.value else {
      throw GeoJSON.Fault(
        feature: reference, problem: .unexpected(path: path, expected: "an array"),
        offset: node.offset)
    }
    return elements
  }
}

extension GeoJSON.Feature {
  init(_ node: JSONNode, number: Int?) throws(GeoJSON.Fault) {
    let unnamed = GeoJSON.Reference(number: number, id: nil)
    var members = GeoJSONMembers(node, path: "", reference: unnamed)
    var reference = unnamed
    if let id = try members.optional("id") {
      guard let text = GeoJSON.Value(id).text else {
        throw members.fault(
          .unexpected(path: "id", expected: "a string or a number"), at: id.offset)
      }
      reference = GeoJSON.Reference(number: number, id: text)
      members = GeoJSONMembers(node, path: "", reference: reference)
    }
    guard try members.string("type") == "Feature" else {
      throw members.fault(.unexpected(path: "type", expected: "\"Feature\""))
    }
    var properties: [String: GeoJSON.Value] = [:]
    if let found = try members.optional("properties") {
      let object = GeoJSONMembers(found, path: "properties", reference: reference)
      properties = try object.all().mapValues(GeoJSON.Value.init)
    }
    var geometry: GeoJSON.Geometry?
    if let found = try members.optional("geometry") {
      geometry = try GeoJSON.Geometry(found, path: "geometry", reference: reference)
    }
    self.init(
      reference: reference, geometry: geometry, properties: properties, offset: node.offset)
  }
}

extension GeoJSON.Geometry {
  init(
    _ node: JSONNode, path: String, reference: GeoJSON.Reference
  ) throws(GeoJSON.Fault) {
    let members = GeoJSONMembers(node, path: path, reference: reference)
    typealias Position = GeoJSON.Position
    func coordinates<Value>(
      _ read: (JSONNode, String) throws(GeoJSON.Fault) -> Value
    ) throws(GeoJSON.Fault) -> Value {
      try read(try members.required("coordinates"), members.path("coordinates"))
    }
    func position(_ node: JSONNode, _ path: String) throws(GeoJSON.Fault) -> Position {
      try Position(node, path: path, reference: reference)
    }
    func list<Value>(
      _ read: @escaping (JSONNode, String) throws(GeoJSON.Fault) -> Value
    ) -> (JSONNode, String) throws(GeoJSON.Fault) -> [Value] {
      { (node: JSONNode, path: String) throws(GeoJSON.Fault) -> [Value] in
        var values: [Value] = []
        let elements = try GeoJSONMembers.elements(of: node, path: path, reference)
        values.reserveCapacity(elements.count)
        for (index, element) in elements.enumerated() {
          values.append(try read(element, "\(path)[\(index)]"))
        }
        return values
      }
    }
    switch try members.string("type") {
    case "Point": self = .point(try coordinates(position))
    case "MultiPoint": self = .multiPoint(try coordinates(list(position)))
    case "LineString": self = .lineString(try coordinates(list(position)))
    case "MultiLineString": self = .multiLineString(try coordinates(list(list(position))))
    case "Polygon": self = .polygon(try coordinates(list(list(position))))
    case "MultiPolygon": self = .multiPolygon(try coordinates(list(list(list(position)))))
    case let type: throw members.fault(.unsupportedGeometry(type: type))
    }
  }
}

extension GeoJSON.Position {
  init(
    _ node: JSONNode, path: String, reference: GeoJSON.Reference
  ) throws(GeoJSON.Fault) {
    func fault(_ problem: GeoJSON.Problem) -> GeoJSON.Fault {
      GeoJSON.Fault(feature: reference, problem: problem, offset: node.offset)
    }
    let elements = try GeoJSONMembers.elements(of: node, path: path, reference)
    var numbers: [Double] = []
    for (index, element) in elements.enumerated() {
      guard let number = GeoJSON.Value(element).number else {
        throw fault(.unexpected(path: "\(path)[\(index)]", expected: "a number"))
      }
      numbers.append(number)
    }
    guard numbers.count >= 2 else {
      throw fault(.unexpected(path: path, expected: "a position: longitude, latitude"))
    }
    let (longitude, latitude) = (numbers[0], numbers[1])
    guard let coordinate = try? Coordinate(latitude: latitude, longitude: longitude) else {
      let isExchanged = (try? Coordinate(latitude: longitude, longitude: latitude)) != nil
      throw fault(.outOfRange(path: path, isExchanged: isExchanged))
    }
    self.init(coordinate, altitude: numbers.count > 2 ? numbers[2] : nil)
  }
}

extension GeoJSON.Value {
  init(_ node: JSONNode) {
    switch node.value {
    case .null: self = .null
    case .string(let text): self = .string(text)
    case .integer(let number): self = .integer(number)
    case .number(let number): self = .number(number)
    case .array(let elements): self = .list(elements.map(Self.init))
    case .bool, .object: self = .other
    }
  }
}

// MARK: Messages

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
  /// Says what is wrong and what to change. Never contains a coordinate.
  package var description: String {
    switch self {
    case .invalidJSON(let line, let column, let isCut):
      "line \(line), column \(column): not valid JSON"
        + (isCut ? "; the file seems to be cut" : "; correct it")
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
