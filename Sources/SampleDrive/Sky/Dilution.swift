import Glibc

/// The dilution of precision from the directions of the satellites used: the square roots of the
/// diagonal of (GᵀG)⁻¹, where G has a row of direction cosines (east, north, up, 1) per satellite.
package struct Dilution: Sendable, Hashable {
  package let east: Double
  package let north: Double
  /// Nil for a 2D fix.
  package let vertical: Double?
  package let time: Double

  package var horizontal: Double { (east * east + north * north).squareRoot() }
  package var position: Double {
    let vertical = vertical ?? 0
    return (east * east + north * north + vertical * vertical).squareRoot()
  }
  package var geometric: Double { (position * position + time * time).squareRoot() }

  /// Nil with too few satellites or a degenerate geometry.
  init?(_ directions: [(elevation: Double, azimuth: Double)], threeDimensional: Bool) {
    let size = threeDimensional ? 4 : 3
    guard directions.count >= size else { return nil }
    var normal = [[Double]](repeating: [Double](repeating: 0, count: size), count: size)
    for direction in directions {
      let (elevation, azimuth) = (direction.elevation.radians, direction.azimuth.radians)
      var row = [cos(elevation) * sin(azimuth), cos(elevation) * cos(azimuth)]
      if threeDimensional { row.append(sin(elevation)) }
      row.append(1)
      for i in 0..<size { for j in 0..<size { normal[i][j] += row[i] * row[j] } }
    }
    guard let variances = Self.diagonalOfInverse(normal) else { return nil }
    east = variances[0].squareRoot()
    north = variances[1].squareRoot()
    vertical = threeDimensional ? variances[2].squareRoot() : nil
    time = variances[size - 1].squareRoot()
  }

  /// Computed by Gauss-Jordan elimination; the matrix is symmetric and positive definite unless
  /// degenerate.
  private static func diagonalOfInverse(_ matrix: [[Double]]) -> [Double]? {
    let size = matrix.count
    var left = matrix
    var right = (0..<size).map { row in (0..<size).map { $0 == row ? 1.0 : 0.0 } }
    for pivot in 0..<size {
      let scale = left[pivot][pivot]
      guard scale > 1e-9 else { return nil }
      for column in 0..<size {
        left[pivot][column] /= scale
        right[pivot][column] /= scale
      }
      for row in 0..<size where row != pivot {
        let factor = left[row][pivot]
        for column in 0..<size {
          left[row][column] -= factor * left[pivot][column]
          right[row][column] -= factor * right[pivot][column]
        }
      }
    }
    let diagonal = (0..<size).map { right[$0][$0] }
    return diagonal.allSatisfy { $0 > 0 } ? diagonal : nil
  }
}
