public import AsyncLocation
import FoundationEssentials

/// Stores a fleet in memory, for tests and for a history that need not outlast the process.
///
/// Its memory grows with the number of locations.
public struct MemoryFleetStorage: FleetStorage {
  private let content = Locked(Content())

  /// Creates an empty storage.
  public init() {}

  /// Opens the storage.
  ///
  /// - Throws: ``/AsyncLocation/LocationError`` with `storageUnavailable` while it is open.
  public func open() async throws(LocationError) -> (any FleetSession, StoredFleet) {
    let opened = content.withLock { content -> (StoredFleet, Int)? in
      guard !content.isOpen else { return nil }
      content.isOpen = true
      content.opening += 1
      return (content.stored, content.opening)
    }
    guard let (stored, opening) = opened else {
      throw LocationError(
        .storageUnavailable, "The storage is open in another fleet; use a storage for each.")
    }
    return (Session(content: content, opening: opening), stored)
  }

  private struct Content: Sendable {
    /// The number of the last opening, which identifies its session.
    var opening = 0
    var isOpen = false
    var devices: [FleetDevice.ID: StoredFleet.Device] = [:]
    var conditions: [ExactText: StoredFleet.Condition] = [:]
    var events: [UInt64: FleetEvent] = [:]
    var lastNumber: UInt64 = 0
    var lastRevision: UInt32 = 0
    /// The histories, in ascending order of time.
    var tracks: [FleetDevice.ID: [Location]] = [:]

    var stored: StoredFleet {
      StoredFleet(
        devices: Array(devices.values), conditions: Array(conditions.values),
        events: events.values.sorted { $0.number < $1.number }, lastNumber: lastNumber,
        lastRevision: lastRevision)
    }

    mutating func apply(_ change: FleetStorageChange) {
      switch change {
      case .location(let id, let location, let isLast):
        tracks[id, default: []].insertOnce(location)
        guard isLast else { return }
        devices[id] = StoredFleet.Device(
          id: id, location: location, states: devices[id]?.states)
      case .states(let id, let states): devices[id]?.states = states
      case .add(let condition):
        conditions[ExactText(condition.condition.identifier)] = condition
        lastRevision = max(lastRevision, condition.revision)
      case .remove(let identifier): conditions[ExactText(identifier)] = nil
      case .event(let event):
        events[event.number] = event
        lastNumber = max(lastNumber, event.number)
      case .offer(let number): events[number] = events[number]?.repeated
      case .finish(let number): events[number] = nil
      case .forget(let id): devices[id] = nil
      case .synchronize: break
      case .numbers(let number, let revision):
        lastNumber = max(lastNumber, number)
        lastRevision = max(lastRevision, revision)
      case .erase(let id):
        (devices[id], tracks[id]) = (nil, nil)
        events = events.filter { $1.device != id }
      }
    }
  }

  private final class Session: FleetSession {
    private let content: Locked<Content>
    private let opening: Int

    init(content: Locked<Content>, opening: Int) {
      (self.content, self.opening) = (content, opening)
    }

    deinit { end() }

    /// Marks the storage as closed, unless a later session has opened it.
    private func end() {
      content.withLock { if $0.opening == opening { $0.isOpen = false } }
    }

    func commit(_ changes: [FleetStorageChange]) async throws(LocationError) {
      content.withLock { content in
        for change in changes { content.apply(change) }
      }
    }

    func recover() async throws(LocationError) -> LocationError? { nil }

    func close() async { end() }

    // MARK: History

    func locations(
      of device: FleetDevice.ID, from start: Date, to end: Date, count: Int
    ) async throws(LocationError) -> [Location] {
      content.withLock { content in
        let track = content.tracks[device] ?? []
        let range = track.range(from: start, to: end)
        return Array(track[range].prefix(count))
      }
    }

    func location(
      of device: FleetDevice.ID, at instant: Date
    ) async throws(LocationError) -> Location? {
      content.withLock { content in
        let track = content.tracks[device] ?? []
        let following = track.partition(from: instant.timeIntervalSinceReferenceDate.nextUp)
        return following > 0 ? track[following - 1] : nil
      }
    }

    func visits(
      to area: Condition, from start: Date, to end: Date, after device: FleetDevice.ID?, count: Int
    ) async throws(LocationError) -> [FleetVisit] {
      let test = try AreaTest(ofHistory: area)
      let tracks = content.withLock(\.tracks)
      let ids = tracks.keys.filter { id in device.map { $0 < id } ?? true }.sorted()
      return Array(
        ids.lazy.compactMap { id -> FleetVisit? in
          var visit = FleetVisitCount()
          let track = tracks[id] ?? []
          for location in track[track.range(from: start, to: end)]
          where test.contains(location.coordinate) {
            visit.add(location)
          }
          return visit.visit(of: id)
        }.prefix(count))
    }
  }
}

extension [Location] {
  /// Inserts a location into an array in ascending order of time, unless it contains one with the
  /// same time.
  fileprivate mutating func insertOnce(_ location: Location) {
    let index = partition(from: location.timestampSeconds)
    guard index == count || self[index].timestampSeconds != location.timestampSeconds else {
      return
    }
    insert(location, at: index)
  }

  /// The index of the first location at or after a time in seconds since 2001. The array is in
  /// ascending order of time.
  fileprivate func partition(from time: Double) -> Int {
    indices.partition { self[$0].timestampSeconds >= time }
  }

  /// The range of the locations within `start..<end`. The array is in ascending order of time.
  fileprivate func range(from start: Date, to end: Date) -> Range<Int> {
    let first = partition(from: start.timeIntervalSinceReferenceDate)
    return first..<Swift.max(first, partition(from: end.timeIntervalSinceReferenceDate))
  }
}
