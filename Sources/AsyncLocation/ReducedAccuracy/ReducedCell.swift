/// A cell of a ``ReducedGrid``: a rectangle between two parallels and two meridians of the grid, or
/// the cap around one of its poles.
struct ReducedCell: Sendable, Hashable {
  /// The position that replaces every position in the cell.
  let centre: SurfaceNormal

  /// The bounds within which a receiver enters the cell.
  private let entryBounds: Bounds
  /// The wider bounds within which a receiver stays in the cell.
  private let stayBounds: Bounds

  /// The bounds of a cell with a margin.
  private struct Bounds: Sendable {
    let pole: SurfaceNormal
    /// The cosine of the largest angular distance from the pole.
    let minimumCosine: Double
    /// The cosine of the smallest angular distance from the pole.
    let maximumCosine: Double
    /// Inward normals of the meridian planes; nil for a cap.
    let sides: (SurfaceNormal, SurfaceNormal)?

    /// All values are angles in radians. `near` and `far` are the distances from the pole of the
    /// cell without its margin.
    init(
      _ axes: ReducedGrid.Axes, from near: Double, to far: Double, longitude: Double,
      halfWidth: Double?, margin: Double
    ) {
      pole = axes.pole
      // A value outside -1...1 means that the cell has no bound on this side.
      maximumCosine = near > margin ? Double.cos(near - margin) : 1.1
      minimumCosine = far < .pi - margin ? Double.cos(far + margin) : -1.1
      sides = halfWidth.map { halfWidth in
        let half = halfWidth + margin / Double.sin((near + far) / 2)
        let (west, east) = (longitude - half, longitude + half)
        return (
          .sum(axes.prime, -Double.sin(west), axes.east, Double.cos(west), axes.pole, 0),
          .sum(axes.prime, Double.sin(east), axes.east, -Double.cos(east), axes.pole, 0)
        )
      }
    }

    func contains(_ position: SurfaceNormal) -> Bool {
      let cosine = position.dot(pole)
      guard cosine >= minimumCosine, cosine <= maximumCosine else { return false }
      guard let sides else { return true }
      return position.dot(sides.0) >= 0 && position.dot(sides.1) >= 0
    }
  }

  /// All values are angles in radians. `near` and `far` are the distances from the pole of the cell
  /// without its margins.
  ///
  /// - Parameter halfWidth: Half of the cell's width in longitude; nil for a cap.
  init(
    axes: ReducedGrid.Axes, from near: Double, to far: Double, longitude: Double,
    halfWidth: Double?, margins: (entry: Double, stay: Double)
  ) {
    func bounds(_ margin: Double) -> Bounds {
      Bounds(
        axes, from: near, to: far, longitude: longitude, halfWidth: halfWidth, margin: margin)
    }
    (entryBounds, stayBounds) = (bounds(margins.entry), bounds(margins.stay))
    guard halfWidth != nil else {
      let sign = near > 0 ? -1.0 : 1
      centre = SurfaceNormal(
        x: sign * axes.pole.x, y: sign * axes.pole.y, z: sign * axes.pole.z)
      return
    }
    centre = axes.normal(distance: (near + far) / 2, longitude: longitude)
  }

  /// True if a position is in the cell, or near enough that a receiver enters the cell.
  func containsForEntry(_ position: SurfaceNormal) -> Bool { entryBounds.contains(position) }

  /// True if a position is in the cell, or near enough that a receiver stays in the cell.
  func containsForStay(_ position: SurfaceNormal) -> Bool { stayBounds.contains(position) }

  /// The centre, rounded to 0.0001° to remove the numerical noise in its last digits.
  var coordinate: Coordinate {
    func rounded(_ degrees: Double) -> Double { (degrees * 10_000).rounded() / 10_000 }
    let (latitude, longitude) = centre.degrees
    return .within(latitude: rounded(latitude), longitude: rounded(longitude))
  }

  static func == (left: Self, right: Self) -> Bool { left.centre == right.centre }

  func hash(into hasher: inout Hasher) { hasher.combine(centre) }
}

extension Coordinate {
  /// A coordinate clamped to its valid range.
  fileprivate static func within(latitude: Double, longitude: Double) -> Self {
    do {
      return try Self(
        latitude: min(max(latitude, -90), 90), longitude: min(max(longitude, -180), 180))
    } catch {
      // Degrees from `atan2` are never NaN, and they were just clamped.
      preconditionFailure("The centre of a cell is not a valid coordinate: \(error)")
    }
  }
}
