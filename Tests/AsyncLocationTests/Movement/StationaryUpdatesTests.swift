import AsyncLocation
import FoundationEssentials
import MockBackend
import TestSupport
import Testing

/// The stationary state in live updates.
@Suite(.inTurn)
struct StationaryUpdatesTests {
  /// A fix at one place, the given number of seconds after the first.
  private func stay(_ second: Int, at latitude: Double = 60) throws -> Location {
    try Location(
      latitude: latitude, longitude: 25,
      timestamp: Date(timeIntervalSince1970: 1_800_000_000 + Double(second)), horizontalAccuracy: 4)
  }

  /// Emits fixes one second apart, each after the previous one was received. Returns for each fix
  /// whether its update is reported as stationary.
  private func reported(_ decision: AuthorizationDecision, seconds: Int = 90) async throws -> [Bool]
  {
    let clock = ManualClock()
    let backend = MockBackend(authorization: .answering(decision), clock: clock)
    let manager = LocationManager(backend: backend, clock: clock)
    var updates = manager.liveUpdates.makeAsyncIterator()
    var reported: [Bool] = []
    for second in 0...seconds + 1 {
      await backend.waitUntilRunning()
      // The last fix is a hundred metres away.
      try backend.emit(.location(try stay(second, at: second > seconds ? 60.001 : 60)))
      while let update = await updates.next() {
        guard update.location != nil else { continue }
        reported.append(update.diagnostics.contains(.stationary))
        break
      }
      clock.advance(by: .seconds(1))
    }
    await manager.shutdown()
    return reported
  }

  @Test func liveUpdatesReportStationaryUntilMovement() async throws {
    let reported = try await reported(.authorizedWhenInUse)
    let first = try #require(reported.firstIndex(of: true))
    #expect(first == 60)
    #expect(reported[first..<reported.count - 1].allSatisfy { $0 })
    #expect(reported.last == false)
  }

  @Test func reducedAccuracyReportsNoStationaryState() async throws {
    let reported = try await reported(.authorizedWhenInUse.limited(to: .reduced))
    #expect(reported.count == 92)
    #expect(!reported.contains(true))
  }
}
