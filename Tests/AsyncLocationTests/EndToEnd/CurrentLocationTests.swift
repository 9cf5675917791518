import AsyncLocation
import MockBackend
import TestSupport
import Testing

@Suite(.inTurn)
struct CurrentLocationTests {
  private let clock = ManualClock()
  private let backend: MockBackend
  private let manager: LocationManager

  init() {
    backend = MockBackend(clock: clock)
    manager = LocationManager(backend: backend, clock: clock)
  }

  @Test func theReceiverStopsAfterTheFirstFix() async throws {
    let caller = Task.immediate { try await manager.currentLocation() }
    await backend.waitUntilRunning()
    try backend.emit(.location(fix(1)), .location(fix(2)))
    #expect(try await caller.value == fix(1))
    await backend.waitUntilIdle()
  }

  @Test func aRequestSharesARunningBackend() async throws {
    let updates = manager.updates
    await backend.waitUntilRunning()
    try backend.emit(.location(fix(1)))
    let caller = Task.immediate { try await manager.currentLocation() }
    await backend.waitForCall { if case .runStarted = $0 { true } else { false } }
    await manager.receiveEarlierCalls()
    while await manager.statistics.eventsReceived < 2 {
      try backend.emit(.location(fix(2)))
      await Task.yield()
    }
    #expect(try await caller.value == fix(2))
    #expect(backend.runCount == 1)
    #expect(backend.isRunning)
    _ = updates
  }

  @Test func returnsTheBestLocationAtTheDeadline() async throws {
    let caller = Task.immediate {
      try await manager.currentLocation(
        desiredAccuracy: .nearestTenMeters, timeout: .seconds(30))
    }
    await backend.waitUntilRunning()
    try backend.emit(
      .location(fix(1)), .location(fix(2, accuracy: 80)), .location(fix(3, accuracy: 40)),
      .location(fix(4, accuracy: 60)))
    await clock.waitForSleepers()
    clock.advance(by: .seconds(30))
    #expect(try await caller.value == fix(3, accuracy: 40))
  }

  /// A location from before the application went out of use is not returned at the deadline.
  @Test func goingOutOfUseForgetsTheBestLocation() async throws {
    let caller = Task.immediate {
      try await manager.currentLocation(
        desiredAccuracy: .nearestTenMeters, timeout: .seconds(30))
    }
    await backend.waitUntilRunning()
    try backend.emit(.location(fix(1, accuracy: 80)))
    await manager.setInUse(false)
    await clock.waitForSleepers()
    clock.advance(by: .seconds(30))
    let error = await #expect(throws: LocationError.self) { try await caller.value }
    #expect(error?.code == .timedOut)
  }

  // MARK: The next location

  @Test func nextLocationThrowsTypedErrors() async throws {
    do throws(LocationError) {
      _ = try await manager.nextLocation(timeout: .zero)
    } catch {
      #expect(error.code == .timedOut)
    }
    let caller = Task.immediate { () async throws(LocationError) in
      try await manager.nextLocation(timeout: .seconds(30))
    }
    await backend.waitUntilRunning()
    try backend.emit(.location(fix(1)))
    #expect(try await caller.value == fix(1))
    backend.setAuthorization(.denied)
    let error = await #expect(throws: LocationError.self) { try await manager.nextLocation() }
    #expect(error?.code == .denied)
    #expect(backend.endpoints == [.nextLocation, .nextLocation, .nextLocation])
  }

  @Test func aCancelledCallForTheNextLocationReturnsNil() async throws {
    let caller = Task.immediate { try await manager.nextLocation() }
    await backend.waitUntilRunning()
    caller.cancel()
    #expect(try await caller.value == nil)
    await backend.waitUntilIdle()
  }

  // MARK: Accuracy, timeouts and failures

  @Test func returnsTheFirstAcceptableLocation() async throws {
    let caller = Task.immediate {
      try await manager.currentLocation(desiredAccuracy: .meters(50))
    }
    await backend.waitUntilRunning()
    try backend.emit(.location(fix(1, accuracy: 80)), .location(fix(2, accuracy: 50)))
    #expect(try await caller.value == fix(2, accuracy: 50))
  }

