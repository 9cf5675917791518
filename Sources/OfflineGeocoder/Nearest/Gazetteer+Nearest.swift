internal import AsyncLocation

extension Gazetteer {
  /// The place that is nearest to a point along the ellipsoid; nil if none is included.
  func nearestPlace(
    to coordinate: Coordinate, where isIncluded: (Int) -> Bool = { _ in true }
  ) -> Int? {
    let point = SpacePoint(coordinate)
    let tree = PlaceTree(nodes: places)
    guard let nearest = tree.nearest(to: point, where: isIncluded) else { return nil }
    let limit = SpacePoint.ambiguityLimit(nearest.squaredChord)
    guard nearest.runnerUp <= limit else { return nearest.index }
    // The chords are too similar to decide, so the geodesics are compared. Of places at the same
    // point, the most populous one is chosen.
    var best = (index: nearest.index, distance: Double.infinity, population: -1)
    for index in tree.points(near: point, withinSquared: limit) where isIncluded(index) {
      guard let place = tree.point(index).coordinate else { continue }
      let (distance, population) = (coordinate.distance(to: place), population(index))
      if (distance, -population, index) < (best.distance, -best.population, best.index) {
        best = (index, distance, population)
      }
    }
    return best.index
  }
}
