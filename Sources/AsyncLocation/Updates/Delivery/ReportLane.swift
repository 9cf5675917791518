/// The subscribers of one kind of report, and the reports that wait for a delivery.
struct ReportLane<Filter: ReportFilter>: Sendable {
  private(set) var subscribers = SubscriberTable<Subscriber<Filter>>()
  private var staged: [Filter.Report] = []

  mutating func join(_ id: UInt64, _ channel: BoundedChannel<Filter.Report>, _ filter: Filter) {
    subscribers.add(Subscriber(channel, filter), id: id)
  }

  /// Removes a subscriber and ends its channel.
  mutating func leave(_ id: UInt64, waking wakes: inout Wakes) {
    subscribers.end(id, waking: &wakes)
  }

  /// Ends the subscribers after their buffered elements, and returns their IDs.
  mutating func endSubscribers(_ error: LocationError?, waking wakes: inout Wakes) -> [UInt64] {
    subscribers.endAll(error, waking: &wakes)
  }

  /// Stages a report for the next delivery.
  mutating func stage(_ report: Filter.Report) { staged.append(report) }

  /// Removes the staged reports and returns them for their subscribers; nil if there are none.
  mutating func seal(at instant: Duration, _ stamp: DeliveryStamp) -> Delivery.Reports<Filter>? {
    guard !staged.isEmpty else { return nil }
    defer { staged = [] }
    return Delivery.Reports(
      elements: staged, instant: instant, stamp: stamp, subscribers: subscribers.members)
  }
}
