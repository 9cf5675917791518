/// The kinds of report that a backend makes.
public struct BackendCapabilities: OptionSet, Sendable, Hashable {
  public let rawValue: UInt32

  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// ``BackendEvent/location(_:)``.
  public static var locations: Self { Self(rawValue: 1 << 0) }
  /// ``BackendEvent/heading(_:)``.
  public static var headings: Self { Self(rawValue: 1 << 1) }
  /// ``BackendEvent/satellites(_:)``.
  public static var satellites: Self { Self(rawValue: 1 << 2) }
  /// Every kind.
  public static var all: Self { [.locations, .headings, .satellites] }
}
