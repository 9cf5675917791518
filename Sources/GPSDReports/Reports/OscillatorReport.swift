import AsyncLocation

/// gpsd's OSC: an oscillator disciplined by a receiver's pulse.
public struct OscillatorReport: FieldReport {
  /// The fields of OSC.
  public struct Fields: Sendable {
    /// Whether the oscillator is running; it may need time to warm up.
    public let isRunning = ReportField<Bool>("running")
    /// Whether the oscillator receives the receiver's pulse.
    public let hasReference = ReportField<Bool>("reference")
    /// Whether the pulse is good enough and disciplines the oscillator.
    public let isDisciplined = ReportField<Bool>("disciplined")
    /// The time from the receiver's last pulse to the oscillator's, in nanoseconds.
    public let delta = ReportField<Double>("delta", in: .nanoseconds)
    /// The receiver that sent the report.
    public let device = ReportField<String>.device("device")
  }

  var storage = FieldStorage<4, 1, NoLists>()
}

extension OscillatorReport: StoredReport {
  static let table = makeTable(Fields())
  static var className: String? { "OSC" }
}
