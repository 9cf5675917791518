/// Assembles a geometry from its tokens. Pure.
struct GeometryAssembly: Sendable {
  private enum Member { case type, coordinates, other }

  private let path: String
  private var level = 0
  private var member = Member.other
  private var isObject = false
  private var place = TextPlace()
  private var type = TextMember.missing
  private var coordinates: CoordinateAssembly?

  /// - Parameter path: The path of the geometry; empty for a document.
  init(path: String) { self.path = path }

  /// The approximate number of bytes held.
  var heldCount: Int { coordinates?.heldCount ?? 0 }

  mutating func handle(_ token: JSONToken) {
    defer { level += token.nesting }
    guard level > 0 else {
      (place, isObject) = (token.place, token.kind == .beginObject)
      return
    }
    guard isObject else { return }
    if level == 1, case .name(let name) = token.kind { return begin(name) }
    switch member {
    case .type: if level == 1 { type.set(token) }
    case .coordinates: if level > 1 || token.nesting >= 0 { coordinates?.handle(token) }
    case .other: break
    }
  }

  mutating func dropOpenPosition() { coordinates?.dropOpenPosition() }

  /// Begins a member. It replaces an earlier member with the same name.
  private mutating func begin(_ name: String?) {
    switch name {
    case "type": member = .type
    case "coordinates":
      member = .coordinates
      coordinates = CoordinateAssembly()
    default: member = .other
    }
  }

  func geometry(of reference: GeoJSON.Reference?) throws(GeoJSON.Fault) -> GeoJSON.Geometry {
    func fault(_ problem: GeoJSON.Problem, _ place: TextPlace) -> GeoJSON.Fault {
      GeoJSON.Fault(feature: reference, problem: problem, place: place)
    }
    func path(_ name: String) -> String { self.path.isEmpty ? name : self.path + "." + name }
    func validList(
      _ list: (CoordinateAssembly) -> CoordinateList
    ) throws(GeoJSON.Fault) -> CoordinateList {
      guard let coordinates else { throw fault(.missing(path: path("coordinates")), place) }
      let list = list(coordinates)
      guard let listFault = list.fault else { return list }
      let path = path("coordinates") + listFault.path.map { "[\($0)]" }.joined()
      switch listFault.problem {
      case .unexpected(let expected):
        throw fault(.unexpected(path: path, expected: expected), listFault.place)
      case .outOfRange(let isExchanged):
        throw fault(.outOfRange(path: path, isExchanged: isExchanged), listFault.place)
      }
    }
    guard isObject else { throw fault(.unexpected(path: self.path, expected: "an object"), place) }
    switch try type.text(path: path("type"), of: reference, in: place) {
    case "Point":
      // The position may have been dropped.
      guard let position = try validList(\.point).positions.first else {
        throw fault(.missing(path: path("coordinates")), place)
      }
      return .point(position)
    case "MultiPoint": return .multiPoint(try validList(\.list).positions)
    case "LineString": return .lineString(try validList(\.list).positions)
    case "MultiLineString": return .multiLineString(try validList(\.lists).lists)
    case "Polygon": return .polygon(try validList(\.lists).lists)
    case "MultiPolygon": return .multiPolygon(try validList(\.groups).groups)
    case let type: throw fault(.unsupportedGeometry(type: type), place)
    }
  }
}

/// A member that must be a string. Pure.
enum TextMember: Hashable, Sendable {
  case missing
  case text(String)
  case other(TextPlace)

  /// Sets the member from the token that begins its value; ignores other tokens.
  mutating func set(_ token: JSONToken) {
    switch token.kind {
    case .endObject, .endArray, .name: break
    case .string(let text?): self = .text(text)
    case .string(nil), .beginObject, .beginArray, .number, .boolean, .null:
      self = .other(token.place)
    }
  }

  /// The string.
  ///
  /// - Throws: A fault at the place of the value if it is not a string, or at `object`, the place
  ///   of the object, if the member is missing.
  func text(
    path: String, of reference: GeoJSON.Reference?, in object: TextPlace
  ) throws(GeoJSON.Fault) -> String {
    switch self {
    case .text(let text): return text
    case .missing:
      throw GeoJSON.Fault(feature: reference, problem: .missing(path: path), place: object)
    case .other(let place):
      throw GeoJSON.Fault(
        feature: reference, problem: .unexpected(path: path, expected: "a string"), place: place)
    }
  }
}
