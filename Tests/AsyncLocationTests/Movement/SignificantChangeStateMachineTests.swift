import TestSupport
import Testing

@testable import AsyncLocation

@Suite(.inTurn) struct SignificantChangeStateMachineTests {
  struct Scenario: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let track: Track
    /// The indices of the delivered locations.
    let delivered: [Int]

    init(_ description: String, _ track: Track, _ delivered: [Int]) {
      (testDescription, self.track, self.delivered) = (description, track, delivered)
    }
  }

  private static let start = Track().then()

  static let scenarios = [
    Scenario("the first location", start.stay(3_600, every: 60), [0]),
    Scenario("an inaccurate first location", Track().then(accuracy: 5_000), [0]),
    Scenario("500 m after five minutes", start.then(300, east: 500.1), [0, 1]),
    Scenario("less than 500 m", start.then(300, east: 499.9).then(3_600), [0]),
    Scenario("less than five minutes", start.then(299, east: 5_000).then(1), [0, 2]),
    Scenario(
      "the distance counts from the last delivered location, not along the path",
      (0..<20).reduce(start) { track, lap in track.then(300, east: lap.isMultiple(of: 2) ? 400 : 0)
      }, [0]),
    Scenario(
      "a drive at 20 m/s is delivered every five minutes", start.move(east: 20_000, at: 20),
      [0, 300, 600, 900]),
    Scenario(
      "an error that exceeds the distance moved",
      start.then(300, east: 2_000, accuracy: 2_500).then(1, accuracy: 1_900).then(
        59, accuracy: 1_900
      ).then(1, accuracy: 1_900), [0, 4]),
    Scenario(
      "a change is confirmed after a minute",
      start.stay(300).then(east: 600).stay(59).then().then(), [0, 361]),
    Scenario(
      "an outlier is no change, also for 59 s",
      start.stay(400).then(east: 2_000).then(east: 0).then(east: 2_000).stay(59).then(east: 0)
        .stay(900), [0]),
    Scenario(
      "the confirmation lies within the five minutes",
      start.stay(200).then(east: 600).stay(120), [0, 300]),
    Scenario(
      "an inaccurate location elsewhere neither begins nor ends a confirmation",
      start.stay(400).then(east: 2_000).stay(29).then(accuracy: 9_000).stay(40), [0, 461]),
    Scenario(
      "after two minutes without a location one location is enough",
      start.stay(300).then(120, east: 600).then(121, east: 0).then(121, east: 600), [0, 303]),
    Scenario(
      "a clock that jumps is no time",
      start.then(10, east: 5_000, clock: 1_024 * 7 * 86_400).then(290, clock: -86_400), [0, 2]),
    Scenario(
      "reduced accuracy delivers nothing, and full accuracy starts over",
      start.stay(2, isReduced: true).stay(2), [0, 3]),
  ]

  @Test(arguments: scenarios)
  func followsTheScenario(_ scenario: Scenario) throws {
    var machine = SignificantChangeStateMachine(startingAt: .zero)
    let delivered = try scenario.track.locations().enumerated().filter {
      machine.located($0.element.location, at: $0.element.instant)
    }
    #expect(delivered.map(\.offset) == scenario.delivered)
  }

  @Test func aKnownLocationIsDeliveredWhenTheStreamBegins() {
    var machine = SignificantChangeStateMachine(startingAt: .seconds(10_000))
    #expect(machine.located(Sample.location(0), at: .seconds(5)) == true)
    #expect(machine.located(Sample.location(100), at: .seconds(10_299)) == false)
    #expect(machine.located(Sample.location(101), at: .seconds(10_300)) == true)
  }
}
