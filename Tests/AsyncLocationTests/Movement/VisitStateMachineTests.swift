import FoundationEssentials
import MockBackend
import TestSupport
import Testing

@testable import AsyncLocation

@Suite(.inTurn) struct VisitStateMachineTests {
  /// A visit: metres from the origin, and seconds from the start.
  struct Expected: Sendable, CustomStringConvertible {
    var east = 0.0
    var north = 0.0
    var arrival: Double?
    var departure: Double?
    var tolerance = 1.0

    var description: String {
      "\(east) m east, \(north) m north, \(arrival.map { "\($0)" } ?? "?") s"
        + " to \(departure.map { "\($0)" } ?? "?") s"
    }
  }

  struct Scenario: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var options = VisitOptions()
    let track: Track
    let visits: [Expected]

    init(
      _ description: String, _ track: Track, _ visits: [Expected] = [],
      options: VisitOptions = VisitOptions()
    ) {
      (testDescription, self.options, self.track, self.visits) = (
        description, options, track, visits
      )
    }
  }

  private static let start = Track().then()
  /// A kilometre of driving, with the last location at 50 s.
  private static let drive = start.move(east: 1_000, at: 20)
  private static let week = 7.0 * 86_400

  static let stays = [
    Scenario("five minutes are a visit, with an unknown arrival", start.stay(300), [Expected()]),
    Scenario("a second less than five minutes is no visit", start.stay(299)),
    Scenario(
      "the minimum stay is an option", start.stay(60), [Expected()],
      options: VisitOptions(minimumStay: .seconds(60))),
    Scenario(
      "a drive, a stay and a drive: the last 100 m of the drive belong to the stay",
      drive.stay(600).move(east: 1_000, at: 20),
      [
        Expected(east: 1_000, arrival: 45, tolerance: 10),
        Expected(east: 1_000, arrival: 45, departure: 657, tolerance: 10),
      ]),
    Scenario(
      "two visits: the first departs before the second arrives",
      start.stay(400).move(north: 2_000, at: 20).stay(400),
      [
        Expected(), Expected(departure: 407, tolerance: 10),
        Expected(north: 2_000, arrival: 495, tolerance: 10),
      ]),
    Scenario(
      "a location every two minutes is enough",
      drive.stay(1_200, every: 120).then(120, east: 9_000).then(120, east: 9_900),
      [
        Expected(east: 1_000, arrival: 45, tolerance: 10),
        Expected(east: 1_000, arrival: 45, departure: 1_250, tolerance: 10),
      ]),
    Scenario("unknown accuracies", start.stay(300, accuracy: nil), [Expected()]),
    Scenario(
      "on the antimeridian", start.stay(400).at(latitude: 0, longitude: 180), [Expected()]),
    Scenario(
      "at the pole", start.stay(400).at(latitude: 90, longitude: 0), [Expected()]),
  ]

  static let noVisits = [
    Scenario(
      "traffic lights",
      (0..<20).reduce(start) { track, _ in track.move(east: 500, at: 14).stay(90) }),
    Scenario(
      "a walk around a block of 100 m by 200 m",
      start.move(east: 100, at: 1.4).move(north: 200, at: 1.4).move(east: -100, at: 1.4)
        .move(north: -200, at: 1.4)),
    Scenario(
      "a walk around a block of 100 m by 100 m",
      start.move(east: 100, at: 1.2).move(north: 100, at: 1.2).move(east: -100, at: 1.2)
        .move(north: -100, at: 1.2)),
    Scenario(
      "a tunnel of four minutes", drive.gap(240, east: 5_000).move(east: 2_000, at: 20)),
    Scenario(
      "a tunnel with a traffic jam before it",
      drive.stay(200).gap(600, east: 3_000).move(east: 2_000, at: 20)),
    Scenario(
      "a place that is passed again nine hours later",
      drive.gap(9 * 3_600).move(east: 1_000, at: 20)),
    Scenario(
      "hours of driving with a clock that jumps by 1,024 weeks and back",
      drive.move(east: 4_000, at: 20, clock: 1_024 * week).move(
        east: 4_000, at: 20, clock: -1_024 * week
      ).move(east: 4_000, at: 20)),
    Scenario(
      "a clock that is set forward by an hour at a traffic light",
      drive.stay(60).stay(60, clock: 3_600).move(east: 4_000, at: 20, clock: 3_600)),
    Scenario("inaccurate locations", start.stay(900, accuracy: 500)),
    Scenario("reduced accuracy", start.stay(900, isReduced: true)),
  ]

  /// A boat that circles its anchor once in 20 minutes and starts south of it.
  private static func swinging(_ hours: Double, radius: Double) -> Track {
    start.path(for: hours * 3_600, every: 5) { seconds in
      let angle = seconds / 1_200 * 2 * .pi
      return (radius * Double.sin(angle), radius - radius * Double.cos(angle))
    }
  }

  static let robust = [
    Scenario(
      "a boat that swings at anchor on 60 m", swinging(6, radius: 60),
      [Expected(north: 60, tolerance: 70)]),
    Scenario(
      "one jump of 2 km ends no visit",
      start.stay(400).then(east: 2_000).then(east: 0).stay(400), [Expected()]),
    Scenario(
      "a jump of twenty seconds ends no visit",
      start.stay(400).then(east: 2_000).stay(20).then(east: 0).stay(400), [Expected()]),
    Scenario(
      "a jump of five minutes less a second ends no visit",
      start.stay(400).then(east: 250).stay(299).then(east: 0).stay(400), [Expected()]),
    Scenario(
      "five minutes of a jump are a departure, and a visit",
      start.stay(400).then(east: 250).stay(301),
      [Expected(), Expected(departure: 400), Expected(east: 250, arrival: 401)]),
    Scenario(
      "a car that leaves as fast as it can is no jump",
      start.stay(400).path(for: 40) { (2.5 * $0 * $0, 0) }, [Expected(), Expected(departure: 407)]),
    Scenario(
      "a car with a location every ten seconds is no jump",
      start.stay(400).path(for: 60, every: 10) { ($0 * 40, 0) },
      [Expected(), Expected(departure: 400)]),
    Scenario(
      "a jump before a gap ends no visit",
      start.stay(400).then(east: 2_000).then(3_600, east: 0).stay(400), [Expected()]),
    Scenario(
      "a jump while the stay is not established",
      start.stay(200).then(east: 2_000).then(east: 0).stay(98), [Expected()]),
    Scenario(
      "inaccurate locations elsewhere end no visit",
      start.stay(400).then(east: 2_000, accuracy: 800).stay(300, accuracy: 800), [Expected()]),
    Scenario(
      "an error that may explain the distance ends no visit",
      start.stay(400).then(east: 220, accuracy: 90).stay(300, accuracy: 90), [Expected()]),
    Scenario(
      "a garage: three hours without locations",
      drive.stay(400).gap(10_800, east: 60).move(east: 2_000, at: 20),
      [
        Expected(east: 1_000, arrival: 45, tolerance: 10),
        Expected(east: 1_000, arrival: 45, departure: 11_255, tolerance: 10),
      ]),
    Scenario(
      "a garage entered at once, for ten minutes",
      drive.gap(600, east: 30).then(), [Expected(east: 1_010, arrival: 45, tolerance: 20)]),
    Scenario(
      "reappearing elsewhere after a gap: the departure is at the last location there",
      start.stay(400).gap(3_600, east: 50_000).stay(400),
      [Expected(), Expected(departure: 400), Expected(east: 50_000)]),
    Scenario(
      "reduced accuracy forgets the visit",
      start.stay(400).stay(60, isReduced: true).stay(299), [Expected()]),
    Scenario(
      "after reduced accuracy the receiver may have been at the place before",
      start.stay(400).stay(60, isReduced: true).stay(400), [Expected(), Expected()]),
  ]

  static let clocks = [
    Scenario(
      "a clock that is set back an hour during the stay",
      drive.stay(600).stay(600, clock: -3_600).move(east: 1_000, at: 20, clock: -3_600),
      [
        Expected(east: 1_000, arrival: 45, tolerance: 10),
        Expected(east: 1_000, arrival: 45, departure: 1_257, tolerance: 10),
      ]),
    Scenario(
      "a rollover that is corrected before the stay is established",
      start.move(east: 1_000, at: 20, clock: -1_024 * week).stay(60, clock: -1_024 * week)
        .stay(600),
      [Expected(east: 1_000, arrival: 45, tolerance: 10)]),
    Scenario(
      "a few timestamps 1,024 weeks ahead, one of which establishes the stay",
      drive.stay(290).stay(20, clock: 1_024 * week).stay(300),
      [Expected(east: 1_000, arrival: 45, tolerance: 10)]),
    Scenario(
      "the last timestamps of a stay are 1,024 weeks behind",
      start.stay(600).stay(10, clock: -1_024 * week).then(east: 2_000).stay(40),
      [Expected(), Expected(departure: 610)]),
    Scenario(
      "a leap second", start.stay(400).stay(400, clock: -1).move(east: 1_000, at: 20, clock: -1),
      [Expected(), Expected(departure: 805, tolerance: 10)]),
  ]

  @Test(arguments: stays + noVisits + robust)
  func followsTheScenario(_ scenario: Scenario) throws { try run(scenario) }

  @Test("F11 a clock that jumps changes no visit", arguments: clocks)
  func aClockThatJumpsChangesNoVisit(_ scenario: Scenario) throws { try run(scenario) }

  private func run(_ scenario: Scenario) throws {
    var machine = VisitStateMachine(scenario.options)
    let visits = try scenario.track.locations().compactMap {
      machine.located($0.location, at: $0.instant)
    }
    try #require(
      visits.count == scenario.visits.count,
      "\(visits) instead of \(scenario.visits)")
    for (visit, expected) in zip(visits, scenario.visits) {
      let place = try scenario.track.coordinate(east: expected.east, north: expected.north)
      #expect(visit.coordinate.distance(to: place) <= expected.tolerance, "\(visit)")
      for (date, seconds) in [
        (visit.arrival, expected.arrival), (visit.departure, expected.departure),
      ] {
        #expect((date == nil) == (seconds == nil), "\(visit) instead of \(expected)")
        guard let date, let seconds else { continue }
        #expect(
          abs(date.timeIntervalSince(Sample.epoch) - seconds) <= expected.tolerance,
          "\(visit) instead of \(expected)")
      }
    }
  }

  @Test(.longWork) func bothElementsOfAVisitHaveTheSameArrival() throws {
    for scenario in Self.stays + Self.robust + Self.clocks {
      var machine = VisitStateMachine(scenario.options)
      var arrivals: [Date?] = []
      for (location, instant) in try scenario.track.locations() {
        guard let visit = machine.located(location, at: instant) else { continue }
        if visit.departure == nil {
          arrivals.append(visit.arrival)
        } else {
          #expect(visit.arrival == arrivals.last ?? nil, "\(scenario.testDescription)")
          if let arrival = visit.arrival, let departure = visit.departure {
            #expect(arrival <= departure, "\(scenario.testDescription)")
          }
        }
      }
    }
  }

  /// Two hours in one place, with the errors of a receiver among buildings.
  @Test(.longWork, arguments: 1...8 as ClosedRange<UInt64>)
  func noiseNeitherEndsNorRepeatsAVisit(_ seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var machine = VisitStateMachine()
    var track = Track().then(accuracy: 30)
    var wander = (east: 0.0, north: 0.0)
    let deviates = Globe.deviates(7_200 * 4, using: &random)
    for second in 0..<7_200 {
      let noise = deviates[second * 4..<second * 4 + 4].map { $0 }
      wander = (wander.east * 0.99 + noise[0] * 2, wander.north * 0.99 + noise[1] * 2)
      track = track.then(
        east: wander.east + noise[2] * 10, north: wander.north + noise[3] * 10, accuracy: 30)
    }
    let visits = try track.locations().compactMap { machine.located($0.location, at: $0.instant) }
    #expect(visits.map(\.departure) == [nil])
    #expect(visits.first?.horizontalAccuracy.map { abs($0 - 30) < 1 } == true)
  }

  /// Dates come from timestamps, which advance faster than the clock in a fast replay.
  @Test(arguments: [10, 100] as [Double])
  func aFastReplayKeepsItsDates(_ rate: Double) throws {
    var machine = VisitStateMachine()
    let track = Self.drive.stay(400).move(east: 2_000, at: 20)
    let visits = try track.locations().compactMap { location, instant in
      let elapsed = location.timestamp.timeIntervalSince(Sample.epoch)
      let recorded = try location.with { $0.timestamp = Sample.date(elapsed * rate) }
      return machine.located(recorded, at: instant)
    }
    let (arrival, departure) = try (
      #require(visits.last?.arrival), #require(visits.last?.departure)
    )
    #expect(visits.count == 2)
    #expect(abs(arrival.timeIntervalSince(Sample.epoch) / rate - 45) <= 10)
    #expect(abs(departure.timeIntervalSince(Sample.epoch) / rate - 457) <= 10)
  }

  @Test func decreasingInstantsAreTolerated() throws {
    var machine = VisitStateMachine(VisitOptions(minimumStay: .seconds(60)))
    let location = Sample.location(0, latitude: 50)
    #expect(machine.located(location, at: .seconds(100)) == nil)
    #expect(machine.located(location, at: .seconds(0)) == nil)
    #expect(machine.located(location, at: .seconds(159)) == nil)
    #expect(machine.located(location, at: .seconds(160)) != nil)
  }

  @Test(arguments: [0, -5, .nan, .infinity] as [Double])
  func invalidOptionsDoNotTrap(_ radius: Double) throws {
    let options = VisitOptions(
      minimumStay: .seconds(-1), radius: radius, maximumGap: .seconds(-1),
      departureConfirmation: .seconds(-1))
    var machine = VisitStateMachine(options)
    let track = Self.drive.stay(60)
    for (location, instant) in try track.locations() {
      _ = machine.located(location, at: instant)
    }
  }
}
