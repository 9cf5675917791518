extension LocationMessage {
  /// The state of a device's battery.
  @nonexhaustive
  public enum BatteryStatus: Int, Sendable, Hashable, CaseIterable {
    /// The state is unknown.
    case unknown
    /// The battery is discharging.
    case unplugged
    /// The battery is charging.
    case charging
    /// The battery is full, and the device is plugged in.
    case full
  }

  /// A device's connection to the Internet.
  @nonexhaustive
  public enum Connectivity: String, Sendable, Hashable, CaseIterable {
    /// A wireless local network.
    case wifi = "w"
    /// A mobile network.
    case mobile = "m"
    /// No connection.
    case offline = "o"
  }

  /// How closely an app tracks the location of its device.
  @nonexhaustive
  public enum MonitoringMode: Int, Sendable, Hashable, CaseIterable {
    /// Nothing is reported.
    case quiet = -1
    /// Reports are sent when the user requests them.
    case manual
    /// Significant changes are reported.
    case significant
    /// Every movement is reported.
    case move
  }

  /// Why a device reports its location; unrecognized values are stored unchanged.
  public struct Trigger: RawRepresentable, Sendable, Hashable {
    /// The letter in the message.
    public let rawValue: String

    /// Creates a trigger from its letter.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A background check at irregular times.
    public static var ping: Self { Self(rawValue: "p") }
    /// A circular region was entered or left.
    public static var region: Self { Self(rawValue: "c") }
    /// A region that follows the device was left, on iOS.
    public static var followRegion: Self { Self(rawValue: "C") }
    /// A beacon came into range or went out of it.
    public static var beacon: Self { Self(rawValue: "b") }
    /// The app itself compared a location with a region, on Android.
    public static var comparison: Self { Self(rawValue: "l") }
    /// A ``CommandMessage`` requested the report.
    public static var response: Self { Self(rawValue: "r") }
    /// The user requested the report.
    public static var user: Self { Self(rawValue: "u") }
    /// A timer, while the device moves.
    public static var timer: Self { Self(rawValue: "t") }
    /// The system's list of frequent locations, on iOS.
    public static var visit: Self { Self(rawValue: "v") }
  }
}
