/// Reports that arrived together, and the subscribers at that time.
///
/// The hub creates it under its lock and performs it with no lock held, so that the subscribers'
/// filters do not run under the lock. The elements are stored once and shared.
struct Delivery: Sendable {
  /// Reports of one kind, made under one state of permission, for all their subscribers.
  struct Reports<Filter: ReportFilter>: Sendable {
    let elements: [Filter.Report]
    let instant: Duration
    let stamp: DeliveryStamp
    let subscribers: [Subscriber<Filter>]
    /// The elements that each group of the pause table receives.
    var selections: [PauseTable.ID: ElementRuns] = [:]

    fileprivate func perform(waking wakes: inout Wakes) -> Tally {
      var tally = Tally()
      let preferred = ElementRuns(of: elements) { $0.sourceInformation.isPreferred }
      for subscriber in subscribers {
        tally += subscriber.deliver(self, preferred: preferred, waking: &wakes)
      }
      return tally
    }
  }

  var locations: Reports<UpdateFilter>?
  var headings: Reports<HeadingFilter>?
  var satellites: Reports<PreferredFilter<SatelliteView>>?
  var beacons: Reports<PreferredFilter<ArrivedBeacons>>?

  var isEmpty: Bool {
    locations == nil && headings == nil && satellites == nil && beacons == nil
  }

  func perform(_ gate: DeliveryGate, waking wakes: inout Wakes) {
    var tally = Tally()
    if let locations { tally += locations.perform(waking: &wakes) }
    if let headings { tally += headings.perform(waking: &wakes) }
    if let satellites { tally += satellites.perform(waking: &wakes) }
    if let beacons { tally += beacons.perform(waking: &wakes) }
    gate.count(tally)
  }
}
