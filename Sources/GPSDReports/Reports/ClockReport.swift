import AsyncLocation

/// gpsd's TOFF and PPS: the times of a receiver's clock and of the system clock at one moment.
///
/// For TOFF, this moment is the beginning of an epoch's messages, which arrive a few hundred
/// milliseconds late. For PPS, it is the pulse at the beginning of a second. gpsd sends these
/// reports on request: `ReportOptions.pps`.
public struct ClockReport: FieldReport {
  /// The fields of TOFF and PPS.
  public struct Fields: Sendable {
    /// The receiver's time, or the time of its pulse, in seconds since 1970 UTC.
    public let receiverSeconds = ReportField<Int>("real_sec", .count, in: .seconds)
    /// The nanoseconds after ``receiverSeconds``.
    public let receiverNanoseconds = ReportField<Int>(
      "real_nsec", 0...999_999_999, in: .nanoseconds)
    /// The time of the clock of gpsd's machine, in seconds since 1970 UTC.
    public let systemSeconds = ReportField<Int>("clock_sec", .count, in: .seconds)
    /// The nanoseconds after ``systemSeconds``.
    public let systemNanoseconds = ReportField<Int>("clock_nsec", 0...999_999_999, in: .nanoseconds)
    /// NTP's estimate of the precision: the exponent of a power of two, in seconds.
    public let precision = ReportField<Int>("precision", -128...127)
    /// The quantization error of the pulse in picoseconds, as the receiver reports it.
    public let quantizationError = ReportField<Double>("qErr", in: .picoseconds)
    /// The receiver that sent the report.
    public let device = ReportField<String>.device("device")
    /// The NTP shared memory unit that gpsd writes to, such as "NTP0"; gpsd 3.23 and later.
    public let memoryUnit = ReportField<String>("shm")
  }

  var storage = FieldStorage<6, 2, NoLists>()
}

extension ClockReport: StoredReport {
  static let table = makeTable(Fields())
  static var className: String? { "TOFF" }
  static var classNames: [String] { ["TOFF", "PPS"] }
}
