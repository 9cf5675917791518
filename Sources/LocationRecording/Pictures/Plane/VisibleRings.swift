/// The part of an area that a view shows. Pure.
enum VisibleRings {
  /// The rings of an area in pixels, once for each turn around the Earth in which the view shows a
  /// part of the area.
  ///
  /// - Parameters:
  ///   - rings: Points of the view's projection, holes included.
  ///   - box: The box to which the rings are clipped.
  ///   - tolerance: The tolerance in pixels.
  static func rings(
    _ rings: [[PlanePoint]], in view: MapView, _ box: PlaneBox, tolerance: Double
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

  /// The points of a ring, each in the turn around the Earth that is nearest to the previous point.
  private static func unrolled(_ ring: [PlanePoint], from start: PlanePoint) -> [PlanePoint] {
    var last = start
    return ring.map { point in
      last.x = point.x - ((point.x - last.x) / (2 * .pi)).rounded() * 2 * .pi
      last.y = point.y
      return last
    }
  }
}
