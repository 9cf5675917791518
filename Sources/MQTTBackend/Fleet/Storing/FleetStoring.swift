import AsyncLocation
import LocationFleet

/// The part of a fleet's state that concerns its storage.
struct FleetStoring: Sendable {
  /// The changes that are not stored yet; nil without a storage.
  var journal: FleetJournal?
  /// The stored events that no consumer has finished.
  var queue = FleetEventQueue()
  /// The stored locations that devices want confirmed.
  var confirmations = FleetConfirmations()
  /// Wakes the writer; nil without one.
  var wakeWriter: (@Sendable () -> Void)?
  /// Makes the writer store the remaining changes and end.
  var finishWriter: (@Sendable () -> Void)?
  /// Why the last commit failed; nil once one succeeded.
  var problem: LocationError?
  /// Why stored content was lost; nil if none was lost.
  var loss: LocationError?
  /// Whether the writer has ended.
  var isEnded = false
  /// The number of locations that could not be stored before the end.
  var lostLocations: UInt64 = 0
  /// The error with which the streams of events end once everything is stored.
  var streamError: LocationError?

  /// The number of events that were discarded from the queue.
  private(set) var discardedEvents: UInt64 = 0
  /// The position of the last removal of each device, if the removal is not stored yet.
  private var erasures: [FleetDevice.ID: FleetJournal.Position] = [:]

  /// Whether a writer stores the changes.
  var isOpen: Bool { wakeWriter != nil && !isEnded }
  /// Wakes the writer; nil without pending changes.
  var wakeForChanges: (@Sendable () -> Void)? { journal?.isEmpty == false ? wakeWriter : nil }

  /// Returns the events among the stored changes up to a position, except those of devices that
  /// were removed since.
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

  /// Offers stored events to consumers.
  ///
  /// - Parameter limit: The maximum number of waiting events.
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

  /// Takes an event, and returns it with the position of its offer in the journal.
  mutating func takeEvent() -> (FleetEvent?, FleetJournal.Position) {
    guard let event = queue.take() else { return (nil, 0) }
    journal?.add(.offer(number: event.number))
    return (event, journal?.position ?? 0)
  }

  mutating func finish(_ number: UInt64) {
    if queue.finish(number) { journal?.add(.finish(number: number)) }
  }
}
