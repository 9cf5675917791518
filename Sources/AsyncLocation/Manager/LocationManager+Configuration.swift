import FoundationEssentials

extension LocationManager {
  /// Settings for all subscribers of a manager.
  public struct Configuration: Sendable, Hashable {
    /// Whether demand requests when-in-use permission while permission is not determined, as Core
    /// Location's implicit sessions do. If false, streams wait until permission is granted.
    public var requestsAuthorizationImplicitly: Bool
    /// The buffering of streams whose buffering cannot be chosen in options of their own.
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
