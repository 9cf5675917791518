/// A location, or the reasons why there is none.
public struct LocationUpdate: Sendable, Hashable, BitwiseCopyable {
  /// The location; nil when the diagnostics contain the reason why there is none.
  public let location: Location?
  /// The reasons why there is no location, or additional information about the location.
  public let diagnostics: Diagnostics

  /// Creates an update.
  public init(location: Location? = nil, diagnostics: Diagnostics = []) {
    self.location = location
    self.diagnostics = diagnostics
  }

  /// Reasons why a location is missing or coarse, as in Core Location.
  ///
  /// Encoded as a JSON array of option names. Unknown names are ignored.
  public struct Diagnostics: NamedOptions, Sendable, Hashable, BitwiseCopyable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Permission was refused or withdrawn, or the system denies access to the source.
    public static var authorizationDenied: Self { Self(rawValue: 1 << 0) }
    /// Location services are switched off for every client; ``authorizationDenied`` is set as well.
    public static var authorizationDeniedGlobally: Self { Self(rawValue: 1 << 1) }
    /// Permission is refused, and the policy or source cannot grant it.
    public static var authorizationRestricted: Self { Self(rawValue: 1 << 2) }
    /// Permission was requested, and the policy has not answered yet.
    public static var authorizationRequestInProgress: Self { Self(rawValue: 1 << 3) }
    /// Permission is not determined and no request is open: create a ``ServiceSession`` or request
    /// permission.
    public static var serviceSessionRequired: Self { Self(rawValue: 1 << 4) }
    /// Only when-in-use permission is granted, and the application is out of use; see
    /// ``LocationManager/setInUse(_:)``.
    public static var insufficientlyInUse: Self { Self(rawValue: 1 << 5) }
    /// A session requires always permission, but only when-in-use is granted.
    public static var alwaysAuthorizationDenied: Self { Self(rawValue: 1 << 6) }
    /// A session requires full accuracy, which was declined or has expired.
    public static var fullAccuracyDenied: Self { Self(rawValue: 1 << 7) }
    /// Accuracy is reduced.
    public static var accuracyLimited: Self { Self(rawValue: 1 << 8) }
    /// The receiver has no fix, or cannot be reached.
    public static var locationUnavailable: Self { Self(rawValue: 1 << 9) }
    /// The receiver is stationary: for a minute or more, its positions stayed within 30 m of the
    /// first one, or within their errors if these are larger. In a stream of
    /// ``LocationManager/liveUpdates(_:)``, the limits are those of its ``ActivityType``. Not
    /// reported with reduced accuracy.
    public static var stationary: Self { Self(rawValue: 1 << 10) }

    /// The source lacks a receiver that a subscriber's options or the backend's configuration name;
    /// ``ConnectionState/problem`` names the receiver. Reported once, in an update without a
    /// location, even while other receivers deliver locations.
    public static var deviceUnknown: Self { Self(rawValue: 1 << 11) }

    package static var names: [(name: String, option: Self)] {
      [
        ("authorizationDenied", .authorizationDenied),
        ("authorizationDeniedGlobally", .authorizationDeniedGlobally),
        ("authorizationRestricted", .authorizationRestricted),
        ("authorizationRequestInProgress", .authorizationRequestInProgress),
        ("serviceSessionRequired", .serviceSessionRequired),
        ("insufficientlyInUse", .insufficientlyInUse),
        ("alwaysAuthorizationDenied", .alwaysAuthorizationDenied),
        ("fullAccuracyDenied", .fullAccuracyDenied),
        ("accuracyLimited", .accuracyLimited),
        ("locationUnavailable", .locationUnavailable),
        ("stationary", .stationary),
        ("deviceUnknown", .deviceUnknown),
      ]
    }

    /// Only the diagnostics that explain a missing location.
    private var missingReasons: Self {
      subtracting([.accuracyLimited, .stationary, .deviceUnknown])
    }

    /// Whether these diagnostics must be reported if `lastReported` was the last report.
    func mustBeReported(after lastReported: Self) -> Bool {
      if contains(.deviceUnknown), !lastReported.contains(.deviceUnknown) { return true }
      return !missingReasons.isEmpty
        && subtracting(.deviceUnknown) != lastReported.subtracting(.deviceUnknown)
    }
  }
}

extension LocationUpdate: Codable {
  private enum CodingKeys: String, CodingKey { case location, diagnostics }

  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      location: try values.decodeIfPresent(Location.self, forKey: .location),
      diagnostics: try values.decodeIfPresent(Diagnostics.self, forKey: .diagnostics) ?? [])
  }
}
