import AsyncLocation
import FoundationEssentials

extension GeoJSON.Feature {
  /// The conditions of the feature, one for each part of its geometry, with the identifiers `id/1`,
  /// `id/2` and so on in the order of the document. A single part has the identifier `id`.
  func conditions() throws(GeoJSONConditions.Fault) -> [(String, Condition)] {
    let identifier = try identifier()
    let subjects = try subjects()
    let (dwell, expiry) = (try dwell(), try expiry())
    var conditions: [(String, Condition)] = []
    for (index, subject) in subjects.enumerated() {
      let partID = subjects.count == 1 ? identifier : "\(identifier)/\(index + 1)"
      guard (1...1_024).contains(partID.utf8.count), !partID.utf8.contains(0) else {
        throw fault(.invalidIdentifier)
      }
      do throws(LocationError) {
        conditions.append((partID, try Condition(subject, dwell: dwell, expiry: expiry)))
      } catch {
        throw fault(.invalidArea(error.message))
      }
    }
    return conditions
  }

  func fault(_ problem: GeoJSONConditions.Problem) -> GeoJSONConditions.Fault {
    GeoJSONConditions.Fault(feature: self, problem: problem)
  }

  private func identifier() throws(GeoJSONConditions.Fault) -> String {
    if let id = reference.id { return id }
    for name in ["identifier", "name"] {
      guard let value = properties[name], value != .null else { continue }
      guard let text = value.text else {
        throw fault(.invalidProperty(name, expected: "a string or a number"))
      }
      return text
    }
    throw fault(.noIdentifier)
  }

  private func subjects() throws(GeoJSONConditions.Fault) -> [Condition.Subject] {
    var subjects: [Condition.Subject] = []
    switch geometry {
    case .point(let center): subjects = try circles([center], "Point")
    case .multiPoint(let centers): subjects = try circles(centers, "MultiPoint")
    case .lineString(let path): subjects = try corridors([path], "LineString")
    case .multiLineString(let paths): subjects = try corridors(paths, "MultiLineString")
    case .polygon(let rings): subjects = [try polygon(rings)]
    case .multiPolygon(let polygons):
      for rings in polygons { subjects.append(try polygon(rings)) }
    case nil: break
    }
    guard !subjects.isEmpty else { throw fault(.noGeometry) }
    return subjects
  }

  private func circles(
    _ centers: [GeoJSON.Position], _ geometry: String
  ) throws(GeoJSONConditions.Fault) -> [Condition.Subject] {
    let radius = try meters("radius", geometry)
    var circles: [Condition.Subject] = []
    for center in centers {
      circles.append(
        try area { () throws(LocationError) in
          .circle(try .init(center: center.coordinate, radius: radius))
        })
    }
    return circles
  }

  private func corridors(
    _ paths: [[GeoJSON.Position]], _ geometry: String
  ) throws(GeoJSONConditions.Fault) -> [Condition.Subject] {
    let width = try meters("width", geometry)
    var corridors: [Condition.Subject] = []
    for path in paths {
      corridors.append(
        try area { () throws(LocationError) in
          .corridor(try .init(path: path.map(\.coordinate), width: width))
        })
    }
    return corridors
  }

  private func polygon(
    _ positions: [[GeoJSON.Position]]
  ) throws(GeoJSONConditions.Fault) -> Condition.Subject {
    let rings = positions.map { $0.map(\.coordinate) }
    return try area { () throws(LocationError) in
      .polygon(try .init(exterior: rings.first ?? [], holes: Array(rings.dropFirst())))
    }
  }

  private func area(
    _ make: () throws(LocationError) -> Condition.Subject
  ) throws(GeoJSONConditions.Fault) -> Condition.Subject {
    do throws(LocationError) {
      return try make()
    } catch {
      throw fault(.invalidArea(error.message))
    }
  }

  private func meters(
    _ name: String, _ geometry: String
  ) throws(GeoJSONConditions.Fault) -> Double {
    guard let value = properties[name], value != .null else {
      throw fault(.missingProperty(name, geometry: geometry))
    }
    guard let meters = value.number, meters > 0 else {
      throw fault(.invalidProperty(name, expected: "a number of meters above 0"))
    }
    return meters
  }

  private func dwell() throws(GeoJSONConditions.Fault) -> Duration {
    guard let value = properties["dwell"], value != .null else { return .zero }
    guard let seconds = value.number, seconds >= 0, let dwell = ExactSeconds.duration(seconds)
    else { throw fault(.invalidProperty("dwell", expected: "a number of seconds, 0 or above")) }
    return dwell
  }

  private func expiry() throws(GeoJSONConditions.Fault) -> Date? {
    guard let value = properties["expiry"], value != .null else { return nil }
    guard case .string(let text) = value, let date = Self.date(text) else {
      throw fault(
        .invalidProperty(
          "expiry", expected: "an ISO 8601 date and time, such as 2030-09-01T18:00:00Z"))
    }
    return date
  }

  /// The date of a text in UTC, or with an offset such as +02:00.
  private static func date(_ text: String) -> Date? {
    if let date = Timestamp.parse(text) { return date }
    let offset = Array(text.utf8.suffix(6))
    let digits = [1, 2, 4, 5].compactMap { index -> Int? in
      guard offset.count == 6, offset[index].isDigit else { return nil }
      return Int(offset[index] - UInt8(ascii: "0"))
    }
    // The offset is added to UTC, so it is subtracted from the local time.
    guard digits.count == 4, offset[3] == UInt8(ascii: ":"),
      let sign = [UInt8(ascii: "+"): -1.0, UInt8(ascii: "-"): 1.0][offset[0]],
      let date = Timestamp.parse(String(decoding: text.utf8.dropLast(6), as: UTF8.self) + "Z")
    else { return nil }
    let minutes = (digits[0] * 10 + digits[1]) * 60 + digits[2] * 10 + digits[3]
    return date.addingTimeInterval(sign * Double(minutes) * 60)
  }
}

extension GeoJSONConditions.Fault: CustomStringConvertible {
  var description: String { (feature.map { "\($0.reference): " } ?? "") + problem.description }
}

extension GeoJSONConditions.Problem: CustomStringConvertible {
  /// The error and the change that resolves it, without coordinates of the document.
  var description: String {
    switch self {
    case .noFeatures: "it has no features; add one for each area"
    case .noGeometry: "it has no geometry; add one, or remove the feature"
    case .noIdentifier: "it has no identifier; add the member id, or the property name"
    case .invalidIdentifier: "its identifier must have 1 to 1,024 bytes and no NUL"
    case .duplicateIdentifier(let identifier, let first):
      "the identifier \"\(String(printable: identifier, limit: 60))\" is already that of "
        + "\(first); give each feature its own"
    case .missingProperty(let name, let geometry):
      "a \(geometry) needs the property \(name), in meters; add it"
    case .invalidProperty(let name, let expected): "the property \(name) must be \(expected)"
    case .invalidArea(let reason): reason
    }
  }
}
