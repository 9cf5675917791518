import FoundationEssentials

/// A flat format like that of ``Location``: times as ISO 8601 in UTC, durations as numbers of
/// seconds, absent members omitted.
extension Trip: Codable, Described {
  private enum CodingKeys: String, CodingKey {
    case start, end, startLatitude, startLongitude, endLatitude, endLongitude, distance, movingTime
    case maximumSpeed, locationCount, stops
  }

  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    func coordinate(_ latitude: CodingKeys, _ longitude: CodingKeys) throws -> Coordinate? {
      guard let latitude = try values.decodeIfPresent(Double.self, forKey: latitude) else {
        return nil
      }
      return try Coordinate(
        latitude: latitude, longitude: values.decode(Double.self, forKey: longitude))
    }
    self = try values.validated {
      try Self(
        start: values.decodeTimestamp(forKey: .start),
        end: values.decodeTimestampIfPresent(forKey: .end),
        startCoordinate: Coordinate(
          latitude: values.decode(Double.self, forKey: .startLatitude),
          longitude: values.decode(Double.self, forKey: .startLongitude)),
        endCoordinate: coordinate(.endLatitude, .endLongitude),
        distance: values.decode(Double.self, forKey: .distance),
        movingTime: values.decodeDurationIfPresent(forKey: .movingTime),
        maximumSpeed: values.decodeIfPresent(Double.self, forKey: .maximumSpeed),
        locationCount: values.decode(Int.self, forKey: .locationCount),
        stops: values.decodeIfPresent([Stop].self, forKey: .stops) ?? [])
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(Timestamp.format(start), forKey: .start)
    try values.encodeIfPresent(end.map(Timestamp.format), forKey: .end)
    try values.encode(startCoordinate.latitude, forKey: .startLatitude)
    try values.encode(startCoordinate.longitude, forKey: .startLongitude)
    try values.encodeIfPresent(endCoordinate?.latitude, forKey: .endLatitude)
    try values.encodeIfPresent(endCoordinate?.longitude, forKey: .endLongitude)
    try values.encode(distance, forKey: .distance)
    try values.encodeIfPresent(movingTime.map(ExactSeconds.number), forKey: .movingTime)
    try values.encodeIfPresent(maximumSpeed, forKey: .maximumSpeed)
    try values.encode(locationCount, forKey: .locationCount)
    if !stops.isEmpty { try values.encode(stops, forKey: .stops) }
  }

  package var members: [DescribedMember] {
    [
      DescribedMember("start", start), DescribedMember("end", end),
      DescribedMember("startCoordinate", startCoordinate),
      DescribedMember("endCoordinate", endCoordinate),
      DescribedMember("distance", distance, "m"), DescribedMember("movingTime", movingTime),
      DescribedMember("maximumSpeed", maximumSpeed, "m/s"),
      DescribedMember("locationCount", locationCount),
      DescribedMember("stops", stops.isEmpty ? nil : stops.count),
    ]
  }
}

extension Trip.Stop: Codable, Described {
  private enum CodingKeys: String, CodingKey { case latitude, longitude, start, end }

  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self = try values.validated {
      try Self(
        coordinate: Coordinate(
          latitude: values.decode(Double.self, forKey: .latitude),
          longitude: values.decode(Double.self, forKey: .longitude)),
        start: values.decodeTimestamp(forKey: .start), end: values.decodeTimestamp(forKey: .end))
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(coordinate.latitude, forKey: .latitude)
    try values.encode(coordinate.longitude, forKey: .longitude)
    try values.encode(Timestamp.format(start), forKey: .start)
    try values.encode(Timestamp.format(end), forKey: .end)
  }

  package var describedName: String { "Stop" }
  package var members: [DescribedMember] {
    coordinate.members + [DescribedMember("start", start), DescribedMember("end", end)]
  }
}
