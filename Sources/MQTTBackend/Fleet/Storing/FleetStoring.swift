import AsyncLocation
import LocationFleet

/// The part of a fleet's state that concerns its storage.
struct FleetStoring: Sendable {
  /// What is not stored yet; nil without a storage.
  var journal: FleetJournal?
  /// The stored events that no consumer has finished.
  var queue = FleetEventQueue()
  /// Wakes the writer; nil without one.
  var wake: (@Sendable () -> Void)?
  /// Lets the writer store what is left, and end.
  var finish: (@Sendable () -> Void)?
  /// Why the last commit failed; nil once one succeeded.
  var problem: LocationError?
  /// Nothing is stored any more.
  var isEnded = false
  /// The error with which the events' streams end once everything is stored.
  var streamError: LocationError?

  /// Whether a writer stores what is decided.
  var isOpen: Bool { wake != nil && !isEnded }
  /// The events that were discarded from the queue.
  private(set) var discardedEvents: UInt64 = 0
  /// The devices whose removal is not stored yet: their events are not offered any more.
  var erased: Set<FleetDevice.ID> = []

  /// Offers events that are stored.
  ///
  /// - Parameter limit: The number of events that may wait.
  mutating func offer(_ events: [FleetEvent], limit: Int) {
    for number in queue.append(events, limit: limit) {
      journal?.add(.finish(number: number))
      discardedEvents += 1
    }
  }

  /// Removes a device, its history and its events.
  mutating func erase(_ device: FleetDevice.ID) {
    queue.erase(device)
    erased.insert(device)
    journal?.add(.erase(device))
  }

  /// Takes an event, and returns the position at which it is stored as offered.
  mutating func takeEvent() -> (FleetEvent?, FleetJournal.Position) {
    guard let event = queue.take() else { return (nil, 0) }
    journal?.add(.offer(number: event.number))
    return (event, journal?.position ?? 0)
  }

  mutating func finish(_ number: UInt64) {
    if queue.finish(number) { journal?.add(.finish(number: number)) }
  }
}
