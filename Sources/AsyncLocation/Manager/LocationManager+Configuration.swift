import FoundationEssentials

extension LocationManager {
  /// Settings for all subscribers of a manager.
  public struct Configuration: Sendable, Hashable {
    /// Requests when-in-use permission when there is demand and permission is not determined, as
    /// Core Location's implicit sessions do. If false, streams wait until permission is granted.
    public var requestsAuthorizationImplicitly: Bool
    /// The buffering of streams without options.
    public var buffering: BufferingPolicy

    /// Creates a configuration.
    public init(
      requestsAuthorizationImplicitly: Bool = true, buffering: BufferingPolicy = .newest(64)
    ) {
      self.requestsAuthorizationImplicitly = requestsAuthorizationImplicitly
      self.buffering = buffering
    }
  }
}

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
