extension EdgeTree {
  /// Returns the side of a point, and whether the point is at least a margin in metres from the
  /// nearest edge that limits the area. The chains must be rings.
  func side(of point: AreaPoint, margin: Double) -> (side: AreaSide, isCertain: Bool) {
    let (isInFirst, isInAnother) = rings(around: point)
    let side: AreaSide = isInFirst && !isInAnother ? .inside : .outside
    guard margin > 0 else { return (side, true) }
    // Outside the first ring, the other rings do not matter, because every path to the area crosses
    // the first ring.
    var search = EdgeSearch(self, near: point, of: isInFirst ? .all : .first)
    return (side, !search.isWithin(margin))
  }

  /// Whether a point is within the first ring, and whether it is within any other ring.
  ///
  /// Counts the edges that cross the meridian from the point over the north pole to its antipode.
  /// The antipode is outside, because the rings fit into a hemisphere.
  private func rings(around point: AreaPoint) -> (first: Bool, another: Bool) {
    guard point.spherical.angle(to: cap.center) <= cap.angle else { return (false, false) }
    let meridian = Meridian(from: point.spherical)
    var (chain, parity, isInFirst, isInAnother) = (0, false, false, false)
    func endChain() {
      if chain == 0 { isInFirst = parity } else if parity { isInAnother = true }
      (chain, parity) = (chain + 1, false)
    }
    // The roots are in the order of the chains.
    forEachRoot { root in
      while chain < ends.count, root.edges.lowerBound >= ends[chain] { endChain() }
      parity = parity != crosses(root, point, meridian)
    }
    endChain()
    return (isInFirst, isInAnother)
  }

  /// The half circle from a point over the north pole to its antipode.
  private struct Meridian {
    private let east: SphericalPoint
    private let north: SphericalPoint

    init(from point: SphericalPoint) {
      let radius = Double.hypot(point.x, point.y)
      east =
        radius > 0
        ? SphericalPoint(x: -point.y / radius, y: point.x / radius, z: 0)
        : SphericalPoint(x: 0, y: 1, z: 0)
      north = point.cross(east)
    }

    /// True when the arc between two points crosses the meridian.
    @inline(__always)
    func isCrossed(_ start: SphericalPoint, _ end: SphericalPoint) -> Bool {
      let (from, to) = (start.dot(east), end.dot(east))
      guard (from > 0) != (to > 0) else { return false }
      let height = start.dot(north) * to - end.dot(north) * from
      return to > 0 ? height > 0 : height < 0
    }
  }

  /// True when the edges of a run cross the meridian an odd number of times.
  private func crosses(_ run: Run, _ point: AreaPoint, _ meridian: Meridian) -> Bool {
    let angle = point.spherical.angle(to: run.cap.center)
    let reach = run.cap.angle + run.deviation / WGS84.polarRadius
    if angle > reach, .pi - angle > reach {
      // Replacing the run with one arc does not move it across either end of the meridian.
      return meridian.isCrossed(
        vertices[Int(run.edges.lowerBound)].point, vertices[Int(run.edges.upperBound)].point)
    }
    guard run.children.isEmpty else {
      return run.children.reduce(false) { $0 != crosses(runs[Int($1)], point, meridian) }
    }
    return run.edges.reduce(false) { parity, edge in
      let isCrossed = meridian.isCrossed(
        vertices[Int(edge)].point, vertices[Int(edge) + 1].point)
      return parity != (isCrossed != isBetween(Int(edge), point))
    }
  }

  /// True when a point is between an edge's arc and its geodesic.
  private func isBetween(_ edge: Int, _ point: AreaPoint) -> Bool {
    let (start, end) = (vertices[edge].point, vertices[edge + 1].point)
    let angle = SphericalArc(from: start, to: end).angle(to: point.spherical)
    guard angle * WGS84.polarRadius <= SphericalArc.deviation(start, end) else { return false }
    guard let side = segment(edge).nearest(to: point.coordinate).side else { return false }
    let isLeftOfArc = (start - end).cross(start + end).dot(point.spherical) > 0
    return isLeftOfArc != (side < 0)
  }
}
