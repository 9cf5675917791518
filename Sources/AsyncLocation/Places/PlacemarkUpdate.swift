/// A location and the places at it; the element of
/// ``LocationManager/placemarks(using:_:)``.
public struct PlacemarkUpdate: Sendable, Hashable {
  /// The location whose places were requested.
  public let location: Location
  /// The places, the best first; empty if there is an ``error``, unless it is
  /// ``LocationError/Code/geocodeFoundPartialResult``.
  public let placemarks: [Placemark]
  /// The reason why there are no places, or why the result is partial; otherwise nil.
  public let error: LocationError?

  /// The best place.
  public var placemark: Placemark? { placemarks.first }

  /// Creates an update.
  public init(location: Location, placemarks: [Placemark] = [], error: LocationError? = nil) {
    self.location = location
    self.placemarks = placemarks
    self.error = error
  }

  /// Creates an update from the answer of a geocoder.
  init(_ location: Location, _ answer: Result<[Placemark], LocationError>) {
    switch answer {
    case .success(let placemarks): self.init(location: location, placemarks: placemarks)
    case .failure(let error):
      self.init(location: location, placemarks: error.partialPlacemarks, error: error)
    }
  }
}

extension PlacemarkUpdate: Codable {
  private enum CodingKeys: String, CodingKey { case location, placemarks, error }

  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      location: try values.decode(Location.self, forKey: .location),
      placemarks: try values.decodeIfPresent([Placemark].self, forKey: .placemarks) ?? [],
      error: try values.decodeIfPresent(LocationError.self, forKey: .error))
  }
}

extension PlacemarkUpdate: Described {
  package var members: [DescribedMember] {
    [
      DescribedMember("location", location),
      DescribedMember("placemarks", placemarks),
      DescribedMember("error", error),
    ]
  }
}
