import AsyncLocation
import MockBackend
import TestSupport
import Testing

@Suite("O8 No fix from the past", .tags(.ordering), .inTurn)
struct O08NoFixFromThePastTests {
  @Test func aReconnectionRepeatsNoFix() async throws {
    let backend = MockBackend()
    let manager = LocationManager(backend: backend)
    let updates = manager.updates
    await backend.waitUntilRunning()
    try backend.emit(.connection(ConnectionState(.connected)), .location(fix(1)), .location(fix(2)))
    try backend.emit(.connection(ConnectionState(.waiting)))
    try backend.emit(
      .connection(ConnectionState(.connected)), .location(fix(1)), .location(fix(2)),
      .location(fix(3)))
    try backend.end()
    #expect(await updates.all().elements == [fix(1), fix(2), fix(3)])
    #expect(await manager.statistics.locationsStale == 2)
  }

  @Test func aNewRunRepeatsNoFix() async throws {
    let backend = try MockBackend(
      script: MockScript([.locations(fix(5))], restartsWithEachRun: true))
    let manager = LocationManager(backend: backend)
    #expect(try await manager.currentLocation() == fix(5))
    await backend.waitUntilIdle()
    let updates = manager.updates
    await backend.waitForCall(count: 2) { if case .runStarted = $0 { true } else { false } }
    try backend.emit(.location(fix(6)))
    #expect(try await updates.first(1) == [fix(6)])
  }

  @Test func reportsOfOneEpochAreAllDelivered() async throws {
    let backend = MockBackend()
    let manager = LocationManager(backend: backend)
    let updates = manager.updates
    await backend.waitUntilRunning()
    try backend.emit(.location(fix(1)), .location(fix(1, accuracy: 4)))
    #expect(try await updates.first(2).count == 2)
  }

  @Test func receiversDoNotMakeEachOtherStale() async throws {
    let backend = MockBackend()
    let manager = LocationManager(backend: backend)
    let updates = manager.updates
    await backend.waitUntilRunning()
    try backend.emit(.location(fix(9, device: "a")), .location(fix(1, device: "b")))
    #expect(try await updates.first(2).count == 2)
  }

  /// gpsd's first fix often has no time: the host's time must not make the receiver's times stale.
  @Test func hostTimestampsMakeNoReceiverStale() async throws {
    let backend = MockBackend()
    let manager = LocationManager(backend: backend)
    let updates = manager.updates
    await backend.waitUntilRunning()
    let stamped = try Location(
      latitude: 1, longitude: 1, timestamp: fix(80_000).timestamp,
      sourceInformation: SourceInformation(timeSource: .host))
    try backend.emit(.location(stamped), .location(fix(1)), .location(stamped), .location(fix(2)))
    #expect(try await updates.first(4) == [stamped, fix(1), stamped, fix(2)])
  }
}
