/// Simplifies a line of a picture by the algorithm of Douglas and Peucker in the plane. Pure.
enum LineReduction {
  /// From this depth on, runs are bisected, which bounds the number of passes.
  private static let deepest = 48

  /// Returns the first point, the last, and enough points between them that no other is farther
  /// from the line than a tolerance in pixels.
  static func reduced(_ points: [PlanePoint], tolerance: Double) -> [PlanePoint] {
    guard points.count > 2 else { return points }
    var isKept = [Bool](repeating: false, count: points.count)
    (isKept[0], isKept[points.count - 1]) = (true, true)
    var runs = [(first: 0, last: points.count - 1, depth: 0)]
    while let run = runs.popLast() {
      guard run.last - run.first > 1 else { continue }
      var (index, farthest) = (run.first, tolerance)
      for candidate in run.first + 1..<run.last {
        let distance = points[candidate].distance(
          toLineFrom: points[run.first], to: points[run.last])
        if distance > farthest { (index, farthest) = (candidate, distance) }
      }
      guard index > run.first else { continue }
      if run.depth >= deepest { index = (run.first + run.last) / 2 }
      isKept[index] = true
      runs.append((run.first, index, run.depth + 1))
      runs.append((index, run.last, run.depth + 1))
    }
    return points.indices.filter { isKept[$0] }.map { points[$0] }
  }
}
