import AsyncLocation
import LocationFleet

/// The net changes of a commit, with each row once. Pure.
struct CommitContent {
  /// The changes of a device.
  struct Device {
    /// Whether everything that was stored before is removed. With `isForgotten` alone, the history
    /// remains.
    var isErased = false
    /// Whether the last location and the states that were stored before are removed.
    var isForgotten = false
    /// The locations, in the order of arrival.
    var locations: [Location] = []
    /// The new last location; nil if it does not change.
    var last: Location?
    var states: [UInt8]?
  }

  private(set) var devices: [FleetDevice.ID: Device] = [:]
  /// The conditions by identifier; nil if removed.
  private(set) var conditions: [ExactText: StoredFleet.Condition?] = [:]
  private(set) var events: [UInt64: FleetEvent] = [:]
  /// The numbers of the offered events that earlier commits stored.
  private(set) var offered: Set<UInt64> = []
  /// The numbers of the events to remove.
  private(set) var finished: Set<UInt64> = []
  private(set) var lastNumber: UInt64 = 0
  private(set) var lastRevision: UInt32 = 0

  init(_ changes: [FleetStorageChange]) {
    for change in changes { apply(change) }
  }

  private mutating func apply(_ change: FleetStorageChange) {
    switch change {
    case .location(let id, let location, let isLast):
      devices[id, default: Device()].locations.append(location)
      if isLast { devices[id]?.last = location }
    case .states(let id, let states):
      let device = devices[id] ?? Device()
      // A forgotten device has no states.
      guard !device.isForgotten || device.last != nil else { return }
      devices[id, default: device].states = states
    case .add(let condition):
      conditions[ExactText(condition.condition.identifier)] = .some(condition)
      lastRevision = max(lastRevision, condition.revision)
    case .remove(let identifier):
      conditions.updateValue(nil, forKey: ExactText(identifier))
    case .event(let event):
      events[event.number] = event
      lastNumber = max(lastNumber, event.number)
    case .offer(let number):
      if let event = events[number] {
        events[number] = event.repeated
      } else {
        offered.insert(number)
      }
    case .finish(let number):
      events[number] = nil
      // The event may be stored already, if these changes were applied before.
      finished.insert(number)
    case .forget(let id):
      let device = devices[id] ?? Device()
      devices[id] = Device(
        isErased: device.isErased, isForgotten: true, locations: device.locations)
    case .erase(let id):
      devices[id] = Device(isErased: true, isForgotten: true)
      events = events.filter { $1.device != id }
    // Every commit is synchronized to the disk, unless the server is configured otherwise.
    case .synchronize: break
    case .numbers(let number, let revision):
      lastNumber = max(lastNumber, number)
      lastRevision = max(lastRevision, revision)
    }
  }
}
