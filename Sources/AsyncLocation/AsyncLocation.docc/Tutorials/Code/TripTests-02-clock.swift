import AsyncLocation
import MockBackend
import Testing
import TripService

@Test func measuresATrip() async throws {
  let clock = ManualClock()
  let backend = try MockBackend(
    script: [
      .location(latitude: 60.17, longitude: 24.94),
      .wait(.seconds(5)),
      .location(latitude: 60.18, longitude: 24.95),
      .end,
    ],
    clock: clock)
  let manager = LocationManager(backend: backend, clock: clock)

  let trip = Task { try await Trip.length(of: manager.updates) }
  await clock.waitForSleepers()
  clock.advance(by: .seconds(5))
  #expect(try await trip.value > 1_000)
}
