internal import AsyncLocation

extension Gazetteer {
  /// The country of a point, and the places that name it and its time zone.
  struct Surroundings {
    /// The nearest place; nil if the country of the point has none.
    var place: Int?
    /// A place of the same time zone.
    var timeZonePlace: Int?
    /// The country; nil if it has no name in the file.
    var country: Int?
  }

  /// Finds the nearest place in the country of a point, and the nearest one with its time zone.
  /// Without a region at the point, the nearest place decides.
  func surroundings(of coordinate: Coordinate, _ borders: Borders?) -> Surroundings {
    let nearest = nearestPlace(to: coordinate)
    guard let borders, let region = borders.region(at: coordinate) else {
      return Surroundings(
        place: nearest, timeZonePlace: nearest, country: nearest.map(country(ofPlace:)))
    }
    let code = borders.countryCode(region)
    let tree = PlaceTree(nodes: places)
    func isInCountry(_ place: Int) -> Bool {
      countryCode(country(ofPlace: place)).elementsEqual(code)
    }
    func isInRegion(_ place: Int) -> Bool {
      isInCountry(place)
        && tree.point(place).coordinate.flatMap(borders.region(at:)) == region
    }
    // The nearest place is in most cases in the country and the region.
    func first(_ candidate: Int?, where isIncluded: (Int) -> Bool) -> Int? {
      if let candidate, isIncluded(candidate) { return candidate }
      return nearestPlace(to: coordinate, where: isIncluded)
    }
    let place = first(nearest, where: isInCountry)
    let timeZonePlace = place == nil ? nil : first(place, where: isInRegion) ?? place
    return Surroundings(
      place: place, timeZonePlace: timeZonePlace,
      country: place.map(country(ofPlace:)) ?? country(withCode: code))
  }

  private func country(ofPlace place: Int) -> Int { country(ofDivision: division(place)) }

  private func country(withCode code: [UInt8]) -> Int? {
    (0..<countryCount).first { countryCode($0).elementsEqual(code) }
  }
}
