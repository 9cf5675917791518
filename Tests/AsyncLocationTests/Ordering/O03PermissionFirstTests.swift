import AsyncLocation
import MockBackend
import Testing

@Suite("O3 Permission first", .timeLimit(.minutes(1)), .tags(.ordering))
struct O03PermissionFirstTests {
  @Test func nothingRunsBeforeTheAnswer() async throws {
    let backend = MockBackend(authorization: .asking)
    let manager = LocationManager(backend: backend)
    let updates = manager.updates
    await backend.waitForCall(.authorizationRequested(.whenInUse))
    #expect(await manager.authorization().status == .notDetermined)
    #expect(backend.runCount == 0)

    backend.answerAuthorization(.authorizedWhenInUse)
    await backend.waitUntilRunning()
    #expect(await manager.authorization().status == .authorizedWhenInUse)
    backend.emit(.location(fix(1)))
    #expect(try await updates.first(1) == [fix(1)])
  }

  /// The revocation stands at every place among eight fixes in turn: before it everything, after
  /// it nothing, on every stream.
  @Test(arguments: 0...8)
  func revocationCutsEveryStreamAtItsPlace(_ place: Int) async throws {
    let backend = MockBackend()
    let manager = LocationManager(backend: backend)
    let updates = manager.updates
    let typed = manager.updates(UpdateOptions())
    let (headings, satellites) = (manager.headings, manager.satellites)
    let live = manager.liveUpdates
    await backend.waitUntilRunning()
    for n in 0..<8 {
      if n == place { backend.emit(.authorization(.denied)) }
      backend.emit(
        .location(fix(n)), .heading(heading(Double(n * 10))), .satellites(view(n)))
    }
    if place == 8 { backend.emit(.authorization(.denied)) }

    let seen = await updates.all()
    #expect(seen.elements == (0..<place).map { fix($0) })
    #expect((seen.error as? LocationError)?.code == .denied)
    let alsoSeen = await typed.all()
    #expect(alsoSeen.elements == seen.elements)
    #expect((alsoSeen.error as? LocationError)?.code == .denied)
    #expect(await headings.all().elements.count == place)
    #expect(await satellites.all().elements.count == place)
    #expect(await manager.authorization().status == .denied)
    #expect(await manager.location == nil)
    #expect(await manager.heading == nil)
    await backend.waitUntilIdle()
    await manager.shutdown()
    let told = await live.all().elements
    #expect(told.compactMap(\.location) == seen.elements)
    #expect(told.last?.diagnostics == .authorizationDenied)
  }

  @Test func oneBatchIsCutInTheMiddle() async throws {
    let backend = MockBackend()
    let manager = LocationManager(backend: backend)
    let updates = manager.updates
    await backend.waitUntilRunning()
    backend.emit(
      .location(fix(1)), .location(fix(2)), .authorization(.restricted), .location(fix(3)))
    let seen = await updates.all()
    #expect(seen.elements == [fix(1), fix(2)])
    #expect((seen.error as? LocationError)?.code == .restricted)
    #expect(await manager.statistics.eventsDiscarded == 1)
  }

  @Test func aRefusalEndsNewStreamsAtOnce() async throws {
    let manager = LocationManager(backend: MockBackend(authorization: .denying))
    let first = await manager.updates.all()
    #expect((first.error as? LocationError)?.code == .denied)
    let second = await manager.headings.all()
    #expect((second.error as? LocationError)?.code == .denied)
    await #expect(throws: LocationError.self) { try await manager.currentLocation() }
  }

  @Test func grantedAgainLiveUpdatesGoOn() async throws {
    let backend = MockBackend()
    let manager = LocationManager(backend: backend)
    var live = manager.liveUpdates.makeAsyncIterator()
    await backend.waitUntilRunning()
    backend.emit(.location(fix(1)))
    backend.setAuthorization(.denied)
    await backend.waitUntilIdle()
    backend.setAuthorization(.authorizedWhenInUse)
    await backend.waitForCall(count: 2) { if case .runStarted = $0 { true } else { false } }
    backend.emit(.location(fix(2)))

    var told: [LocationUpdate] = []
    while let update = await live.next() {
      told.append(update)
      if update.location == fix(2) { break }
    }
    #expect(told.compactMap(\.location) == [fix(1), fix(2)])
    #expect(told.contains { $0.diagnostics == .authorizationDenied })
  }

  @Test func withoutImplicitRequestsStreamsWaitForAGrant() async throws {
    let backend = MockBackend()
    let manager = LocationManager(
      backend: backend,
      configuration: .init(requestsAuthorizationImplicitly: false))
    let updates = manager.updates
    #expect(backend.runCount == 0)
    #expect(backend.calls.isEmpty)
    _ = try await manager.requestAlwaysAuthorization()
    await backend.waitUntilRunning()
    backend.emit(.location(fix(1)))
    #expect(try await updates.first(1) == [fix(1)])
  }

  /// An operator's refusal while a prompt is open is the later word, whatever the prompt says.
  @Test func aRefusalDuringAQuestionStands() async throws {
    let backend = MockBackend(authorization: .asking)
    let manager = LocationManager(backend: backend)
    let caller = Task.immediate { try await manager.requestWhenInUseAuthorization() }
    await backend.waitForCall(.authorizationRequested(.whenInUse))
    backend.setAuthorization(.denied)
    backend.answerAuthorization(.authorizedWhenInUse)
    #expect(try await caller.value.status == .denied)
    #expect(await manager.authorization().status == .denied)
    #expect((await manager.updates.all().error as? LocationError)?.code == .denied)
    #expect(backend.runCount == 0)
  }
}
