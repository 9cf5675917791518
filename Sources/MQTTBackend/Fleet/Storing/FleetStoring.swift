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
  /// Why the storage lacks what was stored before; nil if it does not.
  var loss: LocationError?
  /// Nothing is stored any more.
  var isEnded = false
  /// The locations that could not be stored before the end.
  var lostLocations: UInt64 = 0
  /// The error with which the events' streams end once everything is stored.
  var streamError: LocationError?

  /// The events that were discarded from the queue.
  private(set) var discardedEvents: UInt64 = 0
  /// The positions of the last removals of devices that are not stored yet.
  private var erasures: [FleetDevice.ID: FleetJournal.Position] = [:]

  /// Whether a writer stores what is decided.
  var isOpen: Bool { wake != nil && !isEnded }
  /// Wakes the writer; nil if nothing waits for it.
  var wakeForChanges: (@Sendable () -> Void)? { journal?.isEmpty == false ? wake : nil }

  /// The events among changes that are stored up to a position, without those of devices that were removed
  /// since.
  mutating func takeEvents(
    of changes: [FleetStorageChange], through position: FleetJournal.Position
  ) -> [FleetEvent] {
    var events: [FleetEvent] = []
    for change in changes {
      switch change {
      case .event(let event) where erasures[event.device].map({ $0 <= position }) ?? true:
        events.append(event)
      case .erase(let id): events.removeAll { $0.device == id }
      default: break
      }
    }
    erasures = erasures.filter { $1 > position }
    return events
  }

  /// Offers events that are stored.
  ///
  /// - Parameter limit: The number of events that may wait.
  mutating func offer(_ events: [FleetEvent], limit: Int) {
    for number in queue.append(events, limit: limit) {
      journal?.add(.finish(number: number))
      discardedEvents += 1
    }
  }

  /// Removes a device, its history and its events, if there is a storage.
  mutating func erase(_ device: FleetDevice.ID) {
    queue.erase(device)
    journal?.add(.erase(device))
    erasures[device] = journal?.position
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
