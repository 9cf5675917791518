import AsyncLocation
import Simulation
import TestSupport
import Testing

/// The bounds of the table that `scripts/simulate --trips` prints, for fixed seeds that are not those
/// with which the parameters were chosen.
@Suite(.inTurn) struct TripTests {
  /// The simulated days of a test; all of the table with `TRIP_DAYS=1000`.
  private static let days = Rounds.environment("TRIP_DAYS", otherwise: 40)

  /// The bounds are below those of a thousand days, since few days have few trips.
  @Test(
    .longWork,
    arguments: [
      ("10 s", 0.98), ("30 s", 0.98), ("60 s", 0.97), ("120 s", 0.95), ("300 s", 0.93),
      ("600 s", 0.92), ("10 s, at rest 600 s", 0.97), ("10 s, at rest nothing", 0.95),
    ])
  func tripsAreFound(_ name: String, atLeast bound: Double) throws {
    let trial = try #require(TripTrial.all.first { $0.name == name })
    let score = trial.score(days: Self.days, seed: 1_000_000)
    #expect(score.planned >= 2 * Self.days)
    #expect(score.f1 >= bound, "\(score.planned) planned, \(score.found), \(score.matched) matched")
  }

  @Test(.longWork) func tripsAreFoundEachSecond() throws {
    let trial = try #require(TripTrial.all.first { $0.interval == 1 })
    #expect(trial.score(days: max(4, Self.days / 10), seed: 1_000_000).f1 >= 0.95)
  }

  /// With a rest of a minute every light ends a trip, so the score counts what is wrong.
  @Test(.longWork) func wrongOptionsHaveALowScore() throws {
    let trial = try #require(TripTrial.all.first { $0.interval == 30 })
    let options = TripOptions(minimumRest: .seconds(60))
    #expect(trial.score(days: 10, seed: 1_000_000, options: options).f1 < 0.6)
  }

  @Test func daysAreReproducible() {
    let trial = TripTrial.all[3]
    #expect(trial.locations(day: 7) == trial.locations(day: 7))
    #expect(trial.locations(day: 7) != trial.locations(day: 8))
  }

  private static let planned = [
    TripScore.Span(start: 1_000, end: 2_000, distance: 1),
    TripScore.Span(start: 3_000, end: 4_000, distance: 1),
  ]

  @Test(arguments: [
    ([TripScore.Span(start: 1_000, end: 2_000, distance: 1)], 1, 1),
    ([TripScore.Span(start: 1_180, end: 1_820, distance: 1)], 1, 1),
    ([TripScore.Span(start: 1_181, end: 1_820, distance: 1)], 1, 0),
    ([TripScore.Span(start: 1_190, end: 2_000, distance: 1)], 1, 1),
    ([TripScore.Span(start: 1_000, end: 4_000, distance: 1)], 1, 0),
    ([TripScore.Span(start: 1_000, end: nil, distance: 1)], 1, 0),
    (
      [
        TripScore.Span(start: 1_000, end: 2_000, distance: 1),
        TripScore.Span(start: 1_001, end: 2_000, distance: 1),
      ], 2, 1
    ),
  ])
  func onlyTheSameTripsMatch(_ found: [TripScore.Span], _ count: Int, _ matched: Int) {
    var score = TripScore()
    score.add(planned: Self.planned, found: found, interval: 10)
    #expect(score.planned == 2)
    #expect(score.found == count)
    #expect(score.matched == matched)
    #expect(score.f1 == 2 * Double(matched) / Double(2 + count))
  }
}
