import AsyncLocation

/// gpsd's WATCH: the report options that are in effect after a request.
public struct WatchReport: FieldReport {
  /// The fields of WATCH.
  public struct Fields: Sendable {
    /// Whether reports are sent.
    public let isEnabled = ReportField<Bool>("enable")
    /// Whether reports are sent as JSON.
    public let json = ReportField<Bool>("json")
    /// Whether reports are sent as NMEA, with binary packets converted.
    public let nmea = ReportField<Bool>("nmea")
    /// How raw data is sent: 0 not at all, 1 with binary packets in hexadecimal, 2 unchanged.
    public let raw = ReportField<Int>("raw", 0...255)
    /// Whether fields of AIS and SUBFRAME are scaled to units.
    public let scaled = ReportField<Bool>("scaled")
    /// Whether reports include timing information for gpsd's developers.
    public let timing = ReportField<Bool>("timing")
    /// Whether AIS type 24 reports are sent for single parts; see `ReportOptions.split24`.
    public let split24 = ReportField<Bool>("split24")
    /// Whether TOFF and PPS are sent.
    public let pps = ReportField<Bool>("pps")
    /// The only receiver that is watched; nil for all.
    public let device = ReportField<String>.device("device")
    /// The daemon that sent the report, if it is not the connected one.
    public let remote = ReportField<String>("remote")
  }

  var storage = FieldStorage<8, 2, NoLists>()
}

extension WatchReport: StoredReport {
  static let table = makeTable(Fields())
  static var className: String? { "WATCH" }
}
