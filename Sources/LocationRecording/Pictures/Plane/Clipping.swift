/// Clips lines and areas to a box. Pure.
enum Clipping {
  /// The parts of a line within a box, by the algorithm of Y.-D. Liang and B. Barsky, after M.
  /// Cyrus and J. Beck.
  static func line(_ points: [PlanePoint], to box: PlaneBox) -> [[PlanePoint]] {
    var lines: [[PlanePoint]] = []
    var isOpen = false
    for (start, end) in zip(points, points.dropFirst()) {
      guard let fractions = fractions(from: start, to: end, box) else {
        isOpen = false
        continue
      }
      let first = start.point(atFraction: fractions.lowerBound, to: end)
      if !isOpen || fractions.lowerBound > 0 { lines.append([first]) }
      lines[lines.count - 1].append(start.point(atFraction: fractions.upperBound, to: end))
      isOpen = fractions.upperBound == 1
    }
    return lines
  }

  /// The fractions of the way from one point to another between which the line is within a box; nil
  /// if it is outside.
  private static func fractions(
    from start: PlanePoint, to end: PlanePoint, _ box: PlaneBox
  ) -> ClosedRange<Double>? {
    var (low, high) = (0.0, 1.0)
    let (dx, dy) = (end.x - start.x, end.y - start.y)
    for (slope, room) in [
      (-dx, start.x - box.left), (dx, box.right - start.x), (-dy, start.y - box.top),
      (dy, box.bottom - start.y),
    ] {
      if slope == 0 {
        if room < 0 { return nil }
      } else if slope < 0 {
        low = max(low, room / slope)
      } else {
        high = min(high, room / slope)
      }
    }
    return low <= high ? low...high : nil
  }

  /// The part of an area within a box, by the algorithm of I. Sutherland and G. Hodgman: one ring,
  /// whose edges may run back and forth along the box.
  static func ring(_ points: [PlanePoint], to box: PlaneBox) -> [PlanePoint] {
    // The distances of a point from the edges of the box, positive within the box.
    let distances: [(PlanePoint) -> Double] = [
      { $0.x - box.left }, { box.right - $0.x }, { $0.y - box.top }, { box.bottom - $0.y },
    ]
    return distances.reduce(points) { ring, distance in
      guard var last = ring.last else { return [] }
      var clipped: [PlanePoint] = []
      for point in ring {
        let (before, after) = (distance(last), distance(point))
        if (before < 0) != (after < 0) {
          clipped.append(last.point(atFraction: before / (before - after), to: point))
        }
        if after >= 0 { clipped.append(point) }
        last = point
      }
      return clipped
    }
  }
}
