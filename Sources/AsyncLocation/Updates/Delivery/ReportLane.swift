/// The subscribers of one kind of report, and the reports that wait for a delivery.
struct ReportLane<Filter: ReportFilter>: Sendable {
  var subscribers = SubscriberTable<Subscriber<Filter>>()
  private var staged: [Filter.Report] = []

  /// Keeps a report for the next delivery.
  mutating func stage(_ report: Filter.Report) { staged.append(report) }

  /// Returns the staged reports for their subscribers; nil if there is none.
  mutating func seal(at instant: Duration, _ stamp: DeliveryStamp) -> Delivery.Reports<Filter>? {
    guard !staged.isEmpty else { return nil }
    defer { staged = [] }
    return Delivery.Reports(
      elements: staged, instant: instant, stamp: stamp, subscribers: subscribers.members)
  }
}
