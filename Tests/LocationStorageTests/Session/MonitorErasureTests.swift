import AsyncLocation
import Foundation
import MockBackend
import TestSupport
import Testing

@testable import LocationStorage

/// The content of a monitor's files after its events have lost their locations.
@Suite(.inTurn) struct MonitorErasureTests {
  @Test("F62 no file has the location of an event that was withheld")
  func noFileHasTheLocation() async throws {
    let folder = try StorageFolder()
    let (session, _) = try await folder.storage.open("m")
    let latitude = 48.137_154_321_987
    let circle = StoredCondition(
      identifier: "c",
      condition: try .circle(center: Coordinate(latitude: 1, longitude: 1), radius: 100))
    func event(_ location: Location?) -> Monitor.Event {
      Monitor.Event(
        identifier: "c", number: 1, state: .satisfied, previousState: .unsatisfied,
        date: Date(timeIntervalSince1970: 1_800_000_000), location: location)
    }
    let exact = try Location(latitude: latitude, longitude: 11, timestamp: .now)
    try await session.commit([.add(circle), .event(event(exact))])
    let bytes = Data("48.137154321987".utf8)
    func leaks() throws -> [String] {
      try folder.names().filter { Data(try folder.bytes($0)).range(of: bytes) != nil }
    }
    #expect(try !leaks().isEmpty)
    try await session.replace(
      with: StoredMonitor(
        conditions: [circle], events: [StoredEvent(event(nil))], lastNumber: 1))
    let leaksWhileOpen = try leaks()
    await session.close()
    #expect(leaksWhileOpen.isEmpty)
    #expect(try leaks().isEmpty)
  }

  /// The latitude of the event's location, as text.
  private static let latitude = Data("48.1371543".utf8)

  /// A monitor that has stored an event with its location, and finished it.
  private static func monitor(
    of manager: LocationManager, backend: MockBackend, storage: SQLiteMonitorStorage
  ) async throws -> Monitor {
    let monitor = try await Monitor(
      "m", manager: manager, storage: storage, options: CrossingOptions(confirmation: .zero))
    let home = try Coordinate(latitude: 48.1371543, longitude: 11.5)
    try await monitor.add(
      .circle(center: try Coordinate(latitude: 48.1375, longitude: 11.5), radius: 500),
      identifier: "c", assuming: .unsatisfied)
    await backend.waitUntilRunning()
    try backend.emit(
      .location(
        try Location(
          latitude: home.latitude, longitude: home.longitude,
          timestamp: Date(timeIntervalSince1970: 1_800_000_000), horizontalAccuracy: 5)))
    let reading = Task { for await _ in monitor.events {} }
    while await monitor.record(for: "c")?.lastEvent.number != 1 { await Task.yield() }
    reading.cancel()
    await reading.value
    await flush(monitor)
    return monitor
  }

  /// Returns when all earlier changes are stored: the removal of an unknown condition waits for
  /// them.
  private static func flush(_ monitor: Monitor) async { await monitor.remove("none") }

  /// The files that contain the latitude.
  private static func leaks(_ folder: StorageFolder) throws -> [String] {
    try folder.names().filter { Data(try folder.bytes($0)).range(of: latitude) != nil }
  }

  @Test(
    "F62 no file has the location of an event that was finished before a withdrawal",
    arguments: [
      AuthorizationDecision.denied, AuthorizationDecision(.whenInUse, accuracy: .reduced),
    ])
  func finishedEvents(_ withdrawal: AuthorizationDecision) async throws {
    let folder = try StorageFolder()
    let backend = MockBackend()
    let manager = LocationManager(backend: backend, clock: ManualClock())
    let monitor = try await Self.monitor(of: manager, backend: backend, storage: folder.storage)
    #expect(try Self.leaks(folder) == ["m.sqlite-wal"])
    backend.setAuthorization(withdrawal)
    while await monitor.state(for: "c") != .unmonitored { await Task.yield() }
    await Self.flush(monitor)
    #expect(try Self.leaks(folder) == [])
    await monitor.close()
  }

  /// The log is that of a process that was killed.
  @Test("F62 no file has the location of a finished event once it is opened without permission")
  func finishedEventsOfAnEarlierProcess() async throws {
    let folder = try StorageFolder()
    do {
      let backend = MockBackend()
      let manager = LocationManager(backend: backend, clock: ManualClock())
      let monitor = try await Self.monitor(of: manager, backend: backend, storage: folder.storage)
      let files = try ["m.sqlite", "m.sqlite-wal"].map { ($0, try folder.bytes($0)) }
      await monitor.close()
      for (name, bytes) in files { try folder.write(bytes, to: name) }
    }
    #expect(try Self.leaks(folder) == ["m.sqlite-wal"])
    let backend = MockBackend(authorization: .denying)
    backend.setAuthorization(.denied)
    let manager = LocationManager(backend: backend, clock: ManualClock())
    let monitor = try await Monitor("m", manager: manager, storage: folder.storage)
    await Self.flush(monitor)
    #expect(try Self.leaks(folder) == [])
    #expect(await monitor.storageProblem == nil)
    await monitor.close()
  }
}
