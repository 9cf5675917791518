public import AsyncLocation

/// Which of gpsd's reports a subscriber wants, and how; see ``GPSDBackend/reports(_:)``.
public struct ReportOptions: Sendable, Hashable {
  /// gpsd's names of the classes, such as "TPV"; nil for all.
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
  /// How many reports wait for a subscriber that is slow, each of at most
  /// ``GPSDConfiguration/maximumLineLength``; the newest are kept.
  public var buffering: Buffering

  /// Creates options; those that are not given ask for every report, and no more.
  public init(
    classes: Set<String>? = nil, device: String? = nil, pps: Bool = false, scaled: Bool = false,
    split24: Bool = false, nmea: Bool = false, raw: Bool = false, timing: Bool = false,
    buffering: Buffering = .newest(256)
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

  /// Whether lines that are no reports are asked for.
  var wantsSentences: Bool { nmea || raw }

  func wants(_ report: GPSDReport) -> Bool { classes?.contains(report.className) ?? true }
}
