import AsyncLocation

/// Which of gpsd's reports a subscriber wants, and how; see ``GPSDBackend/reports(_:)``.
public struct ReportOptions: Sendable, Hashable {
  /// gpsd's names of the classes, such as "TPV"; nil for all. A name begins with a capital letter and
  /// goes on with such letters, digits and underscores; any other name and an empty set match no
  /// report, so that the sequence throws `invalidValue` at once.
  public var classes: Set<String>?
  /// The one receiver to watch, by gpsd's path of it; nil for the one of
  /// ``GPSDConfiguration/device``, or all.
  public var device: String?
  /// Whether gpsd sends TOFF and PPS. So it does when ``classes`` names one of them.
  public var pps: Bool
  /// Whether the fields of AIS and SUBFRAME come in units, rather than as they were transmitted.
  public var scaled: Bool
  /// Whether the two parts of AIS' type 24 come as one report.
  public var split24: Bool
  /// Whether the receiver's sentences come as well, binary packets as NMEA that gpsd makes of them.
  /// Each is a line without a ``ReceivedReport/report``.
  public var nmea: Bool
  /// Whether what the receiver sends comes as well, binary packets in hexadecimal. Each is a line
  /// without a ``ReceivedReport/report``.
  public var raw: Bool
  /// Whether reports tell how they were timed; gpsd has it for its developers, and may change it.
  public var timing: Bool
  /// What waits for a subscriber that is slow; the newest are kept.
  public var buffering: ReportBufferingPolicy

  /// Creates options; those that are not given ask for every report, and no more.
  public init(
    classes: Set<String>? = nil, device: String? = nil, pps: Bool = false, scaled: Bool = false,
    split24: Bool = false, nmea: Bool = false, raw: Bool = false, timing: Bool = false,
    buffering: ReportBufferingPolicy = .newest(256)
  ) {
    self.classes = classes
    self.device = device
    self.pps = pps
    self.scaled = scaled
    self.split24 = split24
    self.nmea = nmea
    self.raw = raw
    self.timing = timing
    self.buffering = buffering
  }
}

extension ReportOptions {
  /// What gpsd is told.
  var flags: WatchCommand.Flags {
    var flags: WatchCommand.Flags = []
    if pps || classes.map({ !$0.isDisjoint(with: ["TOFF", "PPS"]) }) ?? false {
      flags.insert(.pps)
    }
    if scaled { flags.insert(.scaled) }
    if split24 { flags.insert(.split24) }
    if nmea { flags.insert(.nmea) }
    if raw { flags.insert(.raw) }
    if timing { flags.insert(.timing) }
    return flags
  }

  /// What is wrong with the options; nil when reports can match them.
  var problem: LocationError? {
    if let invalid = device.flatMap(LocationError.invalidDevice) { return invalid }
    guard let classes else { return nil }
    if classes.isEmpty {
      return LocationError(
        .invalidValue, "The set of classes is empty; name some, such as \"TPV\", or nil for all.")
    }
    guard let invalid = classes.filter({ !Self.isClassName($0) }).min() else { return nil }
    return LocationError(
      .invalidValue,
      "gpsd has no class '\(String(printable: invalid))'; its names are capital letters, digits "
        + "and underscores after a capital letter, such as \"TPV\".")
  }

  private static func isClassName(_ name: String) -> Bool {
    func isCapital(_ byte: UInt8) -> Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) }
    guard let first = name.utf8.first, isCapital(first) else { return false }
    return name.utf8.allSatisfy {
      isCapital($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
        || $0 == UInt8(ascii: "_")
    }
  }

  /// Whether lines that are no reports are asked for.
  var wantsSentences: Bool { nmea || raw }

  func wants(_ className: String) -> Bool { classes?.contains(className) ?? true }
}
