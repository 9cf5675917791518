internal import AsyncLocation

extension Gazetteer {
  /// The names and the point of a place, and its distance from a point if one is given; nil if the
  /// place has no valid coordinate.
  ///
  /// - Parameter timeZone: The time zone of the point; nil for that of the place.
  func placemark(
    _ place: Int, _ names: PreferredNames, from point: Coordinate?,
    timeZone: StoredText? = nil
  ) -> Placemark? {
    guard let coordinate = PlaceTree(nodes: places).point(place).coordinate else { return nil }
    var placemark = Placemark(coordinate: coordinate)
    // Measured before the names are set, because measuring copies the placemark.
    if let point { placemark = placemark.measured(from: point) }
    let division = division(place)
    let country = country(ofDivision: division)
    let name = names.name(of: .place(place)) ?? name(place).nonEmpty
    placemark.name = name
    if let city = city(place) {
      placemark.subLocality = name
      placemark.locality = names.name(of: .place(city)) ?? self.name(city).nonEmpty
    } else {
      placemark.locality = name
    }
    placemark.subAdministrativeArea = subdivisionName(place).nonEmpty
    placemark.administrativeArea =
      names.name(of: .division(division)) ?? divisionName(division).nonEmpty
    set(country, of: &placemark, names)
    placemark.timeZone = (timeZone ?? self.timeZone(place)).nonEmpty
    // GeoNames writes 0 for an unknown population.
    let population = population(place)
    placemark.population = population > 0 ? population : nil
    return placemark
  }

  /// The placemark of a point for which only the country is known.
  func placemark(
    ofCountry country: Int, _ names: PreferredNames, at coordinate: Coordinate
  ) -> Placemark {
    var placemark = Placemark(coordinate: coordinate)
    set(country, of: &placemark, names)
    placemark.name = placemark.country
    return placemark
  }

  private func set(_ country: Int, of placemark: inout Placemark, _ names: PreferredNames) {
    placemark.country = names.name(of: .country(country)) ?? countryName(country).nonEmpty
    placemark.isoCountryCode = countryCode(country).nonEmpty
    placemark.source = OfflineGeocoder.source
    placemark.attribution = OfflineGeocoder.attribution
  }
}
