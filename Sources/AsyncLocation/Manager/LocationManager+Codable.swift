import FoundationEssentials

/// A missing member gets its default.
extension LocationManager.Configuration: Codable, Described {
  private enum CodingKeys: String, CodingKey { case requestsAuthorizationImplicitly, buffering }

  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    let standard = Self()
    self.init(
      requestsAuthorizationImplicitly: try values.decodeIfPresent(
        Bool.self, forKey: .requestsAuthorizationImplicitly)
        ?? standard.requestsAuthorizationImplicitly,
      buffering: try values.decodeIfPresent(BufferingPolicy.self, forKey: .buffering)
        ?? standard.buffering)
  }

  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(requestsAuthorizationImplicitly, forKey: .requestsAuthorizationImplicitly)
    try values.encode(buffering, forKey: .buffering)
  }

  package var members: [DescribedMember] {
    [
      DescribedMember("requestsAuthorizationImplicitly", requestsAuthorizationImplicitly),
      DescribedMember("buffering", buffering),
    ]
  }
}

/// An object with every count under its name. A missing count is read as 0.
extension LocationManager.Statistics: Codable, Described {
  private typealias Count = any WritableKeyPath<Self, UInt64> & Sendable

  /// The counts that are `UInt64`: all but `subscribers`.
  private static let counts: [(name: String, path: Count)] = [
    ("eventsReceived", \.eventsReceived),
    ("eventsDiscarded", \.eventsDiscarded),
    ("locationsStale", \.locationsStale),
    ("reportsWithheld", \.reportsWithheld),
    ("elementsDelivered", \.elementsDelivered),
    ("elementsDropped", \.elementsDropped),
    ("backendRuns", \.backendRuns),
  ]

  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: MemberKey.self)
    self.init()
    for (name, path) in Self.counts {
      self[keyPath: path] = try values.decodeIfPresent(UInt64.self, forKey: MemberKey(name)) ?? 0
    }
    subscribers = try values.decodeIfPresent(Int.self, forKey: MemberKey("subscribers")) ?? 0
  }

  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: MemberKey.self)
    for (name, path) in Self.counts {
      try values.encode(self[keyPath: path], forKey: MemberKey(name))
    }
    try values.encode(subscribers, forKey: MemberKey("subscribers"))
  }

  package var members: [DescribedMember] {
    Self.counts.map { DescribedMember($0.name, self[keyPath: $0.path]) }
      + [DescribedMember("subscribers", subscribers)]
  }
}
