/// Tests whether points lie in a condition's area, and computes boxes that contain the area.
package struct AreaTest: Sendable {
  /// A range of latitudes and longitudes in degrees.
  package struct Box: Sendable, Hashable {
    package let latitudes: ClosedRange<Double>
    package let longitudes: ClosedRange<Double>

    package func contains(_ coordinate: Coordinate) -> Bool {
      latitudes.contains(coordinate.latitude) && longitudes.contains(coordinate.longitude)
    }
  }

  private let area: AreaGeometry

  /// Nil for a beacon, which has no area.
  package init?(_ condition: Condition) {
    guard let area = AreaGeometry(condition.subject) else { return nil }
    self.area = area
  }

  /// Whether a point lies in the area. A point on the boundary of a polygon may count as outside.
  package func contains(_ coordinate: Coordinate) -> Bool {
    area.side(of: AreaPoint(coordinate), margin: 0).side == .inside
  }

  /// Boxes that contain the area: two if the area crosses the antimeridian.
  package var boxes: [Box] {
    let (center, angle) = (area.cap.center, area.cap.angle + 1e-12)
    let latitude = Double.atan2(center.z, Double.hypot(center.x, center.y))
    let (south, north) = (latitude - angle, latitude + angle)
    guard angle < .pi / 2, south > -.pi / 2, north < .pi / 2 else {
      return [
        Box(
          latitudes: (south > -.pi / 2 ? Self.degrees(ofReduced: south) : -90)...(north < .pi / 2
            ? Self.degrees(ofReduced: north) : 90), longitudes: -180...180)
      ]
    }
    // The cap's half-width in longitude, where a meridian is tangent to it.
    let sine = Double.sin(angle) / Double.cos(latitude)
    let halfWidth = Double.atan2(sine, max(0, 1 - sine * sine).squareRoot()) * 180 / .pi
    let middle = Double.atan2(center.y, center.x) * 180 / .pi
    let (west, east) = (middle - halfWidth - 1e-9, middle + halfWidth + 1e-9)
    let latitudes = Self.degrees(ofReduced: south)...Self.degrees(ofReduced: north)
    func box(_ longitudes: ClosedRange<Double>) -> Box {
      Box(latitudes: latitudes, longitudes: longitudes)
    }
    if west < -180 { return [box(-180...min(east, 180)), box(west + 360...180)] }
    if east > 180 { return [box(west...180), box(-180...east - 360)] }
    return [box(west...east)]
  }

  /// Converts a reduced latitude in radians to the geodetic latitude in degrees.
  private static func degrees(ofReduced latitude: Double) -> Double {
    Double.atan2(Double.sin(latitude), (1 - WGS84.flattening) * Double.cos(latitude)) * 180 / .pi
  }
}
