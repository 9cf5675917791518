/// Reports that arrived together, and the subscribers at that time.
///
/// The hub creates it under its lock and performs it with no lock held, so that the subscribers'
/// filters do not run under the lock. The elements are stored once and shared.
struct Delivery: Sendable {
  /// Locations made under one state of permission.
  struct Locations: Sendable {
    let elements: [Location]
    let instant: Duration
    let stamp: DeliveryStamp
    let subscribers: [LocationSubscriber]
  }

  /// Elements for all their subscribers.
  struct Elements<Element: Sendable, Subscriber: Sendable>: Sendable {
    let elements: [Element]
    let stamp: DeliveryStamp
    let subscribers: [Subscriber]
  }

  var locations: Locations?
  var headings: Elements<Heading, HeadingSubscriber>?
  var satellites: Elements<SatelliteView, BoundedChannel<SatelliteView>>?

  var isEmpty: Bool { locations == nil && headings == nil && satellites == nil }

  func perform(_ gate: DeliveryGate, waking wakes: inout Wakes) {
    var tally = Tally()
    if let locations {
      let preferred = ElementRuns(of: locations.elements) { $0.sourceInformation.isPreferred }
      for subscriber in locations.subscribers {
        tally += subscriber.deliver(locations, preferred: preferred, waking: &wakes)
      }
    }
    if let headings {
      for subscriber in headings.subscribers {
        tally += subscriber.deliver(headings.elements, headings.stamp, waking: &wakes)
      }
    }
    if let satellites {
      let preferred = ElementRuns(of: satellites.elements) { $0.sourceInformation.isPreferred }
      for channel in satellites.subscribers {
        tally += channel.push(satellites.elements, preferred, satellites.stamp, waking: &wakes)
      }
    }
    gate.count(tally)
  }
}
