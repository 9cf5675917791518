/// A subscriber to locations: its channel and its filter.
final class LocationSubscriber: Sendable {
  let channel: BoundedChannel<Location>
  /// Nil when the subscriber receives every location of preferred receivers.
  private let filter: Locked<UpdateFilter>?

  init(_ channel: BoundedChannel<Location>, _ filter: UpdateFilter) {
    self.channel = channel
    self.filter = filter.admitsAll ? nil : Locked(filter)
  }

  /// Delivers the locations that the filter admits.
  ///
  /// - Parameter preferred: The locations of preferred receivers.
  func deliver(
    _ arrived: borrowing Delivery.Locations, preferred: ElementRuns, waking wakes: inout Wakes
  ) -> Tally {
    guard let filter else {
      return channel.push(arrived.elements, preferred, arrived.stamp, waking: &wakes)
    }
    let (elements, instant, isPrecise) = (
      arrived.elements, arrived.instant, arrived.stamp.isPrecise
    )
    let runs = filter.withLock { filter in
      ElementRuns(of: elements) {
        filter.admits($0, at: instant, accuracyCounts: isPrecise)
      }
    }
    return channel.push(elements, runs, arrived.stamp, waking: &wakes)
  }
}

/// A subscriber to headings.
final class HeadingSubscriber: Sendable {
  let channel: BoundedChannel<Heading>
  private let filter: Locked<HeadingFilter>

  init(_ channel: BoundedChannel<Heading>, _ filter: HeadingFilter) {
    self.channel = channel
    self.filter = Locked(filter)
  }

  func deliver(
    _ headings: [Heading], _ stamp: DeliveryStamp, waking wakes: inout Wakes
  ) -> Tally {
    let runs = filter.withLock { filter in
      ElementRuns(of: headings) { filter.admits(copy $0) }
    }
    return channel.push(headings, runs, stamp, waking: &wakes)
  }
}
