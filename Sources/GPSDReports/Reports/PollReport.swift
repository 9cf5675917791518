import AsyncLocation
public import FoundationEssentials

/// gpsd's POLL: the latest reports of each active receiver, in response to a request.
public struct PollReport: FieldReport {
  /// The fields of POLL.
  public struct Fields: Sendable {
    /// When gpsd answered, by its machine's clock.
    public let time = ReportField<Date>("time")
    /// The number of active receivers.
    public let activeCount = ReportField<Int>("active", 0...65_535)
    /// The latest fix of each receiver.
    public let fixes = ReportField<[TPV]>("tpv", atMost: 256)
    /// The latest error estimates of each receiver.
    public let noises = ReportField<[GST]>("gst", atMost: 256)
    /// The latest satellite report of each receiver.
    public let skies = ReportField<[SKY]>("sky", atMost: 256)
  }

  var storage = FieldStorage<2, 0, ObjectLists>()
}

extension PollReport: StoredReport {
  static let table = makeTable(Fields())
  static var className: String? { "POLL" }
}
