import FoundationEssentials

/// A flat and stable format: the property names, times as ISO 8601 in UTC, absent members omitted.
extension Location: Codable {
  private enum CodingKeys: String, CodingKey {
    case timestamp, latitude, longitude, altitude, ellipsoidalAltitude, horizontalAccuracy
    case verticalAccuracy, speed, speedAccuracy, course, courseAccuracy, climb, floor
    case sourceInformation, gnss, integrity
  }

  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    func number(_ key: CodingKeys) throws -> Double? {
      try values.decodeIfPresent(Double.self, forKey: key)
    }
    self = try values.validated {
      try Self(
        latitude: values.decode(Double.self, forKey: .latitude),
        longitude: values.decode(Double.self, forKey: .longitude),
        timestamp: values.decodeTimestamp(forKey: .timestamp),
        altitude: number(.altitude), ellipsoidalAltitude: number(.ellipsoidalAltitude),
        horizontalAccuracy: number(.horizontalAccuracy),
        verticalAccuracy: number(.verticalAccuracy), speed: number(.speed),
        speedAccuracy: number(.speedAccuracy), course: number(.course),
        courseAccuracy: number(.courseAccuracy), climb: number(.climb),
        floor: values.decodeIfPresent(Int.self, forKey: .floor),
        sourceInformation: values.decodeIfPresent(
          SourceInformation.self, forKey: .sourceInformation),
        gnss: values.decodeIfPresent(GNSSFix.self, forKey: .gnss))
    }
    integrity = try values.decodeIfPresent([String].self, forKey: .integrity)
      .flatMap(LocationIntegrity.init(names:))
  }

  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(Timestamp.format(timestamp), forKey: .timestamp)
    try values.encode(latitude, forKey: .latitude)
    try values.encode(longitude, forKey: .longitude)
    try values.encodeIfPresent(altitude, forKey: .altitude)
    try values.encodeIfPresent(ellipsoidalAltitude, forKey: .ellipsoidalAltitude)
    try values.encodeIfPresent(horizontalAccuracy, forKey: .horizontalAccuracy)
    try values.encodeIfPresent(verticalAccuracy, forKey: .verticalAccuracy)
    try values.encodeIfPresent(speed, forKey: .speed)
    try values.encodeIfPresent(speedAccuracy, forKey: .speedAccuracy)
    try values.encodeIfPresent(course, forKey: .course)
    try values.encodeIfPresent(courseAccuracy, forKey: .courseAccuracy)
    try values.encodeIfPresent(climb, forKey: .climb)
    try values.encodeIfPresent(floor, forKey: .floor)
    try values.encodeIfPresent(sourceInformation, forKey: .sourceInformation)
    try values.encodeIfPresent(gnss, forKey: .gnss)
    try values.encodeIfPresent(integrity, forKey: .integrity)
  }
}
