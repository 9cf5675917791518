import AsyncLocation
import OwnTracks

/// A decoded message that is handled later.
struct DeferredMessage: Sendable {
  let content: FleetContent
  /// The complete message, if it was decoded, and the length of its payload.
  let message: OwnTracksMessage?
  let size: Int
  let ticket: FleetIntake.Ticket
  let topic: [UInt8]
  let isRetained: Bool
}

/// A location that waits for the one that its device sent before it.
struct WaitingLocation: Sendable {
  let received: DeferredMessage
  let time: LocationTime
  let previous: LocationTime
  /// When it arrived, in nanoseconds.
  let arrival: Int64

  /// About the bytes of memory that it uses: a decoded message is several times as large as its
  /// payload.
  var cost: Int {
    512 + received.topic.count + (received.message == nil ? 0 : 8 * received.size)
  }
}

/// The locations that arrived before one that their device had sent earlier, by device. Pure.
///
/// A cluster of brokers sends the messages that were on their way to a lost node again, after newer
/// ones. A device names the unconfirmed location before each one, so a missing location is noticed.
/// The later ones wait for it, for a limited time.
struct FleetReordering: Sendable {
  typealias Slot = DeviceDirectory.Slot

  /// The maximum number of waiting locations of a device, which is the number of locations that a
  /// publisher sends without a confirmation.
  static let deviceLimit = StoredTimes.limit
  /// The maximum cost of the locations of a device, and of all.
  private static let deviceCost = 1 << 22
  private static let totalCost = 1 << 26
  /// The maximum number of devices with waiting locations.
  static let maximumDevices = 4_096
  /// The number of locations after which the search for waits that have ended is interrupted.
  private static let overdueLimit = 4_096
  /// The shortest time between two searches for waits that have ended, in nanoseconds.
  private static let searchInterval: Int64 = 1_000_000_000

  enum Addition: Hashable, Sendable {
    case added
    /// A location with the same time was replaced.
    case replaced
    /// The device has too many waiting locations, which must not wait any longer.
    case refused
  }

  private struct Queue: Sendable {
    /// In the order of their times.
    var locations: ArraySlice<WaitingLocation> = []
    var cost = 0
    /// A time before which none of them has arrived.
    var start: Int64

    /// The index of the first location that is not earlier than a time.
    func index(of time: LocationTime) -> Int {
      var (low, high) = (locations.startIndex, locations.endIndex)
      while low < high {
        let middle = (low + high) / 2
        if locations[middle].time < time { low = middle + 1 } else { high = middle }
      }
      return low
    }
  }

  private var queues: [Slot: Queue] = [:]
  private var cost = 0
  /// How long locations wait, in nanoseconds.
  private let timeout: Int64
  /// When to search for waits that have ended, in nanoseconds; nil if no location waits.
  private(set) var deadline: Int64?

  init(timeout: Int64) { self.timeout = timeout }

  /// Whether locations may wait.
  var isEnabled: Bool { timeout > 0 }

  /// Whether locations of a device wait.
  func hasLocations(of slot: Slot) -> Bool { queues[slot] != nil }

  mutating func add(_ location: WaitingLocation, of slot: Slot) -> Addition {
    let index = queues[slot]?.index(of: location.time) ?? 0
    if let queue = queues[slot], index < queue.locations.endIndex,
      queue.locations[index].time == location.time
    {
      let change = location.cost - queue.locations[index].cost
      queues[slot]?.locations[index] = location
      queues[slot]?.cost += change
      cost += change
      return .replaced
    }
    if let queue = queues[slot],
      queue.locations.count >= Self.deviceLimit || queue.cost + location.cost > Self.deviceCost
    {
      return .refused
    }
    queues[slot, default: Queue(start: location.arrival)].locations.insert(location, at: index)
    queues[slot]?.cost += location.cost
    cost += location.cost
    deadline = deadline ?? location.arrival + timeout
    return .added
  }

  /// Whether the locations of all devices need too much memory.
  var isOverfull: Bool { cost > Self.totalCost || queues.count > Self.maximumDevices }

  /// Removes and returns the locations of the device that has the most, so that a device cannot
  /// take the room of others.
  mutating func takeLargest() -> [WaitingLocation] {
    queues.max { $0.value.cost < $1.value.cost }.map { takeAll(of: $0.key) } ?? []
  }

  /// Removes and returns the first location of a device if it precedes `time`, or if the location
  /// before it has arrived.
  ///
  /// - Parameter last: The time of the device's last delivered location.
  mutating func takeFirst(
    of slot: Slot, before time: LocationTime, after last: LocationTime?
  ) -> WaitingLocation? {
    guard let first = queues[slot]?.locations.first,
      first.time < time || last.map({ first.previous <= $0 }) ?? true
    else { return nil }
    return takeFirst(of: slot)
  }

  private mutating func takeFirst(of slot: Slot) -> WaitingLocation? {
    guard let first = queues[slot]?.locations.popFirst() else { return nil }
    queues[slot]?.cost -= first.cost
    cost -= first.cost
    if queues[slot]?.locations.isEmpty == true { remove(slot) }
    return first
  }

  /// Removes and returns the locations of a device, in the order of their times.
  mutating func takeAll(of slot: Slot) -> [WaitingLocation] {
    let locations = Array(queues[slot]?.locations ?? [])
    remove(slot)
    return locations
  }

  /// Removes and returns locations whose wait has ended, and those of the same devices before them.
  /// If there are many, returns some of them, and the deadline remains.
  mutating func takeOverdue(at now: Int64) -> [(slot: Slot, locations: [WaitingLocation])] {
    guard let deadline, now >= deadline else { return [] }
    var (overdue, count) = ([(slot: Slot, locations: [WaitingLocation])](), 0)
    for slot in queues.filter({ now - $0.value.start >= timeout }).keys {
      guard count < Self.overdueLimit else { return overdue }
      if let last = queues[slot]?.locations.lastIndex(where: { now - $0.arrival >= timeout }),
        let first = queues[slot]?.locations.startIndex
      {
        overdue.append((slot, (first...last).compactMap { _ in takeFirst(of: slot) }))
        count += last - first + 1
      }
      if let start = queues[slot]?.locations.lazy.map(\.arrival).min() {
        queues[slot]?.start = start
      }
    }
    let next = queues.values.lazy.map(\.start).min().map { $0 + timeout }
    self.deadline = next.map { max($0, now + Self.searchInterval) }
    return overdue
  }

  /// Removes and returns all locations.
  mutating func takeAll() -> [[WaitingLocation]] { queues.keys.sorted().map { takeAll(of: $0) } }

  /// Removes the locations of a device.
  mutating func remove(_ slot: Slot) {
    cost -= queues.removeValue(forKey: slot)?.cost ?? 0
    if queues.isEmpty { deadline = nil }
  }
}
