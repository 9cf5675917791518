internal import AsyncLocation

extension Gazetteer {
  /// The names and the point of a place; nil if the file has no such place.
  func placemark(_ place: Int) -> Placemark? {
    guard let coordinate = PlaceTree(nodes: places).point(place).coordinate else { return nil }
    var placemark = Placemark(coordinate: coordinate)
    let division = division(place)
    let country = country(ofDivision: division)
    placemark.name = name(place).nonEmpty
    placemark.locality = placemark.name
    placemark.administrativeArea = divisionName(division).nonEmpty
    placemark.country = countryName(country).nonEmpty
    placemark.isoCountryCode = countryCode(country).nonEmpty
    placemark.timeZone = timeZone(place).nonEmpty
    // GeoNames writes 0 where it is not known.
    let population = population(place)
    placemark.population = population > 0 ? population : nil
    placemark.source = OfflineGeocoder.source
    placemark.attribution = OfflineGeocoder.attribution
    return placemark
  }
}

extension String {
  fileprivate var nonEmpty: String? { isEmpty ? nil : self }
}
