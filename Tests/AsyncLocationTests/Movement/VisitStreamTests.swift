import AsyncLocation
import FoundationEssentials
import MockBackend
import TestSupport
import Testing

@Suite(.inTurn)
struct VisitStreamTests {
  private let bench = ManagerBench()
  private var manager: LocationManager { bench.manager }
  private static let drive = Track().then().move(east: 1_000, at: 20)

  @Test func aVisitIsDeliveredAtItsBeginningAndItsEnd() async throws {
    let (visits, longVisits) = (
      manager.visits, manager.visits(VisitOptions(minimumStay: .seconds(900)))
    )
    try await bench.feed(Self.drive.stay(600).move(east: 2_000, at: 20))
    try bench.backend.end()
    let seen = await visits.all()
    #expect(seen.error == nil)
    try #require(seen.elements.count == 2)
    #expect(seen.elements[0].departure == nil)
    #expect(seen.elements[1].departure != nil)
    #expect(seen.elements[0].arrival == seen.elements[1].arrival)
    #expect(seen.elements[0].arrival != nil)
    #expect(await longVisits.all().elements.isEmpty)
  }

  @Test func anArrivalIsDeliveredDuringTheStay() async throws {
    var visits = manager.visits.makeAsyncIterator()
    try await bench.feed(Self.drive.stay(400))
    #expect(try await visits.next()?.departure == nil)
    try await bench.feed(
      Self.drive.stay(400).move(north: 2_000, at: 20), after: Self.drive.stay(400))
    #expect(try await visits.next()?.departure != nil)
  }

  /// A reader that is busy for an hour misses nothing.
  @Test func anUnreadBufferHoldsTheVisitsOfAnHour() async throws {
    let visits = manager.visits
    try await bench.feed(
      Self.drive.stay(1_000).move(east: 10_000, at: 20).stay(1_000).move(east: 10_000, at: 20))
    try bench.backend.end()
    #expect(await visits.all().elements.map { $0.departure == nil } == [true, false, true, false])
    #expect(await manager.statistics.elementsDropped == 0)
  }

  @Test("F11 a clock that is set during a stay makes no other visit")
  func clockJumpsAddNoVisit() async throws {
    let visits = manager.visits
    let (hour, rollover) = (3_600.0, 1_024 * 7 * 86_400.0)
    try await bench.feed(
      Self.drive.stay(200).stay(200, clock: -hour).stay(200, clock: rollover).stay(200)
        .stay(200, clock: -rollover).move(east: 2_000, at: 20, clock: -rollover))
    try bench.backend.end()
    let seen = await visits.all().elements
    try #require(seen.count == 2 && seen[0].departure == nil)
    let (arrival, departure) = try (
      #require(seen[1].arrival), #require(seen[1].departure)
    )
    #expect(seen[0].arrival == arrival)
    #expect(abs(departure.timeIntervalSince(arrival) - 1_010) < 15)
  }

  @Test func visitsAreThoseOfTheNamedReceiver() async throws {
    let (chosen, other) = (
      manager.visits(VisitOptions(device: "a")), manager.visits(VisitOptions(device: "b"))
    )
    try await bench.feed(Track().then().stay(400), device: "a")
    try bench.backend.end()
    #expect(await chosen.all().elements.count == 1)
    #expect(await other.all().elements.isEmpty)
    let invalid = manager.visits(VisitOptions(device: ""))
    #expect((await invalid.all().error as? LocationError)?.code == .invalidValue)
  }

  @Test func aStreamEndsWithPermissionOrTheManager() async throws {
    let revoked = manager.visits
    try await bench.feed(Track().then().stay(400))
    bench.backend.setAuthorization(.denied)
    let seen = await revoked.all()
    #expect(seen.elements.isEmpty)  // Unread elements are withdrawn.
    #expect((seen.error as? LocationError)?.code == .denied)
    bench.backend.setAuthorization(.authorizedAlways)
    let open = manager.visits
    await manager.shutdown()
    #expect(await open.all().error == nil)
    #expect((await manager.visits.all().error as? LocationError)?.code == .shutDown)
  }

  @Test func leavingTheLoopStopsTheReceiver() async throws {
    var visits: VisitUpdates? = manager.visits
    await bench.backend.waitUntilRunning()
    #expect(bench.backend.demand?.minimumInterval == .seconds(5))
    _ = visits
    visits = nil
    await bench.backend.waitUntilIdle()
    #expect(await manager.statistics.subscribers == 0)
  }

  @Test func aCancelledLoopEnds() async throws {
    let manager = manager
    let loop = Task { for try await _ in manager.visits {} }
    await bench.backend.waitUntilRunning()
    loop.cancel()
    try await loop.value
    await bench.backend.waitUntilIdle()
  }

  @Test func reducedAccuracySuspendsVisits() async throws {
    let bench = ManagerBench(
      authorization: .answering(.authorizedWhenInUse.limited(to: .reduced)))
    // Subscribed before the requests of the streams.
    var diagnostics = bench.manager.monitoringDiagnostics.makeAsyncIterator()
    let (visits, changes) = (bench.manager.visits, bench.manager.significantLocationChanges)
    try await bench.feed(Self.drive.stay(600).move(east: 20_000, at: 20))
    #expect(await diagnostics.next() == .serviceSessionRequired)
    #expect(await diagnostics.next() == .accuracyLimited)
    bench.backend.setAuthorization(.authorizedWhenInUse)
    #expect(await diagnostics.next() == [])
    try bench.backend.end()
    #expect(await visits.all().elements.isEmpty)
    #expect(await changes.all().elements.isEmpty)
  }

  @Test func diagnosticsFollowPermission() async throws {
    var diagnostics = manager.monitoringDiagnostics.makeAsyncIterator()
    #expect(await diagnostics.next() == .serviceSessionRequired)
    bench.backend.setAuthorization(.authorizedWhenInUse)
    #expect(await diagnostics.next() == [])
    bench.backend.setAuthorization(.authorizedAlways)  // Changes nothing.
    bench.backend.setAuthorization(.denied)
    #expect(await diagnostics.next() == .authorizationDenied)
    bench.backend.setAuthorization(.restricted)
    #expect(await diagnostics.next() == .authorizationRestricted)
    bench.backend.setLocationServices(enabled: false)
    #expect(await diagnostics.next() == [.authorizationDenied, .authorizationDeniedGlobally])
    #expect(bench.backend.runCount == 0)
    await manager.shutdown()
    #expect(await diagnostics.next() == nil)
  }
}
