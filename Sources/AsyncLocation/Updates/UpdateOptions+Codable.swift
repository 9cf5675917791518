import FoundationEssentials

// Options are read from a service's configuration: a missing member gets its default, and so does an
// activity that this version does not know. Durations are numbers of seconds with nanosecond
// precision.

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

extension UpdateOptions: Codable, Described {
  private enum CodingKeys: String, CodingKey {
    case distanceFilter, minimumInterval, desiredAccuracy, maximumAge, device, activityType
    case pausesAutomatically, buffering
  }

  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    let standard = Self()
    self.init(
      distanceFilter: try values.decodeIfPresent(Double.self, forKey: .distanceFilter)
        ?? standard.distanceFilter,
      minimumInterval: try values.decodeDurationIfPresent(forKey: .minimumInterval)
        ?? standard.minimumInterval,
      desiredAccuracy: try values.decodeIfPresent(DesiredAccuracy.self, forKey: .desiredAccuracy)
        ?? standard.desiredAccuracy,
      maximumAge: try values.decodeDurationIfPresent(forKey: .maximumAge) ?? standard.maximumAge,
      device: try values.decodeIfPresent(String.self, forKey: .device),
      activityType: try values.decodeKnown(ActivityType.self, forKey: .activityType)
        ?? standard.activityType,
      pausesAutomatically: try values.decodeIfPresent(Bool.self, forKey: .pausesAutomatically)
        ?? standard.pausesAutomatically,
      buffering: try values.decodeIfPresent(BufferingPolicy.self, forKey: .buffering)
        ?? standard.buffering)
  }

  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(distanceFilter, forKey: .distanceFilter)
    try values.encode(ExactSeconds.number(minimumInterval), forKey: .minimumInterval)
    try values.encode(desiredAccuracy, forKey: .desiredAccuracy)
    try values.encode(ExactSeconds.number(maximumAge), forKey: .maximumAge)
    try values.encodeIfPresent(device, forKey: .device)
    try values.encode(activityType, forKey: .activityType)
    try values.encode(pausesAutomatically, forKey: .pausesAutomatically)
    try values.encode(buffering, forKey: .buffering)
  }

  package var members: [DescribedMember] {
    [
      DescribedMember("distanceFilter", distanceFilter, "m"),
      DescribedMember("minimumInterval", minimumInterval),
      DescribedMember("desiredAccuracy", desiredAccuracy),
      DescribedMember("maximumAge", maximumAge),
      DescribedMember("device", device),
      DescribedMember("activityType", activityType),
      DescribedMember("pausesAutomatically", pausesAutomatically),
      DescribedMember("buffering", buffering),
    ]
  }
}

extension HeadingOptions: Codable, Described {
  private enum CodingKeys: String, CodingKey { case headingFilter, device, buffering }

  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    let standard = Self()
    self.init(
      headingFilter: try values.decodeIfPresent(Double.self, forKey: .headingFilter)
        ?? standard.headingFilter,
      device: try values.decodeIfPresent(String.self, forKey: .device),
      buffering: try values.decodeIfPresent(BufferingPolicy.self, forKey: .buffering)
        ?? standard.buffering)
  }

  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(headingFilter, forKey: .headingFilter)
    try values.encodeIfPresent(device, forKey: .device)
    try values.encode(buffering, forKey: .buffering)
  }

  package var members: [DescribedMember] {
    [
      DescribedMember("headingFilter", headingFilter, "°"),
      DescribedMember("device", device),
      DescribedMember("buffering", buffering),
    ]
  }
}