  @Test func aTimeoutWithoutAFixHasTheReason() async throws {
    let caller = Task.immediate { try await manager.currentLocation(timeout: .seconds(5)) }
    await backend.waitUntilRunning()
    let problem = LocationError(.backendUnavailable, "Nothing listens there.")
    try backend.emit(.connection(ConnectionState(.waiting, problem: problem)))
    await clock.waitForSleepers()
    clock.advance(by: .seconds(5))
    let error = try #require(await caller.result.failure as? LocationError)
    #expect(error.code == .timedOut)
    #expect(error.cause as? LocationError == problem)
    #expect(error.message.contains("Nothing listens there."))
    #expect(error.isTransient)
    await backend.waitUntilIdle()
  }

  @Test func waitingForPermissionCountsTowardTheDeadline() async throws {
    let backend = MockBackend(authorization: .asking, clock: clock)
    let manager = LocationManager(backend: backend, clock: clock)
    let caller = Task.immediate { try await manager.currentLocation(timeout: .seconds(5)) }
    await clock.waitForSleepers()
    clock.advance(by: .seconds(5))
    #expect((await caller.result.failure as? LocationError)?.code == .timedOut)
    #expect(backend.runCount == 0)
  }

  @Test(arguments: [Duration.zero, .seconds(-3)])
  func zeroTimeoutReturnsOnlyAKnownLocation(_ timeout: Duration) async throws {
    let error = await #expect(throws: LocationError.self) {
      try await manager.currentLocation(timeout: timeout)
    }
    #expect(error?.code == .timedOut)
    #expect(backend.backendCalls.isEmpty)

    let updates = manager.updates(UpdateOptions())
    await backend.waitUntilRunning()
    try backend.emit(.location(fix(1)))
    _ = try await updates.first(1)
    clock.advance(by: .seconds(20))
    #expect(try await manager.currentLocation(timeout: timeout) == fix(1))
    #expect(
      try await manager.currentLocation(maximumAge: .seconds(20), timeout: timeout) == fix(1))
    await #expect(throws: LocationError.self) {
      try await manager.currentLocation(maximumAge: .seconds(19), timeout: timeout)
    }
  }

  @Test func aRecentKnownLocationIsReturnedAtOnce() async throws {
    let updates = manager.updates(UpdateOptions())
    await backend.waitUntilRunning()
    try backend.emit(.location(fix(1)))
    _ = try await updates.first(1)
    clock.advance(by: .seconds(9))
    #expect(try await manager.currentLocation(maximumAge: .seconds(10)) == fix(1))
    clock.advance(by: .seconds(2))
    let caller = Task.immediate { try await manager.currentLocation(maximumAge: .seconds(10)) }
    try backend.emit(.location(fix(2)))
    #expect(try await caller.value == fix(2))
  }

  @Test func aLongTimeoutDoesNotTrap() async throws {
    let caller = Task.immediate {
      try await manager.currentLocation(timeout: .seconds(Int64.max))
    }
    await backend.waitUntilRunning()
    try backend.emit(.location(fix(1)))
    #expect(try await caller.value == fix(1))
  }

  @Test func aBackendFailureIsThrown() async throws {
    let caller = Task.immediate { try await manager.currentLocation() }
    await backend.waitUntilRunning()
    try backend.fail(LocationError(.notGPSD, "A web server."))
    #expect((await caller.result.failure as? LocationError)?.code == .notGPSD)
  }

  @Test func aForeignErrorIsTheCause() async throws {
    struct Foreign: Error {}
    var backend = MockBackend.failing(
      { Issue.record("\($0)") }, run: { _, _ in throw Foreign() },
      authorize: { _ in .authorizedWhenInUse }, observe: { _ in })
    backend[.updates] = .allowed
    let manager = LocationManager(backend: backend)
    let error = await manager.updates.all().error as? LocationError
    #expect(error?.code == .backendUnavailable)
    #expect(error?.cause is Foreign)
  }
}
