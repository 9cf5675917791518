/// Assembles the parts of a document from its tokens. Pure.
///
/// Each feature of a collection is returned at its end. An array `features` is read as that of a
/// collection unless a different type precedes it.
struct DocumentAssembly: Sendable {
  private enum Member { case type, name, features, other }
  private enum Features {
    case missing, array
    case other(TextPlace)
  }

  private let acceptsGeometry: Bool
  /// The place of the first token; nil before it.
  private(set) var place: TextPlace?
  private(set) var isComplete = false
  private var level = 0
  private var member = Member.other
  private var isObject = false
  private var type = TextMember.missing
  private var name: String?
  private var features = Features.missing
  /// Whether the current token is within features that are read.
  private var isInFeatures = false
  private var hasReadFeatures = false
  private var hasIgnoredFeatures = false
  /// The current element of `features`, and its number.
  private var number = 1
  private var element = FeatureAssembly(number: 1)
  /// The document as a feature.
  private var feature = FeatureAssembly(number: nil)
  /// The document as a geometry.
  private var geometry = GeometryAssembly(path: "")

  init(acceptsGeometry: Bool) { self.acceptsGeometry = acceptsGeometry }

  /// The approximate number of bytes held.
  var heldCount: Int { element.heldCount + feature.heldCount + geometry.heldCount }

  /// Drops the open position: one of its numbers may be damaged.
  mutating func dropOpenPosition() {
    element.dropOpenPosition()
    feature.dropOpenPosition()
    geometry.dropOpenPosition()
  }

  /// Handles the next token.
  ///
  /// - Returns: The part of the document that the token completes, if any.
  mutating func handle(_ token: JSONToken) throws(GeoJSON.Fault) -> GeoJSON.Part? {
    if isInFeatures { return handleInFeatures(token) }
    feature.handle(token)
    geometry.handle(token)
    let outer = level
    level += token.nesting
    if outer == 0 {
      (place, isObject) = (token.place, token.kind == .beginObject)
    } else if outer == 1, isObject, token.nesting >= 0 {
      if let part = handleMember(token) { return part }
    }
    guard level == 0 else { return nil }
    isComplete = true
    return try end()
  }

  /// Handles the name of a member, or the token that begins its value.
  private mutating func handleMember(_ token: JSONToken) -> GeoJSON.Part? {
    if case .name(let name) = token.kind {
      switch name {
      case "type": member = .type
      case "name": member = .name
      case "features": member = .features
      default: member = .other
      }
      return nil
    }
    switch member {
    case .type: type.set(token)
    case .name:
      if case .string(let text?) = token.kind { name = text } else { name = nil }
      guard case .string(nil) = token.kind else { return nil }
      let problem = GeoJSON.Problem.unexpected(path: "name", expected: "at most 64 KiB long")
      return .name(.failure(GeoJSON.Fault(feature: nil, problem: problem, place: token.place)))
    case .features where token.kind == .beginArray:
      features = .array
      guard [.missing, .text("FeatureCollection")].contains(type) else {
        hasIgnoredFeatures = true
        return nil
      }
      (isInFeatures, hasReadFeatures) = (true, true)
      (number, element) = (1, FeatureAssembly(number: 1))
      return name.map { .name(.success($0)) }
    case .features: features = .other(token.place)
    case .other: break
    }
    return nil
  }

  /// Handles a token of the elements of `features`, or their end.
  private mutating func handleInFeatures(_ token: JSONToken) -> GeoJSON.Part? {
    level += token.nesting
    if level == 1 {
      isInFeatures = false
      feature.handle(token)
      geometry.handle(token)
      return nil
    }
    element.handle(token)
    guard level == 2 else { return nil }
    let complete = element
    number += 1
    element = FeatureAssembly(number: number)
    return .feature(Result { () throws(GeoJSON.Fault) in try complete.feature() })
  }

  private func end() throws(GeoJSON.Fault) -> GeoJSON.Part? {
    let place = place ?? TextPlace()
    func fault(_ problem: GeoJSON.Problem, _ place: TextPlace) -> GeoJSON.Fault {
      GeoJSON.Fault(feature: nil, problem: problem, place: place)
    }
    guard isObject else { throw fault(.unexpected(path: "", expected: "an object"), place) }
    let type = try type.text(path: "type", of: nil, in: place)
    guard type == "FeatureCollection" ? !hasIgnoredFeatures : !hasReadFeatures else {
      throw fault(.contradictoryType, place)
    }
    switch type {
    case "FeatureCollection":
      switch features {
      case .missing: throw fault(.missing(path: "features"), place)
      case .other(let place):
        throw fault(.unexpected(path: "features", expected: "an array"), place)
      case .array: return name.map { .name(.success($0)) }
      }
    case "Feature":
      return .feature(Result { () throws(GeoJSON.Fault) in try feature.feature() })
    case _ where acceptsGeometry:
      let reference = GeoJSON.Reference(number: nil, id: nil)
      let geometry = try geometry.geometry(of: reference)
      return .feature(
        .success(
          GeoJSON.Feature(reference: reference, geometry: geometry, properties: [:], place: place)))
    default: throw fault(.unsupportedDocument(type: type), place)
    }
  }
}
