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

/// A missing member is decoded as its default.
extension LocationManager.Configuration: TabulatedValue {
  package static let standard = Self()
  package static let table: [TabulatedMember<Self>] = [
    TabulatedMember("requestsAuthorizationImplicitly", \.requestsAuthorizationImplicitly),
    TabulatedMember("buffering", \.buffering),
  ]
}
