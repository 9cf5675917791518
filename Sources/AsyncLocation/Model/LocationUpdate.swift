/// A location, or the reasons why there is none.
public struct LocationUpdate: Sendable, Hashable {
  /// The location; nil when a diagnostic says why there is none.
  public let location: Location?
  /// What stands between the caller and a location.
  public let diagnostics: Diagnostics

  /// Creates an update.
  public init(location: Location? = nil, diagnostics: Diagnostics = []) {
    self.location = location
    self.diagnostics = diagnostics
  }

  /// Reasons for a missing location.
  public struct Diagnostics: OptionSet, Sendable, Hashable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Permission was refused or withdrawn.
    public static var authorizationDenied: Self { Self(rawValue: 1 << 0) }
    /// Permission cannot be granted by the one who was asked.
    public static var authorizationRestricted: Self { Self(rawValue: 1 << 1) }
    /// Permission was asked for and no answer has come yet.
    public static var authorizationRequestInProgress: Self { Self(rawValue: 1 << 2) }
    /// Nobody asked for permission, and the manager is configured not to by itself.
    public static var authorizationRequired: Self { Self(rawValue: 1 << 3) }
    /// The receiver has no fix, or cannot be reached.
    public static var locationUnavailable: Self { Self(rawValue: 1 << 4) }
  }
}
