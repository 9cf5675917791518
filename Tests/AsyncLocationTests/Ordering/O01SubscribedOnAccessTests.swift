import AsyncLocation
import MockBackend
import TestSupport
import Testing

@Suite("O1 Subscribed on access", .tags(.ordering), .inTurn)
struct O01SubscribedOnAccessTests {
  @Test func elementsBeforeTheFirstNextAreBuffered() async throws {
    let backend = MockBackend()
    let manager = LocationManager(backend: backend)
    let updates = manager.updates
    let updatesWithOptions = manager.updates(UpdateOptions())
    let live = manager.liveUpdates
    await backend.waitUntilRunning()
    try backend.emit(.location(fix(1)), .location(fix(2)))
    try backend.emit(.location(fix(3)))

    #expect(try await updates.first(3) == [fix(1), fix(2), fix(3)])
    #expect(try await updatesWithOptions.first(3) == [fix(1), fix(2), fix(3)])
    let located = live.compactMap(\.location)
    #expect(try await located.first(3) == [fix(1), fix(2), fix(3)])
  }

  @Test(arguments: [1, 2, 5, 64])
  func droppedElementsAreCounted(_ limit: Int) async throws {
    let backend = MockBackend()
    let manager = LocationManager(backend: backend)
    let updates = manager.updates(UpdateOptions(buffering: .newest(limit)))
    await backend.waitUntilRunning()
    for n in 1...100 { try backend.emit(.location(fix(n))) }
    await manager.until { $0.elementsDelivered == 100 }

    #expect(await manager.statistics.elementsDropped == UInt64(100 - limit))
    #expect(try await updates.first(limit) == ((101 - limit)...100).map { fix($0) })
  }

  @Test func everyAccessIsANewSubscription() async throws {
    let backend = MockBackend()
    let manager = LocationManager(backend: backend)
    let first = manager.updates
    await backend.waitUntilRunning()
    try backend.emit(.location(fix(1)))
    let second = manager.updates
    try backend.emit(.location(fix(2)))

    #expect(try await first.first(2) == [fix(1), fix(2)])
    #expect(try await second.first(1) == [fix(2)])
    #expect(backend.runCount == 1)
  }

  @Test func everyKindOfStreamBuffersFromItsCreation() async throws {
    let backend = MockBackend()
    let manager = LocationManager(backend: backend)
    let (headings, satellites) = (manager.headings, manager.satellites)
    let connections = manager.connectionStates
    let authorizations = manager.authorizationUpdates
    await backend.waitUntilRunning()
    try backend.emit(.heading(heading(10)), .satellites(view(4)))
    try backend.emit(.connection(ConnectionState(.connected)))

    #expect(try await headings.first(1) == [heading(10)])
    #expect(try await satellites.first(1) == [view(4)])
    #expect(try await connections.first(2).map(\.phase) == [.idle, .connected])
    #expect(await authorizations.first { $0.isAuthorized } != nil)
  }
}
