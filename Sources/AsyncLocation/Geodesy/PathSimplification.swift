/// Selects the points of a path that a simplified path keeps, after D. Douglas and T. Peucker,
/// "Algorithms for the reduction of the number of points required to represent a digitized line",
/// Cartographica 10 (1973).
///
/// An edge replaces a run of points if no point of the run is farther from the edge's geodesic than
/// the tolerance. Otherwise the run is divided at the point that is farthest from the edge's arc on
/// the sphere. The tolerance applies on the ellipsoid: bounds computed on the sphere decide first,
/// and geodesics are solved only for distances between the bounds.
package enum PathSimplification {
  /// The cosine of 45 degrees, which are about 5,000 km. A run that reaches farther from its start
  /// is bisected, since the bounds on the distances from its edge are too wide.
  private static let longestEdgeCosine = 0.5.squareRoot()
  /// From this depth on, runs are bisected, which bounds the number of passes over all points.
  private static let deepest = 64

  /// A run of points between two kept points.
  private struct Run {
    let first: Int
    let last: Int
    let depth: Int
  }

  /// The indices of the points to keep, ascending: the first, the last, and the points at which
  /// runs are divided.
  ///
  /// - Parameter tolerance: Metres; not negative.
  package static func keptIndices(of path: [Coordinate], tolerance: Double) -> [Int] {
    guard path.count > 2 else { return Array(path.indices) }
    let points = path.map(SphericalPoint.init)
    var isKept = [Bool](repeating: false, count: path.count)
    (isKept[0], isKept[path.count - 1]) = (true, true)
    var runs = [Run(first: 0, last: path.count - 1, depth: 0)]
    while let run = runs.popLast() {
      guard let index = division(of: run, path, points, tolerance) else { continue }
      isKept[index] = true
      runs.append(Run(first: run.first, last: index, depth: run.depth + 1))
      runs.append(Run(first: index, last: run.last, depth: run.depth + 1))
    }
    return isKept.indices.filter { isKept[$0] }
  }

  /// Returns the index at which to divide a run; nil if one edge replaces the run.
  private static func division(
    of run: Run, _ path: [Coordinate], _ points: [SphericalPoint], _ tolerance: Double
  ) -> Int? {
    let inner = run.first + 1..<run.last
    guard !inner.isEmpty else { return nil }
    let (start, end) = (points[run.first], points[run.last])
    let middle = (run.first + run.last) / 2
    let isFar = (run.first + 1...run.last).contains {
      start.dot(points[$0]) < longestEdgeCosine
    }
    guard !isFar else { return middle }
    let arc = SphericalArc(from: start, to: end)
    let farthest = farthest(inner) { arc.angle(to: points[$0]) }
    let deviation = SphericalArc.deviation(start, end)
    if farthest.angle * WGS84.equatorialRadius + deviation <= tolerance { return nil }
    if farthest.angle * WGS84.polarRadius - deviation <= tolerance {
      let segment = GeodesicSegment(from: path[run.first], to: path[run.last])
      func isWithin(_ index: Int) -> Bool {
        arc.angle(to: points[index]) * WGS84.equatorialRadius + deviation <= tolerance
          || segment.nearest(to: path[index]).distance <= tolerance
      }
      // Checks the farthest point on the sphere first: it is the most likely to exceed the
      // tolerance.
      if isWithin(farthest.index), inner.allSatisfy(isWithin) { return nil }
    }
    return run.depth < deepest ? farthest.index : middle
  }

  private static func farthest(
    _ indices: Range<Int>, _ angle: (Int) -> Double
  ) -> (index: Int, angle: Double) {
    indices.reduce(into: (indices.lowerBound, -1.0)) { result, index in
      let angle = angle(index)
      if angle > result.1 { result = (index, angle) }
    }
  }
}
