/// The part of an area that a view shows. Pure.
enum VisibleRings {
  /// Returns the visible rings of an area in pixels. A Mercator map repeats at every 360° of
  /// longitude: the result has one element for each repetition in which the area is visible.
  ///
  /// - Parameters:
  ///   - rings: The exterior ring, then the holes, in the units of the view's projection.
  ///   - view: The view, which converts the rings to pixels.
  ///   - box: The box in pixels to which the rings are clipped.
  ///   - tolerance: The greatest error of the simplification, in pixels. Rings smaller than twice
  ///     the tolerance are omitted.
  static func rings(
    _ rings: [[PlanePoint]], in view: MapView, clippedTo box: PlaneBox, tolerance: Double
  ) -> [[[PlanePoint]]] {
    guard let start = rings.first?.first else { return [] }
    let isMercator = view.projection.kind == .mercator
    let unrolledRings = isMercator ? rings.map { unrolled($0, from: start) } : rings
    return (isMercator ? [-1.0, 0, 1] : [0]).compactMap { turn in
      let visible = unrolledRings.map { ring in
        let pixels = ring.map { view.pixel(PlanePoint($0.x + turn * 2 * .pi, $0.y)) }
        return LineReduction.reduced(Clipping.ring(pixels, to: box), tolerance: tolerance)
      }.filter { $0.count > 2 && PlaneBox.extent(of: $0) >= 2 * tolerance }
      return visible.isEmpty ? nil : visible
    }
  }

  /// The points of a ring, each moved by whole turns in longitude to within half a turn of the
  /// previous point. The first point is moved toward `start`, which is common to all rings of an
  /// area, so that the holes stay inside the exterior.
  private static func unrolled(_ ring: [PlanePoint], from start: PlanePoint) -> [PlanePoint] {
    var last = start
    return ring.map { point in
      last.x = point.x - ((point.x - last.x) / (2 * .pi)).rounded() * 2 * .pi
      last.y = point.y
      return last
    }
  }
}
