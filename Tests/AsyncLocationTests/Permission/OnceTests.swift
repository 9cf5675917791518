import AsyncLocation
import MockBackend
import TestSupport
import Testing

/// Permission for once lapses only when demand becomes empty.
@Suite(.tags(.ordering), .inTurn)
struct OnceTests {
  private let backend = MockBackend(authorization: .answering(.authorizedOnce))
  private let manager: LocationManager

  init() { manager = LocationManager(backend: backend) }

  /// Objects and operations that have no demand when they end.
  enum OtherEvent: CaseIterable, Sendable {
    case authorizationLoop, connectionLoop, droppedStateStreams, endedStream, endedCall
    case callAnsweredAtOnce, cancelledRequest, secondInvalidate, droppedEndedSession
    case diagnosticsOfAnEndedSession
  }

  /// Grants permission by a request without demand.
  private func grant() async throws {
    #expect(try await manager.requestWhenInUseAuthorization().status == .authorizedWhenInUse)
  }

  @Test(arguments: OtherEvent.allCases)
  func otherEventsKeepPermissionForOnce(_ event: OtherEvent) async throws {
    switch event {
    case .authorizationLoop:
      try await grant()
      for await _ in manager.authorizationUpdates { break }
    case .connectionLoop:
      try await grant()
      for await _ in manager.connectionStates { break }
    case .droppedStateStreams:
      try await grant()
      _ = (manager.authorizationUpdates, manager.connectionStates)
    case .endedStream:
      var stream: LocationUpdates? = manager.updates(UpdateOptions())
      await backend.waitUntilRunning()
      backend.setAuthorization(.denied)
      await backend.waitUntilIdle()
      backend.setAuthorization(.authorizedOnce)
      #expect(await stream?.all().error is LocationError)
      stream = nil
    case .endedCall:
      let call = Task.immediate { [manager] in try await manager.currentLocation() }
      await backend.waitUntilRunning()
      backend.setAuthorization(.denied)
      await #expect(throws: LocationError.self) { try await call.value }
      await backend.waitUntilIdle()
      backend.setAuthorization(.authorizedOnce)
      call.cancel()
    case .callAnsweredAtOnce:
      try await grant()
      await #expect(throws: LocationError.self) {
        try await manager.currentLocation(timeout: .zero)
      }
    case .cancelledRequest:
      try await grant()
      let call = Task { [manager] in try await manager.requestAlwaysAuthorization() }
      call.cancel()
      _ = await call.result
    case .secondInvalidate:
      let session = ServiceSession(manager, authorization: .none)
      session.invalidate()
      try await grant()
      session.invalidate()
    case .droppedEndedSession:
      do {
        let session = ServiceSession(manager, authorization: .none)
        session.invalidate()
        try await grant()
      }
    case .diagnosticsOfAnEndedSession:
      let session = ServiceSession(manager, authorization: .none)
      let diagnostics = session.diagnostics
      session.invalidate()
      try await grant()
      #expect(await diagnostics.all().elements.count == 1)
      #expect(await session.diagnostics.all().elements.isEmpty)
    }
    #expect(await manager.authorization().status == .authorizedWhenInUse)
    // Permission lasts until the first demand, and lapses with it.
    let updates = manager.updates
    await backend.waitUntilRunning()
    try backend.emit(.location(fix(1)))
    #expect(try await updates.first(1) == [fix(1)])
    #expect(await manager.authorization().status == .authorizedWhenInUse)
    withExtendedLifetime(updates) {}
  }

  /// Streams, calls and sessions form one demand: it ends with the last of them, in any order.
  @Test(arguments: [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]])
  func permissionForOnceEndsWithTheLastDemand(_ order: [Int]) async throws {
    var changes = manager.authorizationUpdates.makeAsyncIterator()
    #expect(await changes.next()?.status == .notDetermined)
    try await grant()
    #expect(await changes.next()?.status == .authorizedWhenInUse)
    let call = Task.immediate { [manager] in try await manager.currentLocation() }
    await manager.receiveEarlierCalls()
    var stream: LocationUpdates? = manager.updates(UpdateOptions())
    let session = ServiceSession(manager, authorization: .none)
    for demand in order {
      #expect(await manager.authorization().status == .authorizedWhenInUse)
      switch demand {
      case 0:
        call.cancel()
        _ = await call.result
      case 1: stream = nil
      default: session.invalidate()
      }
    }
    #expect(await changes.next()?.status == .notDetermined)
    #expect(stream == nil)
  }

  @Test func goingOutOfUseTwiceKeepsPermissionForOnce() async throws {
    await manager.setInUse(false)
    try await grant()
    await manager.setInUse(false)
    #expect(await manager.authorization().status == .authorizedWhenInUse)
    await manager.setInUse(true)
    await manager.setInUse(false)
    #expect(await manager.authorization().status == .notDetermined)
  }
}
