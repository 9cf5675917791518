import AsyncLocation

/// A constellation's mark: its shape, and the class of its color. Pure.
enum SatelliteShape {
  /// A path around the origin whose area is about that of a circle with this radius.
  static func path(_ constellation: Satellite.Constellation?, _ radius: Double) -> String {
    switch constellation {
    case .gps?:
      let r = FixedText.shortest(radius, 1)
      return "M-\(r) 0a\(r) \(r) 0 1 0 \(FixedText.shortest(2 * radius, 1)) 0a\(r) \(r) 0 1 0 "
        + "-\(FixedText.shortest(2 * radius, 1)) 0z"
    case .glonass?: return polygon(4, radius * 1.2, turn: 45)
    case .galileo?: return polygon(3, radius * 1.4, turn: 0)
    case .beidou?: return polygon(4, radius * 1.3, turn: 0)
    case .sbas?: return polygon(3, radius * 1.4, turn: 180)
    case .qzss?: return polygon(5, radius * 1.2, turn: 0)
    case .navic?: return polygon(6, radius * 1.1, turn: 0)
    case .imes?: return polygon(8, radius, turn: 22.5)
    case nil: return polygon(3, radius * 1.4, turn: 90)
    @unknown default: return polygon(3, radius * 1.4, turn: 90)
    }
  }

  static func colorClass(_ constellation: Satellite.Constellation?) -> String {
    constellation?.rawValue ?? "other"
  }

  /// A regular polygon with a corner at an angle clockwise from the top.
  private static func polygon(_ corners: Int, _ radius: Double, turn: Double) -> String {
    var data = PathData()
    data.append(
      ring: (0..<corners).map { corner in
        let angle = (turn + 360 * Double(corner) / Double(corners)).radians
        return PlanePoint(radius * .sine(angle), -radius * .cosine(angle))
      })
    return data.text
  }
}
