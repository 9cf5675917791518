import AsyncLocation
import MockBackend
import TestSupport
import Testing

/// Reduced accuracy as the manager enforces it.
@Suite(.inTurn)
struct ReducedAccuracyTests {
  static let reduced = AuthorizationDecision.authorizedWhenInUse.limited(to: .reduced)

  private func isCoarse(_ location: Location?) -> Bool {
    (location?.horizontalAccuracy ?? 0) > 1_000 && location?.gnss == nil
  }

  @Test func everyDeliveredLocationIsCoarse() async throws {
    let clock = ManualClock()
    let backend = MockBackend(authorization: .answering(Self.reduced))
    let manager = LocationManager(backend: backend, clock: clock)
    let updatesWithOptions = manager.updates(UpdateOptions(desiredAccuracy: .nearestTenMeters))
    let (updates, live) = (manager.updates, manager.liveUpdates)
    let (headings, satellites) = (manager.headings, manager.satellites)
    let call = Task.immediate {
      try await manager.currentLocation(desiredAccuracy: .nearestTenMeters)
    }
    while await manager.statistics.subscribers < 5 { await Task.yield() }
    // The call's deadline is set, so it waits for a location.
    await clock.waitForSleepers()
    await backend.waitUntilRunning()
    // Desired accuracies have no effect, as in Core Location.
    try backend.emit(
      .location(fix(1, accuracy: 50)), .heading(heading(10)), .satellites(view(3)),
      .location(fix(2, accuracy: 50)))
    #expect(isCoarse(try await call.value))
    #expect(isCoarse(await manager.location))
    #expect(await manager.heading == nil)
    #expect(await manager.authorization().accuracy == .reduced)
    #expect(await manager.statistics.reportsWithheld == 2)
    await manager.shutdown()
    for seen in [await updates.all().elements, await updatesWithOptions.all().elements] {
      #expect(seen.count == 2)
      #expect(seen.allSatisfy(isCoarse))
    }
    let reported = await live.all().elements.filter { $0.location != nil }
    #expect(reported.count == 2)
    #expect(
      reported.allSatisfy { isCoarse($0.location) && $0.diagnostics.contains(.accuracyLimited) })
    #expect(await headings.all().elements.isEmpty)
    #expect(await satellites.all().elements.isEmpty)
  }

  @Test func reductionWithinABatchLeavesNothingPrecise() async throws {
    let clock = ManualClock()
    let backend = MockBackend(clock: clock)
    let manager = LocationManager(backend: backend, clock: clock)
    let updates = manager.updates
    let call = Task.immediate {
      try await manager.currentLocation(desiredAccuracy: .meters(1), timeout: .seconds(60))
    }
    await clock.waitForSleepers()
    await backend.waitUntilRunning()
    try backend.emit(.location(fix(1, accuracy: 5)), .heading(heading(3)))
    #expect(await manager.location == fix(1, accuracy: 5))
    backend.setAuthorization(Self.reduced)
    #expect(isCoarse(await manager.location))
    #expect(await manager.heading == nil)
    // The call's best location was precise and must not be returned any more.
    clock.advance(by: .seconds(60))
    let result = await call.result
    #expect(throws: LocationError.self) { try result.get() }
    try backend.emit(.location(fix(2, accuracy: 5)))
    #expect(isCoarse(try await updates.first(1).last))
    #expect(await manager.statistics.elementsDropped == 1)
  }

  @Test func fullAccuracyForAPurposeExpires() async throws {
    let clock = ManualClock()
    let backend = MockBackend(
      authorization: MockAuthorization(
        whenInUse: [.now(Self.reduced)], fullAccuracy: [.now(.seconds(600))]), clock: clock)
    let manager = LocationManager(backend: backend, clock: clock)
    let updates = manager.updates
    await backend.waitUntilRunning()
    let raised = try await manager.requestTemporaryFullAccuracyAuthorization(purposeKey: "docking")
    #expect(raised.accuracy == .full)
    await clock.waitForSleepers()
    try backend.emit(.location(fix(1, accuracy: 5)))
    clock.advance(by: .seconds(599))
    try backend.emit(.location(fix(2, accuracy: 5)))
    #expect(try await updates.first(2) == [fix(1, accuracy: 5), fix(2, accuracy: 5)])
    #expect(await manager.authorization().accuracy == .full)
    var changes = manager.authorizationUpdates.makeAsyncIterator()
    #expect(await changes.next()?.accuracy == .full)
    clock.advance(by: .seconds(1))
    #expect(await changes.next()?.accuracy == .reduced)
    #expect(isCoarse(await manager.location))
    try backend.emit(.location(fix(3, accuracy: 5)))
    #expect(isCoarse(try await updates.first(1).last))
    #expect(backend.calls { $0 == .fullAccuracyRequested(purposeKey: "docking") }.count == 1)
  }

  @Test func decliningFullAccuracyThrowsPromptDeclined() async throws {
    let backend = MockBackend(
      authorization: MockAuthorization(
        whenInUse: [.now(Self.reduced)], fullAccuracy: [.now(nil)]))
    let manager = LocationManager(backend: backend)
    _ = try await manager.requestWhenInUseAuthorization()
    await #expect {
      try await manager.requestTemporaryFullAccuracyAuthorization(purposeKey: "docking")
    } throws: {
      ($0 as? LocationError)?.code == .promptDeclined
    }
    #expect(await manager.authorization().accuracy == .reduced)
  }

  @Test func fullAccuracyWithoutPermissionIsDeclinedWithoutAQuestion() async throws {
    let backend = MockBackend()
    let manager = LocationManager(backend: backend)
    await #expect {
      try await manager.requestTemporaryFullAccuracyAuthorization(purposeKey: "docking")
    } throws: {
      ($0 as? LocationError)?.code == .promptDeclined
    }
    #expect(backend.backendCalls.isEmpty)
  }

  @Test(arguments: ["", "a\u{0}b", "a\nb", String(repeating: "a", count: 256)])
  func invalidPurposesAreRefused(_ purpose: String) async throws {
    let manager = LocationManager(backend: MockBackend())
    await #expect {
      try await manager.requestTemporaryFullAccuracyAuthorization(purposeKey: purpose)
    } throws: {
      ($0 as? LocationError)?.code == .invalidValue
    }
  }

  @Test func callersOfOnePurposeShareAQuestion() async throws {
    let backend = MockBackend(
      authorization: MockAuthorization(whenInUse: [.now(Self.reduced)], fullAccuracy: [.later]))
    let manager = LocationManager(backend: backend)
    _ = try await manager.requestWhenInUseAuthorization()
    func ask(_ purpose: String) -> Task<Authorization, any Error> {
      Task.immediate {
        try await manager.requestTemporaryFullAccuracyAuthorization(purposeKey: purpose)
      }
    }
    let docking = (0..<5).map { _ in ask("docking") }
    await backend.waitForCall(.fullAccuracyRequested(purposeKey: "docking"))
    let fishing = ask("fishing")
    // Lets the request for the other purpose reach the manager.
    for _ in 0..<10 { _ = await manager.authorization() }
    let cancelled = ask("docking")
    cancelled.cancel()
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    backend.answerFullAccuracy(nil)
    for caller in docking {
      await #expect(throws: LocationError.self) { try await caller.value }
    }
    await backend.waitForCall(.fullAccuracyRequested(purposeKey: "fishing"))
    backend.answerFullAccuracy(.seconds(5))
    #expect(try await fishing.value.accuracy == .full)
    #expect(
      backend.calls { if case .fullAccuracyRequested = $0 { true } else { false } }.count == 2)
  }

  struct KeylessPolicy: AuthorizationPolicy {
    func authorize(_ request: AuthorizationRequest) async -> AuthorizationDecision {
      ReducedAccuracyTests.reduced
    }
  }

  struct LostKeyPolicy: AuthorizationPolicy {
    func authorize(_ request: AuthorizationRequest) async -> AuthorizationDecision {
      ReducedAccuracyTests.reduced
    }

    func reducedAccuracyKey() throws(LocationError) -> ReducedAccuracyKey {
      throw LocationError(.invalidValue, "The key is gone.")
    }
  }

  static let policiesWithoutKey: [(any AuthorizationPolicy, message: String)] = [
    (LostKeyPolicy(), "The key is gone."),
    (KeylessPolicy(), "has no key"),
    (.ask { _ in ReducedAccuracyTests.reduced }, "has no key"),
  ]

  /// Without its key there is no grid, and no precise location may be delivered instead.
  @Test(arguments: policiesWithoutKey)
  func deniedWithoutAKey(_ policy: any AuthorizationPolicy, _ message: String) async throws {
    struct Source: LocationBackend {
      let capabilities = BackendCapabilities.all
      let authorizationPolicy: any AuthorizationPolicy

      func run(
        _ demand: BackendDemand, emit: @escaping @Sendable ([BackendEvent]) -> Void
      ) async throws {
        emit([.location(fix(1))])
      }
    }
    let manager = LocationManager(backend: Source(authorizationPolicy: policy))
    let seen = await manager.updates.all()
    #expect(seen.elements.isEmpty)
    let error = try #require(seen.error as? LocationError)
    #expect(error.code == .denied)
    #expect(error.message.contains(message))
  }
}
