/// Assembles a feature from its tokens. Pure.
struct FeatureAssembly: Sendable {
  private enum Member { case id, type, properties, geometry, other }

  private let number: Int?
  private var level = 0
  private var member = Member.other
  private var isObject = false
  private var place = TextPlace()
  private var id: GeoJSON.Value?
  private var idPlace = TextPlace()
  private var type = TextMember.missing
  private var properties = PropertyAssembly()
  private var geometry = GeometryAssembly(path: "geometry")
  private var hasGeometry = false

  /// - Parameter number: The number of the feature, from 1; nil for a document.
  init(number: Int?) { self.number = number }

  /// The approximate number of bytes held.
  var heldCount: Int { geometry.heldCount + properties.heldCount }

  mutating func handle(_ token: JSONToken) {
    defer { level += token.nesting }
    guard level > 0 else {
      (place, isObject) = (token.place, token.kind == .beginObject)
      return
    }
    guard isObject else { return }
    if level == 1 {
      if case .name(let name) = token.kind { return begin(name) }
      guard token.nesting >= 0 else { return }
    }
    switch member {
    case .id:
      if level == 1 { (id, idPlace) = (GeoJSON.Value(token), token.place) }
    case .type: if level == 1 { type.set(token) }
    case .properties: properties.handle(token)
    case .geometry:
      if level == 1 { hasGeometry = token.kind != .null }
      geometry.handle(token)
    case .other: break
    }
  }

  mutating func dropOpenPosition() { geometry.dropOpenPosition() }

  /// Begins a member. It replaces an earlier member with the same name.
  private mutating func begin(_ name: String?) {
    switch name {
    case "id": member = .id
    case "type": member = .type
    case "properties":
      member = .properties
      properties = PropertyAssembly()
    case "geometry":
      member = .geometry
      geometry = GeometryAssembly(path: "geometry")
    default: member = .other
    }
  }

  func feature() throws(GeoJSON.Fault) -> GeoJSON.Feature {
    var reference = GeoJSON.Reference(number: number, id: nil)
    func fault(_ path: String, _ expected: String, _ place: TextPlace) -> GeoJSON.Fault {
      GeoJSON.Fault(
        feature: reference, problem: .unexpected(path: path, expected: expected), place: place)
    }
    guard isObject else { throw fault("", "an object", place) }
    if let id, id != .null {
      guard let text = id.text else { throw fault("id", "a string or a number", idPlace) }
      reference = GeoJSON.Reference(number: number, id: text)
    }
    guard try type.text(path: "type", of: reference, in: place) == "Feature" else {
      throw fault("type", "\"Feature\"", place)
    }
    guard properties.isAccepted else { throw fault("properties", "an object", properties.place) }
    return GeoJSON.Feature(
      reference: reference, geometry: hasGeometry ? try geometry.geometry(of: reference) : nil,
      properties: properties.values, omittedNames: properties.omittedNames, place: place)
  }
}
