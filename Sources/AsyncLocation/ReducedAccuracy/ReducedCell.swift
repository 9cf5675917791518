import Glibc

/// One cell of a ``ReducedGrid``: a rectangle between two parallels and two meridians about the
/// grid's pole, or the cap about a pole of it.
struct ReducedCell: Sendable, Hashable {
  /// What stands for every position in the cell.
  let centre: SurfaceNormal

  private let pole: SurfaceNormal
  /// The cosines of the distances from the pole between which the cell and its margin lie.
  private let farthest: Double
  private let nearest: Double
  /// The planes through the pole that bound the cell and its margin look inwards; nil for a cap.
  private let sides: (SurfaceNormal, SurfaceNormal)?

  /// Angles in radians. The distances are those of the cell, without its margin.
  init(
    axes: ReducedGrid.Axes, from near: Double, to far: Double, longitude: Double,
    halfWidth: Double?, margin: Double
  ) {
    pole = axes.pole
    nearest = near > margin ? cos(near - margin) : 1.1
    farthest = far < .pi - margin ? cos(far + margin) : -1.1
    guard let halfWidth else {
      sides = nil
      let sign = near > 0 ? -1.0 : 1
      centre = SurfaceNormal(x: sign * pole.x, y: sign * pole.y, z: sign * pole.z)
      return
    }
    let distance = (near + far) / 2
    centre = axes.normal(distance: distance, longitude: longitude)
    let half = halfWidth + margin / sin(distance)
    let (west, east) = (longitude - half, longitude + half)
    sides = (
      .sum(axes.prime, -sin(west), axes.east, cos(west), axes.pole, 0),
      .sum(axes.prime, sin(east), axes.east, -cos(east), axes.pole, 0)
    )
  }

  /// True for the positions in the cell or within its margin.
  func holds(_ position: SurfaceNormal) -> Bool {
    let height = position.dot(pole)
    guard height >= farthest, height <= nearest else { return false }
    guard let sides else { return true }
    return position.dot(sides.0) >= 0 && position.dot(sides.1) >= 0
  }

  /// The centre, cut to a ten-thousandth of a degree: its last digits are the arithmetic's, not the
  /// grid's.
  var coordinate: Coordinate {
    func cut(_ degrees: Double) -> Double { (degrees * 10_000).rounded() / 10_000 }
    let (latitude, longitude) = centre.degrees
    return .within(latitude: cut(latitude), longitude: cut(longitude))
  }

  static func == (left: Self, right: Self) -> Bool { left.centre == right.centre }

  func hash(into hasher: inout Hasher) { hasher.combine(centre) }
}

extension Coordinate {
  /// A point whose degrees are in range but for rounding.
  fileprivate static func within(latitude: Double, longitude: Double) -> Self {
    do {
      return try Self(
        latitude: min(max(latitude, -90), 90), longitude: min(max(longitude, -180), 180))
    } catch {
      // Degrees of an arc tangent are numbers, and were just brought into range.
      preconditionFailure("The centre of a cell is a coordinate: \(error)")
    }
  }
}
