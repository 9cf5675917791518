import AsyncLocation
import MockBackend
import TestSupport
import Testing

@Suite("O2 One order", .tags(.ordering), .inTurn)
struct O02OneOrderTests {
  /// Several tasks emit concurrently; all subscribers get the same order.
  @Test func anyTwoSubscribersSeeTheSameOrder() async throws {
    let backend = MockBackend()
    let manager = LocationManager(backend: backend)
    let total = 400
    let streams = (0..<8).map { _ in
      manager.updates(UpdateOptions(buffering: .newest(total)))
    }
    await backend.waitUntilRunning()
    try await withThrowingTaskGroup { group in
      for emitter in 0..<4 {
        group.addTask {
          for n in 0..<(total / 4) {
            try backend.emit(.location(fix(n, device: "receiver \(emitter)")))
          }
        }
      }
      try await group.waitForAll()
    }
    let orders = try await withThrowingTaskGroup { group in
      for stream in streams { group.addTask { try await stream.first(total) } }
      return try await group.reduce(into: [[Location]]()) { $0.append($1) }
    }
    let order = try #require(orders.first)
    #expect(order.count == total)
    #expect(orders.allSatisfy { $0 == order })
    for emitter in 0..<4 {
      let own = order.filter { $0.sourceInformation?.device == "receiver \(emitter)" }
      #expect(own == own.sorted { $0.timestamp < $1.timestamp })
    }
  }

  @Test func aFilterKeepsTheOrder() async throws {
    let backend = MockBackend()
    let manager = LocationManager(backend: backend)
    let unfiltered = manager.updates(UpdateOptions(buffering: .newest(100)))
    let filtered = manager.updates(
      UpdateOptions(distanceFilter: 300, buffering: .newest(100)))
    await backend.waitUntilRunning()
    for n in 0..<90 { try backend.emit(.location(fix(n))) }
    try backend.end()

    let allLocations = await unfiltered.all().elements
    let someLocations = await filtered.all().elements
    #expect(allLocations == (0..<90).map { fix($0) })
    #expect(someLocations == stride(from: 0, to: 90, by: 3).map { fix($0) })
  }

  @Test func diagnosticsKeepTheirOrderAmongLocations() async throws {
    let backend = MockBackend()
    let manager = LocationManager(backend: backend)
    let live = manager.liveUpdates
    await backend.waitUntilRunning()
    let tunnel = LocationError(.locationUnknown, "A tunnel.")
    try backend.emit(
      .location(fix(1)), .unavailable(tunnel), .unavailable(tunnel), .location(fix(2)),
      .unavailable(tunnel))
    try backend.end()

    let updates = await live.all().elements.drop {
      $0.diagnostics.contains(.authorizationRequestInProgress)
    }
    #expect(
      Array(updates) == [
        LocationUpdate(location: fix(1)), LocationUpdate(diagnostics: .locationUnavailable),
        LocationUpdate(location: fix(2)), LocationUpdate(diagnostics: .locationUnavailable),
      ])
  }
}
