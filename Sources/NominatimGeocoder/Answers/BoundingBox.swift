import AsyncLocation

/// The bounds of a place in degrees.
struct BoundingBox: Sendable, Hashable {
  let south: Double
  let north: Double
  let west: Double
  let east: Double

  /// Creates bounds; nil unless they are valid.
  init?(south: Double, north: Double, west: Double, east: Double) {
    guard (-90...90).contains(south), (south...90).contains(north), (-180...180).contains(west),
      (-180...180).contains(east)
    else { return nil }
    (self.south, self.north, self.west, self.east) = (south, north, west, east)
  }

  /// The width in degrees. If a place crosses the antimeridian, `west` is greater than `east`.
  private var width: Double { east >= west ? east - west : east - west + 360 }

  /// The circle around the middle that contains the bounds. Nil if they are wider than 180°, as
  /// those of a country on both sides of the antimeridian may be: no circle describes such a place.
  func circle(named name: String) -> CircularRegion? {
    guard width <= 180 else { return nil }
    let middle = west + width / 2
    guard
      let center = try? Coordinate(
        latitude: (south + north) / 2, longitude: middle > 180 ? middle - 360 : middle)
    else { return nil }
    // Up to a width of 180°, the corners are the points farthest from the middle.
    let corners = [(south, west), (south, east), (north, west), (north, east)]
    let radius = corners.reduce(0) { radius, corner in
      let point = Coordinate(checkedLatitude: corner.0, longitude: corner.1)
      return max(radius, center.distance(to: point))
    }
    // The minimum of 1 m gives a place without an extent a circle too.
    return CircularRegion(center: center, radius: max(radius, 1), identifier: name)
  }
}
