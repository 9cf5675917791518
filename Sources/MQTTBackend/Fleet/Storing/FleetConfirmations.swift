import AsyncLocation
import LocationFleet
import OwnTracks

/// The stored locations of the devices that request confirmations. Pure.
///
/// A confirmation lists all stored locations that its device is known to wait for, not only new
/// ones: the broker retains only the last message, and may have lost earlier ones. A device that
/// misses a confirmation sends its location again, and the location is then confirmed again. After
/// a start of the server, the last location of each device, which the broker retains, is confirmed
/// again, so that the device detects the start.
struct FleetConfirmations: Sendable {
  /// The maximum number of locations' times in the confirmations of all devices, about 32 MB.
  /// Beyond it, all times are discarded.
  static let limit = 1 << 20

  private var devices: [FleetDevice.ID: StoredTimes] = [:]
  private let limit: Int
  /// The number of times in the confirmations of all devices.
  private var count = 0
  /// Identifies this run of the server.
  private var server: String
  /// The devices to which a confirmation is published although no location of theirs was stored.
  private var announced: [FleetDevice.ID] = []

  private static var randomName: String { String(UInt64.random(in: 0 ... .max), radix: 36) }

  init(limit: Int = Self.limit, server: String = Self.randomName) {
    (self.limit, self.server) = (limit, server)
  }

  /// Handles a request of a device.
  ///
  /// - Parameter start: The time of its oldest location without a confirmation.
  mutating func requested(by device: FleetDevice.ID, from start: LocationTime) {
    guard let known = devices[device] else {
      devices[device] = StoredTimes(from: start, [], by: server)
      return
    }
    // A location that is sent again after the device has restarted may have an earlier start.
    guard known.start != start else { return }
    let (times, refused) = (
      known.times.filter { $0 >= start }, known.refused.filter { $0 >= start }
    )
    count -= known.times.count + known.refused.count - times.count - refused.count
    devices[device] = StoredTimes(from: start, times, refused: refused, by: server)
  }

  /// Handles a location that will not be stored.
  mutating func refused(_ time: LocationTime, of device: FleetDevice.ID, from start: LocationTime) {
    requested(by: device, from: start)
    add(time, to: device, \.refused)
    announce(to: device)
  }

  /// Has the confirmation of a device published, which also tells the device of this run.
  mutating func announce(to device: FleetDevice.ID) { announced.append(device) }

  /// Removes and returns the devices to which a confirmation is to be published now.
  mutating func takeAnnounced() -> [FleetDevice.ID] { exchange(&announced, with: []) }

  /// Handles a storage that has lost its content. The server gets the name of another run: a device
  /// that receives a confirmation of another run sends its unconfirmed locations again.
  mutating func storageWasLost(server: String = Self.randomName) {
    self.server = server
    for index in devices.values.indices {
      devices.values[index] = StoredTimes(from: devices.values[index].start, [], by: server)
    }
    count = 0
  }

  /// Handles stored changes.
  ///
  /// - Returns: The devices whose confirmation is to be published, each once, in the order of the
  ///   changes, and the devices that were erased.
  mutating func stored(
    _ changes: [FleetStorageChange]
  ) -> (changed: [FleetDevice.ID], erased: [FleetDevice.ID]) {
    var (changed, erased) = ([FleetDevice.ID](), [FleetDevice.ID]())
    var isChanged: Set<FleetDevice.ID> = []
    for change in changes {
      switch change {
      case .location(let device, let location, _):
        guard add(LocationTime(location.timestamp), to: device, \.times) else { continue }
        if isChanged.insert(device).inserted { changed.append(device) }
      // The broker may retain a confirmation from before the last start.
      case .erase(let device): erased.append(device)
      case .forget, .states, .add, .remove, .event, .offer, .finish, .numbers, .synchronize: break
      }
    }
    return (changed, erased)
  }

  /// The confirmation of a device; nil for one that requests none.
  subscript(device: FleetDevice.ID) -> StoredTimes? { devices[device] }

  /// Returns false for a device that requests no confirmations.
  @discardableResult
  private mutating func add(
    _ time: LocationTime, to device: FleetDevice.ID,
    _ list: WritableKeyPath<StoredTimes, [LocationTime]>
  ) -> Bool {
    guard let index = devices.index(forKey: device) else { return false }
    if devices.values[index][keyPath: list].contains(time) { return true }
    if count >= limit { discardTimes() }
    devices.values[index][keyPath: list].append(time)
    count += 1
    let excess = devices.values[index][keyPath: list].count - StoredTimes.limit
    if excess > 0 {
      devices.values[index][keyPath: list].removeFirst(excess)
      count -= excess
    }
    return true
  }

  private mutating func discardTimes() {
    for index in devices.values.indices {
      (devices.values[index].times, devices.values[index].refused) = ([], [])
    }
    count = 0
  }

  /// Handles a device that is forgotten, when that is decided: what it requests afterwards counts.
  mutating func forget(_ device: FleetDevice.ID) {
    guard let known = devices.removeValue(forKey: device) else { return }
    count -= known.times.count + known.refused.count
  }
}
