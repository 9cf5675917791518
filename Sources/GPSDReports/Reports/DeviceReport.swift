import AsyncLocation
public import FoundationEssentials

/// gpsd's DEVICE: a receiver, its connection and its model.
public struct DeviceReport: FieldReport {
  /// The fields of DEVICE.
  public struct Fields: Sendable {
    /// When gpsd opened the receiver. The beginning of 1970 means that the device was removed.
    public let activated = ReportField<Date>("activated")
    /// The kinds of data seen, as bits: 1 GNSS, 2 RTCM 2, 4 RTCM 3, 8 AIS.
    public let flags = ReportField<Int>("flags", .count)
    /// The baud rate in bits per second.
    public let baudRate = ReportField<Int>("bps", 0...1_000_000_000, in: .bitsPerSecond)
    /// The number of stop bits: 1 or 2.
    public let stopBits = ReportField<Int>("stopbits", 0...2)
    /// The protocol: 0 NMEA, 1 the receiver's own.
    public let native = ReportField<Int>("native", 0...255)
    /// The seconds between reports.
    public let cycle = ReportField<Double>("cycle", .period, in: .seconds)
    /// The minimum of ``cycle`` in seconds, if it can be set.
    public let minimumCycle = ReportField<Double>("mincycle", .period, in: .seconds)
    /// Whether gpsd was configured not to write to the device.
    public let isReadOnly = ReportField<Bool>("readonly")
    /// The receiver's path; called `device` in other reports.
    public let path = ReportField<String>.device("path")
    /// gpsd's name of the receiver's protocol or chip family.
    public let driver = ReportField<String>("driver")
    /// The model and firmware, as the receiver reports them.
    public let subtype = ReportField<String>("subtype")
    /// More about the model and firmware.
    public let secondSubtype = ReportField<String>("subtype1")
    /// The serial number; gpsd 3.23 and later.
    public let serialNumber = ReportField<String>("sernum")
    /// The parity: "N", "O" or "E".
    public let parity = ReportField<String>("parity")
    /// Bytes to send to the receiver, in hexadecimal; newer releases of gpsd.
    public let hexadecimalData = ReportField<String>("hexdata")
  }

  var storage = FieldStorage<8, 7, NoLists>()
}

extension DeviceReport: StoredReport {
  static let table = makeTable(Fields())
  static var className: String? { "DEVICE" }
  // For a removed receiver, gpsd sends the number 0 as the activation time.
  static var writesEpochAsZero: Bool { true }
}

extension DeviceReport {
  /// When gpsd opened the receiver; nil if it is not open.
  public var activated: Date? { isRemoved ? nil : self[dynamicMember: \.activated] }

  /// Whether the report states that the device was removed: gpsd sends 0 as its activation time.
  public var isRemoved: Bool {
    self[dynamicMember: \.activated] == Date(timeIntervalSince1970: 0)
  }
}

extension ClosedRange<Double> {
  /// A plausible period: up to a year in seconds.
  fileprivate static var period: Self { 0...31_557_600 }
}
