import AsyncLocation
import GPSDReports

/// Selects which of gpsd's reports a subscriber receives, and in which form; see
/// ``GPSDBackend/reports(_:)``.
public struct ReportOptions: Sendable, Hashable {
  /// gpsd's class names to receive, such as "TPV"; nil for all. A name consists of capital letters,
  /// digits and underscores, and starts with a letter. An empty set or any other name matches no
  /// report, so the sequence throws `invalidValue` immediately.
  public var classes: Set<String>?
  /// The path of the only receiver to watch; nil for ``GPSDConfiguration/device``, or for all
  /// receivers if that is nil too.
  public var device: String?
  /// Whether gpsd sends TOFF and PPS. gpsd also sends them when ``classes`` contains one of them.
  public var pps: Bool
  /// Whether fields of AIS and SUBFRAME are scaled to units instead of raw transmitted values.
  public var scaled: Bool
  /// Whether gpsd also sends AIS type 24 reports for single parts. If false, it sends only reports
  /// that combine both parts. gpsd's manual describes the opposite.
  public var split24: Bool
  /// Whether the receiver's NMEA sentences are included; gpsd converts binary packets to NMEA. Each
  /// sentence is a line without a ``ReceivedReport/report``.
  public var nmea: Bool
  /// Whether the receiver's raw data is included, with binary packets in hexadecimal. Each packet
  /// is a line without a ``ReceivedReport/report``.
  public var raw: Bool
  /// Whether reports include timing information. gpsd intends it for its developers and may change
  /// it.
  public var timing: Bool
  /// The buffer for a slow subscriber; it keeps the newest reports.
  public var buffering: ReportBufferingPolicy

  /// Creates options; the defaults select every report, without additional data.
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
  /// The flags of the `?WATCH` command.
  var flags: GPSDCommand.WatchFlags {
    var flags: GPSDCommand.WatchFlags = []
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

  /// The error in the options; nil if they are valid and reports can match them.
  var problem: LocationError? {
    if let invalid = device.flatMap(LocationError.invalidDevice) { return invalid }
    guard let classes else { return nil }
    if classes.isEmpty {
      return LocationError(
        .invalidValue, "The set of classes is empty; use names such as \"TPV\", or nil for all.")
    }
    guard let invalid = classes.filter({ !Self.isClassName($0) }).min() else { return nil }
    return LocationError(
      .invalidValue,
      "'\(String(printable: invalid))' is not a class name; use capital letters, digits and underscores "
        + "after a capital letter, such as \"TPV\".")
  }

  private static func isClassName(_ name: String) -> Bool {
    func isCapital(_ byte: UInt8) -> Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) }
    guard let first = name.utf8.first, isCapital(first) else { return false }
    return name.utf8.allSatisfy {
      isCapital($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
        || $0 == UInt8(ascii: "_")
    }
  }

  /// Whether lines without a report, which are NMEA sentences or binary packets, are requested.
  var wantsSentences: Bool { nmea || raw }

  func wants(_ className: String) -> Bool { classes?.contains(className) ?? true }
}
