import FoundationEssentials

// Services read options from their configuration: a missing member is decoded as its default, and
// so is an activity that this version does not define. Durations are numbers of seconds with
// nanosecond precision.

extension BufferingPolicy: Codable, Described {
  private enum CodingKeys: String, CodingKey { case limit }

  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self = .newest(try values.decode(Int.self, forKey: .limit))
  }

  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(limit, forKey: .limit)
  }

  package var members: [DescribedMember] { [DescribedMember("limit", limit)] }
}

extension UpdateOptions: TabulatedValue {
  package static let standard = Self()
  package static let table: [TabulatedMember<Self>] = [
    TabulatedMember("distanceFilter", \.distanceFilter, "m"),
    TabulatedMember("minimumInterval", \.minimumInterval),
    TabulatedMember("desiredAccuracy", \.desiredAccuracy),
    TabulatedMember("maximumAge", \.maximumAge),
    TabulatedMember("device", \.device),
    .known("activityType", \.activityType),
    TabulatedMember("pausesAutomatically", \.pausesAutomatically),
    TabulatedMember("omitsSuspectLocations", \.omitsSuspectLocations),
    TabulatedMember("buffering", \.buffering),
  ]
}

extension HeadingOptions: TabulatedValue {
  package static let standard = Self()
  package static let table: [TabulatedMember<Self>] = [
    TabulatedMember("headingFilter", \.headingFilter, "°"),
    TabulatedMember("device", \.device),
    TabulatedMember("buffering", \.buffering),
  ]
}
