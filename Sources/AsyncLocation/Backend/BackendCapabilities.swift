/// The kinds of reports that a backend produces. Encoded as a JSON array of option names.
public struct BackendCapabilities: NamedOptions, Sendable, Hashable {
  public let rawValue: UInt32

  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// ``BackendEvent/location(_:)``.
  public static var locations: Self { Self(rawValue: 1 << 0) }
  /// ``BackendEvent/heading(_:)``.
  public static var headings: Self { Self(rawValue: 1 << 1) }
  /// ``BackendEvent/satellites(_:)``.
  public static var satellites: Self { Self(rawValue: 1 << 2) }
  package static var names: [(name: String, option: Self)] {
    [
      ("locations", .locations),
      ("headings", .headings),
      ("satellites", .satellites),
    ]
  }

  /// Every kind.
  public static var all: Self { [.locations, .headings, .satellites] }
}
