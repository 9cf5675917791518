internal import AsyncLocation

extension Gazetteer {
  /// The country and the time zone of a point, and the nearest place in this country.
  struct Surroundings {
    /// The nearest place in the country of the point; nil if the country has none.
    var place: Int?
    /// The time zone of the point; nil without a place.
    var timeZone: StoredText?
    /// The country; nil if the file does not contain it.
    var country: Int?
  }

  /// Finds the nearest place in the country of a point, and the point's time zone. The time zone is
  /// that of the point's region, or of the nearest place in the region. Without a region at the
  /// point, the nearest place determines the country and the time zone.
  func surroundings(of coordinate: Coordinate, _ borders: Borders?) -> Surroundings {
    let nearest = nearestPlace(to: coordinate)
    guard let borders, let region = borders.region(at: coordinate) else {
      return Surroundings(
        place: nearest, timeZone: nearest.map(timeZone), country: nearest.map(country(ofPlace:)))
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
    // The nearest place is usually in the country and the region.
    func nearestIncluded(_ candidate: Int?, where isIncluded: (Int) -> Bool) -> Int? {
      if let candidate, isIncluded(candidate) { return candidate }
      return nearestPlace(to: coordinate, where: isIncluded)
    }
    let place = nearestIncluded(nearest, where: isInCountry)
    let regionZone = borders.timeZone(region)
    return Surroundings(
      place: place,
      timeZone: place.map {
        regionZone.isEmpty ? timeZone(nearestIncluded($0, where: isInRegion) ?? $0) : regionZone
      },
      country: place.map(country(ofPlace:)) ?? country(withCode: code))
  }

  private func country(ofPlace place: Int) -> Int { country(ofDivision: division(place)) }

  private func country(withCode code: [UInt8]) -> Int? {
    (0..<countryCount).first { countryCode($0).elementsEqual(code) }
  }
}
