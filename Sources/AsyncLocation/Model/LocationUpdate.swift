/// A location, or the reasons why there is none.
public struct LocationUpdate: Sendable, Hashable, BitwiseCopyable {
  /// The location; nil when a diagnostic says why there is none.
  public let location: Location?
  /// What stands between the caller and a location, or what is to be known about this one.
  public let diagnostics: Diagnostics

  /// Creates an update.
  public init(location: Location? = nil, diagnostics: Diagnostics = []) {
    self.location = location
    self.diagnostics = diagnostics
  }

  /// Reasons for a missing, or a coarse, location; Core Location's.
  ///
  /// Its JSON is an array of the options' names. Names that this version does not know are ignored.
  public struct Diagnostics: NamedOptions, Sendable, Hashable, BitwiseCopyable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Permission was refused or withdrawn.
    public static var authorizationDenied: Self { Self(rawValue: 1 << 0) }
    /// Location services are off for everybody; ``authorizationDenied`` is set as well.
    public static var authorizationDeniedGlobally: Self { Self(rawValue: 1 << 1) }
    /// Permission cannot be granted by the one who was asked.
    public static var authorizationRestricted: Self { Self(rawValue: 1 << 2) }
    /// Permission was asked for and no answer has come yet.
    public static var authorizationRequestInProgress: Self { Self(rawValue: 1 << 3) }
    /// Nothing is determined and nobody asks: it takes a ``ServiceSession`` or a request.
    public static var serviceSessionRequired: Self { Self(rawValue: 1 << 4) }
    /// Permission is for while in use, and the application is out of use; see
    /// ``LocationManager/setInUse(_:)``.
    public static var insufficientlyInUse: Self { Self(rawValue: 1 << 5) }
    /// A session requires permission always, and only that for while in use holds.
    public static var alwaysAuthorizationDenied: Self { Self(rawValue: 1 << 6) }
    /// A session requires full accuracy, which was declined or is over.
    public static var fullAccuracyDenied: Self { Self(rawValue: 1 << 7) }
    /// Accuracy is reduced.
    public static var accuracyLimited: Self { Self(rawValue: 1 << 8) }
    /// The receiver has no fix, or cannot be reached.
    public static var locationUnavailable: Self { Self(rawValue: 1 << 9) }
    /// The receiver stands still: for a minute or more it has stayed within what its errors explain.
    /// Never said of reduced accuracy.
    public static var stationary: Self { Self(rawValue: 1 << 10) }

    /// The source lacks a receiver that somebody's options, or the backend's configuration, name;
    /// ``ConnectionState/problem`` says which. Said once in an update without a location, also while
    /// other receivers deliver locations.
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

    /// Without what may hold while locations are there.
    private var reasonsForNone: Self {
      subtracting([.accuracyLimited, .stationary, .deviceUnknown])
    }

    /// Whether one who was told some diagnostics last is to be told these.
    func isNews(after told: Self) -> Bool {
      if contains(.deviceUnknown), !told.contains(.deviceUnknown) { return true }
      return !reasonsForNone.isEmpty
        && subtracting(.deviceUnknown) != told.subtracting(.deviceUnknown)
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
