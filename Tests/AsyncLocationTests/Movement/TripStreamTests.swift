import AsyncLocation
import FoundationEssentials
import MockBackend
import TestSupport
import Testing

@Suite(.inTurn)
struct TripStreamTests {
  private let bench = ManagerBench()
  private var manager: LocationManager { bench.manager }
  private static let drive = Track().then().stay(900).move(east: 4_000, at: 10)

  @Test func aTripIsDeliveredAtItsBeginningAndItsEnd() async throws {
    let (trips, others) = (manager.trips, manager.trips(TripOptions(minimumDistance: 9_000)))
    try await bench.feed(Self.drive.stay(900))
    try bench.backend.end()
    let seen = await trips.all()
    #expect(seen.error == nil)
    try #require(seen.elements.count == 2)
    #expect(seen.elements[0].end == nil)
    #expect(seen.elements[1].end != nil)
    #expect(seen.elements[0].start == seen.elements[1].start)
    #expect(await others.all().elements.isEmpty)
  }

  @Test func aDepartureIsDeliveredDuringTheTrip() async throws {
    var trips = manager.trips.makeAsyncIterator()
    try await bench.feed(Self.drive)
    #expect(try await trips.next()?.end == nil)
    try await bench.feed(Self.drive.stay(900), after: Self.drive)
    #expect(try await trips.next()?.end != nil)
  }

  /// A reader that is busy for an hour misses nothing.
  @Test func anUnreadBufferHoldsTheTripsOfAnHour() async throws {
    let trips = manager.trips
    try await bench.feed(Self.drive.stay(900).move(north: 4_000, at: 10).stay(900))
    try bench.backend.end()
    #expect(await trips.all().elements.map { $0.end == nil } == [true, false, true, false])
    #expect(await manager.statistics.elementsDropped == 0)
  }
}
