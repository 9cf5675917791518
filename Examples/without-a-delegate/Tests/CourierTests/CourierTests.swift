import AsyncLocation
import Courier
import FoundationEssentials
import MockBackend
import Testing

/// `scripts/examples --times 100 without-a-delegate` repeats these tests.
@Suite(.timeLimit(.minutes(10))) struct CourierTests {
  private let clock = ManualClock()

  private func coordinate(_ latitude: Double) throws -> Coordinate {
    try Coordinate(latitude: latitude, longitude: 24.96)
  }

  private func location(_ latitude: Double) throws -> Location {
    try Location(latitude: latitude, longitude: 24.96)
  }

  // MARK: Permission

  @Test(arguments: [
    (AuthorizationDecision.denied, false), (.authorizedWhenInUse, true), (.authorizedAlways, true),
  ])
  func twoCallersGetTheAnswer(_ decision: AuthorizationDecision, _ expected: Bool) async throws {
    let backend = MockBackend(authorization: .asking)
    let courier = Courier(LocationManager(backend: backend))
    let first = Task.immediate { try await courier.mayBeLocated() }
    let second = Task.immediate { try await courier.mayBeLocated() }
    await backend.waitForCall(.endpoint(.requestWhenInUseAuthorization), count: 2)
    await backend.waitForCall(.authorizationRequested(.whenInUse))
    backend.answerAuthorization(decision)
    #expect(try await first.value == expected)
    #expect(try await second.value == expected)
  }

  // MARK: One location

  @Test func theDistanceToACustomer() async throws {
    var backend = MockBackend.failing { Issue.record("\($0)") }
    backend[.currentLocation] = .locations(try location(60.16))
    let courier = Courier(LocationManager(backend: backend))
    let distance = try await courier.distance(to: coordinate(60.17))
    #expect((1_100...1_120).contains(distance))
    #expect(backend.endpoints == [.currentLocation])
  }

  @Test func theDeadlinePasses() async throws {
    let courier = Courier(LocationManager(backend: MockBackend(), clock: clock))
    let customer = try coordinate(60.17)
    let caller = Task { try await courier.distance(to: customer) }
    await clock.waitForSleepers()
    clock.advance(by: .seconds(30))
    let error = await #expect(throws: LocationError.self) { try await caller.value }
    #expect(error?.code == .timedOut)
  }

  @Test func aCancelledCallerIsReleased() async throws {
    let backend = MockBackend()
    let courier = Courier(LocationManager(backend: backend))
    let customer = try coordinate(60.17)
    let caller = Task { try await courier.distance(to: customer) }
    await backend.waitUntilRunning()
    caller.cancel()
    await #expect(throws: CancellationError.self) { try await caller.value }
    try await backend.settle()
    #expect(backend.unfinishedWork.isEmpty)
  }

  // MARK: Following

  @Test func everythingIsLoggedInItsOrder() async throws {
    let backend = MockBackend()
    let courier = Courier(LocationManager(backend: backend))
    let following = Task { await courier.follow() }
    await backend.waitForReaders(of: .events)
    try await backend.settle()
    #expect(await courier.log == [.permission(.notDetermined), .permission(.authorizedWhenInUse)])

    let heading = try Heading(
      trueHeading: 90, timestamp: Date(timeIntervalSince1970: 1_800_000_000), source: .compass)
    try backend.emit(.location(location(60.16)), .heading(heading))
    try backend.emit(.unavailable(LocationError(.locationUnknown, "No fix.")))
    try backend.emit(.location(location(60.17)))
    try await backend.settle()
    backend.setAuthorization(.denied)
    try await backend.settle()
    #expect(
      await courier.log.dropFirst(2) == [
        .moved(try coordinate(60.16)), .turned(90), .lost(.locationUnknown),
        .moved(try coordinate(60.17)), .permission(.denied), .lost(.denied),
      ])

    following.cancel()
    await following.value
    try await backend.settle()
    #expect(backend.unfinishedWork.isEmpty)
  }

  @Test func sourceFailureEndsTheLog() async throws {
    let backend = MockBackend()
    let courier = Courier(LocationManager(backend: backend))
    try backend.fail(LocationError(.connectionLost, "The cable was pulled."))
    await courier.follow()
    #expect(await courier.log.last == .lost(.connectionLost))
  }

  /// The courier uses only the events. A backend that allows nothing reports this use.
  @Test func followingNeedsTheEvents() async {
    let (reports, reporting) = AsyncStream<String>.makeStream()
    let backend = MockBackend.failing { reporting.yield($0) }
    await Courier(LocationManager(backend: backend)).follow()
    reporting.finish()
    var count = 0
    for await report in reports {
      count += 1
      #expect(report.contains("LocationManager's 'events' was used"))
    }
    #expect(count == 1)
    #expect(backend.endpoints == [.events])
  }
}
