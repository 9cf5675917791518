internal import AsyncLocation

extension Gazetteer {
  /// The place that is nearest to a point along the ellipsoid.
  func nearestPlace(to coordinate: Coordinate) -> Int {
    let point = SpacePoint(coordinate)
    let tree = PlaceTree(nodes: places)
    let nearest = tree.nearest(to: point)
    let limit = SpacePoint.ambiguous(nearest.squaredChord)
    guard nearest.runnerUp <= limit else { return nearest.index }
    // Chords are too close to tell. Of places at one point, the larger counts.
    var best = (index: nearest.index, distance: Double.infinity, population: -1)
    tree.forEach(near: point, withinSquared: limit) { index, _ in
      guard let place = tree.point(index).coordinate else { return }
      let (distance, population) = (coordinate.distance(to: place), population(index))
      if (distance, -population) < (best.distance, -best.population) {
        best = (index, distance, population)
      }
    }
    return best.index
  }

  /// The city that a place near a point belongs to: the largest in the place's division whose radius
  /// contains the point, if it has three times the population of the place. Of two cities side by
  /// side, neither belongs to the other.
  ///
  /// The radius is 6 m times the square root of the population: 6 km for a million, 18 km for nine.
  func city(of place: Int, at coordinate: Coordinate) -> Int? {
    let point = SpacePoint(coordinate)
    let division = division(place)
    // A place of unknown population belongs to any city.
    let least = 3 * population(place)
    var best: (place: Int, population: Int)?
    let widest = Self.cityRadius(Self.largestPopulation) * SpacePoint.unitsPerMetre
    PlaceTree(nodes: cities).forEach(near: point, withinSquared: widest * widest) { index, chord in
      let city = Int(cities.number(index, at: 12) >> 2)
      let population = population(city)
      let radius = Self.cityRadius(population) * SpacePoint.unitsPerMetre
      guard chord <= radius * radius, self.division(city) == division, population >= least,
        population > best?.population ?? 0
      else { return }
      best = (city, population)
    }
    return best?.place
  }

  /// Metres.
  private static func cityRadius(_ population: Int) -> Double {
    6 * Double(population).squareRoot()
  }

  /// Larger than that of any city.
  private static let largestPopulation = 40_000_000
}
