import AsyncLocation

/// A conformal projection of the Earth as a sphere onto a plane, in units of the Earth's radius.
///
/// The projection is Mercator's, centered on the middle of the region, so that the antimeridian is
/// a meridian like any other. Near a pole it is the polar stereographic projection, with the
/// central meridian vertical and north at its top.
struct MapProjection: Hashable, Sendable {
  enum Kind: Hashable, Sendable { case mercator, north, south }

  /// The mean radius of the Earth in metres.
  static let radius = 6_371_008.8
  /// The latitude in degrees where a square map of the Earth ends.
  static let mercatorLimit = 85.06
  /// The latitude in degrees beyond which a track is projected around the pole.
  static let polarLimit = 82.0
  /// The extent of a polar projection into the other hemisphere, in degrees.
  private static let farLimit = 30.0

  let kind: Kind
  /// The central meridian in degrees.
  let centralMeridian: Double

  init(_ kind: Kind, centralMeridian: Double) {
    (self.kind, self.centralMeridian) = (kind, centralMeridian)
  }

  /// The projection that suits a region.
  init(for bounds: GeographicBounds) {
    centralMeridian = Self.longitude(bounds.west + bounds.width / 2)
    kind =
      bounds.north > Self.polarLimit && bounds.south >= 0
      ? .north : bounds.south < -Self.polarLimit && bounds.north <= 0 ? .south : .mercator
  }

  /// The point of a coordinate. One beyond the end of the map is at the end.
  func point(_ coordinate: Coordinate) -> PlanePoint {
    point(latitude: coordinate.latitude, longitude: coordinate.longitude)
  }

  func point(latitude: Double, longitude: Double) -> PlanePoint {
    let turn = Self.longitude(longitude - centralMeridian).radians
    switch kind {
    case .mercator:
      let limited = max(-Self.mercatorLimit, min(Self.mercatorLimit, latitude))
      return PlanePoint(turn, -.inverseHyperbolicSine(.tangent(limited.radians)))
    case .north:
      let radius = Self.polarRadius(max(latitude, -Self.farLimit))
      return PlanePoint(radius * .sine(turn), radius * .cosine(turn))
    case .south:
      let radius = Self.polarRadius(max(-latitude, -Self.farLimit))
      return PlanePoint(radius * .sine(turn), -radius * .cosine(turn))
    }
  }

  /// The coordinate of a point in degrees; the longitude is in -180...180.
  func coordinate(at point: PlanePoint) -> (latitude: Double, longitude: Double) {
    switch kind {
    case .mercator:
      let latitude = Double.arcTangent(.hyperbolicSine(-point.y)).degrees
      return (latitude, Self.longitude(centralMeridian + point.x.degrees))
    case .north, .south:
      let sign = kind == .north ? 1.0 : -1
      let distance = 2 * Double.arcTangent(Double.length(point.x, point.y) / 2).degrees
      let turn = Double.arcTangent(point.x, sign * point.y).degrees
      return (sign * (90 - distance), Self.longitude(centralMeridian + turn))
    }
  }

  /// The metres on the ground of one unit at a latitude.
  func metresPerUnit(atLatitude latitude: Double) -> Double {
    switch kind {
    case .mercator: Self.radius * .cosine(min(Self.mercatorLimit, latitude.magnitude).radians)
    case .north: Self.radius * (1 + .sine(latitude.radians)) / 2
    case .south: Self.radius * (1 - .sine(latitude.radians)) / 2
    }
  }

  /// The lines through points in order. A line that leaves the map at one side of the Earth
  /// continues at the other.
  func lines(_ points: [PlanePoint]) -> [[PlanePoint]] {
    guard let first = points.first else { return [] }
    guard kind == .mercator else { return [points] }
    var lines = [[first]]
    for (last, next) in zip(points, points.dropFirst()) {
      let step = next.x - last.x
      if abs(step) > .pi {
        let side = step > 0 ? -Double.pi : .pi
        let unrolled = step > 0 ? next.x - 2 * .pi : next.x + 2 * .pi
        let fraction = unrolled == last.x ? 0 : (side - last.x) / (unrolled - last.x)
        let y = last.y + fraction * (next.y - last.y)
        lines[lines.count - 1].append(PlanePoint(side, y))
        lines.append([PlanePoint(-side, y)])
      }
      lines[lines.count - 1].append(next)
    }
    return lines
  }

  /// The equivalent longitude in -180...180 degrees.
  static func longitude(_ degrees: Double) -> Double { degrees.remainder(dividingBy: 360) }

  /// The distance of a latitude from the pole of a polar projection.
  private static func polarRadius(_ latitude: Double) -> Double {
    2 * .tangent(((90 - latitude) / 2).radians)
  }
}
