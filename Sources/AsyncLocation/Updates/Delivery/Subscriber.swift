/// Decides which reports of one kind a subscriber receives.
protocol ReportFilter: Sendable {
  associatedtype Report: SourcedReport

  /// True when every report of a preferred receiver is admitted.
  var admitsAll: Bool { get }

  /// True when a report is to be delivered. Later reports are then compared with this one.
  ///
  /// - Parameters:
  ///   - instant: The time of arrival.
  ///   - accuracyCounts: False for reports of reduced accuracy.
  mutating func admits(
    _ report: borrowing Report, at instant: Duration, accuracyCounts: Bool
  ) -> Bool
}

/// A report that names its receiver.
protocol SourcedReport: Sendable {
  var sourceInformation: SourceInformation? { get }
}

extension Location: SourcedReport {}
extension Heading: SourcedReport {}
extension SatelliteView: SourcedReport {}
extension ArrivedBeacons: SourcedReport {}

extension UpdateFilter: ReportFilter {}

extension HeadingFilter: ReportFilter {
  mutating func admits(
    _ heading: borrowing Heading, at instant: Duration, accuracyCounts: Bool
  ) -> Bool { admits(copy heading) }
}

/// Admits every report of a preferred receiver.
struct PreferredFilter<Report: SourcedReport>: ReportFilter {
  var admitsAll: Bool { true }

  mutating func admits(
    _ report: borrowing Report, at instant: Duration, accuracyCounts: Bool
  ) -> Bool { report.sourceInformation.isPreferred }
}

/// A filter that compares only reports made under one permission: reports made under an earlier one
/// may have been withdrawn unread.
private struct PermittedFilter<Filter: ReportFilter>: Sendable {
  private let initial: Filter
  private var filter: Filter
  private var stamp = DeliveryStamp.unrestricted

  init(_ filter: Filter) { (initial, self.filter) = (filter, filter) }

  /// Prepares for reports with a stamp. A stamp that differs from the last one resets the filter.
  mutating func begin(_ stamp: DeliveryStamp) {
    if stamp != self.stamp { (filter, self.stamp) = (initial, stamp) }
  }

  mutating func admits(_ report: borrowing Filter.Report, at instant: Duration) -> Bool {
    filter.admits(report, at: instant, accuracyCounts: stamp.isPrecise)
  }
}

/// A subscriber to reports of one kind: its channel and its filter.
final class Subscriber<Filter: ReportFilter>: Recipient {
  let channel: BoundedChannel<Filter.Report>
  /// Nil when the subscriber receives every report of preferred receivers.
  private let filter: Locked<PermittedFilter<Filter>>?
  /// The subscriber's group in the pause table.
  private let group: PauseTable.ID?

  convenience init(
    _ channel: BoundedChannel<Filter.Report>, _ filter: Filter, group: PauseTable.ID? = nil
  ) {
    self.init(channel, filter.admitsAll ? nil : Locked(PermittedFilter(filter)), group)
  }

  private init(
    _ channel: BoundedChannel<Filter.Report>, _ filter: Locked<PermittedFilter<Filter>>?,
    _ group: PauseTable.ID?
  ) {
    (self.channel, self.filter, self.group) = (channel, filter, group)
  }

  /// The same subscriber in another group. A delivery that was created earlier retains this object,
  /// and so uses this group.
  func moved(to group: PauseTable.ID) -> Subscriber { Subscriber(channel, filter, group) }

  /// Delivers the reports that the filter admits.
  ///
  /// - Parameter preferred: The reports of preferred receivers.
  func deliver(
    _ arrived: borrowing Delivery.Reports<Filter>, preferred: ElementRuns, waking wakes: inout Wakes
  ) -> Tally {
    if let group { return deliver(arrived, arrived.selections[group], waking: &wakes) }
    guard let filter else {
      return channel.push(arrived.elements, preferred, arrived.stamp, waking: &wakes)
    }
    let (elements, instant, stamp) = (arrived.elements, arrived.instant, arrived.stamp)
    let runs = filter.withLock { filter in
      filter.begin(stamp)
      return ElementRuns(of: elements) { filter.admits($0, at: instant) }
    }
    return channel.push(elements, runs, stamp, waking: &wakes)
  }

  /// Delivers a report that arrived before the subscriber joined, if the filter admits the report.
  func deliver(
    _ report: Filter.Report, at instant: Duration, _ stamp: DeliveryStamp, waking wakes: inout Wakes
  ) -> Tally {
    let isAdmitted =
      filter?.withLock { filter in
        filter.begin(stamp)
        return filter.admits(report, at: instant)
      } ?? report.sourceInformation.isPreferred
    return isAdmitted ? channel.push([report], stamp, waking: &wakes) : Tally()
  }

  /// Delivers those reports of the group's selection that the filter admits.
  private func deliver(
    _ arrived: borrowing Delivery.Reports<Filter>, _ selection: ElementRuns?,
    waking wakes: inout Wakes
  ) -> Tally {
    guard var selection else { return Tally() }
    if let filter {
      let (elements, instant, stamp) = (arrived.elements, arrived.instant, arrived.stamp)
      selection = filter.withLock { filter in
        filter.begin(stamp)
        return ElementRuns(of: selection) { filter.admits(elements[$0], at: instant) }
      }
    }
    return channel.push(arrived.elements, selection, arrived.stamp, waking: &wakes)
  }
}
