import AsyncLocation
import Simulation
import TestSupport
import Testing

/// The bounds of the tables that `scripts/simulate --noise` prints, for fixed seeds.
@Suite(.inTurn) struct NoiseTests {
  /// The simulated hours of a test; a whole day with `NOISE_HOURS=24`.
  private static let hours = Double(Rounds.environment("NOISE_HOURS", otherwise: 4))

  private static func trial(_ name: String) throws -> FenceTrial {
    try #require(FenceTrial.all.first { $0.name.hasSuffix(name) })
  }

  @Test(
    .longWork,
    arguments: [
      ("5 m hold 95 %, white", 0.0), ("5 m hold 95 %, correlated over 60 s", 6),
      ("5 m hold 95 %, correlated over 600 s", 6), ("5 m hold 68 %, white", 0),
      ("5 m hold 68 %, correlated over 60 s", 30), ("5 m hold 68 %, correlated over 600 s", 12),
      ("indoors on the boundary, 40 m hold 95 %, correlated over 60 s", 6),
      ("in the middle, a jump of 250 m and one fix in an hour", 0),
      ("in the middle, four of them in an hour", 0),
      ("in the middle, one of 30 s in an hour", 30), ("in the middle, four of 60 s in an hour", 48),
    ])
  func errorsCauseFewEvents(_ name: String, atMost eventsPerDay: Double) throws {
    let events = try Self.trial(name).events(hours: Self.hours, CrossingOptions(), seed: 1)
    #expect(Double(events) * 24 / Self.hours <= eventsPerDay)
  }

  /// Without a confirmation each jump causes two events, so the bounds above are meaningful.
  @Test(.longWork) func eachJumpCausesTwoEventsWithoutAConfirmation() throws {
    let options = CrossingOptions(confirmation: .zero)
    let events = try Self.trial("in the middle, four of them in an hour").events(
      hours: 4, options, seed: 1)
    #expect(events >= 16)
  }

  @Test(.longWork, arguments: [10, 40] as [Double])
  func anEntryIsReportedAfterItsConfirmation(_ speed: Double) throws {
    for interval in [1, 5] as [Double] {
      let delay = try #require(
        CrossingTrial.latestEntry(at: speed, every: interval, CrossingOptions(), seed: 1))
      #expect(delay <= 20 + interval)
    }
  }

  @Test(.longWork) func everyStopOfABusIsReported() {
    // The share of the arrivals and departures that are reported; a stop lasts 180 s.
    #expect(CrossingTrial.reportedStops(of: 180, CrossingOptions(), seed: 1) == 1)
  }

  @Test(.longWork) func jumpsEndFewVisits() {
    let jumps = ReceiverErrors.Jumps(perHour: 4, duration: 60)
    let departures = MovementTrial.falseDepartures(hours: 24, jumps, VisitOptions(), seed: 1)
    #expect(departures <= 2)
    let withShortConfirmation = MovementTrial.falseDepartures(
      hours: 24, jumps, VisitOptions(jumpConfirmation: .seconds(30)), seed: 1)
    #expect(withShortConfirmation >= 30)
  }

  @Test(.longWork, arguments: [1, 5, 10] as [Double])
  func aDepartureIsReportedSoon(_ interval: Double) throws {
    let delay = try #require(
      MovementTrial.departureDelay(at: 20, every: interval, VisitOptions(), seed: 1))
    #expect(delay <= 60)
  }

  @Test(.longWork) func anOutlierIsNoSignificantChange() {
    let jumps = ReceiverErrors.Jumps(perHour: 1, distance: 2_000, duration: 0)
    let changes = MovementTrial.falseChanges(
      hours: 24, jumps, confirmation: SignificantChangeStateMachine.confirmation, seed: 1)
    #expect(changes == 0)
    #expect(MovementTrial.falseChanges(hours: 24, jumps, confirmation: .zero, seed: 1) > 0)
  }
}
