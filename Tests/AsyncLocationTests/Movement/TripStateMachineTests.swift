import FoundationEssentials
import TestSupport
import Testing

@testable import AsyncLocation

@Suite(.inTurn) struct TripStateMachineTests {
  /// A trip in seconds from the start of the track.
  struct Expected: Sendable {
    let start: Double
    let end: Double?
    /// Metres; nil if it is not compared.
    var distance: Double?
    /// Nil if they are not compared.
    var stops: Int? = 0
    var tolerance = 30.0
  }

  struct Scenario: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let track: Track
    let trips: [Expected]
    var options = TripOptions()

    init(
      _ description: String, _ track: Track, _ trips: [Expected] = [],
      options: TripOptions = TripOptions()
    ) {
      (testDescription, self.track, self.trips, self.options) = (description, track, trips, options)
    }
  }

  /// A rest of 20 minutes, whose last location is at 1,200 s.
  private static let rest = Track().then().stay(1_200)
  /// A drive of 4 km in 400 s, until 1,600 s.
  private static let drive = rest.move(east: 4_000, at: 10)

  static let trips = [
    Scenario(
      "a drive between two rests", drive.stay(900),
      [Expected(start: 1_200, end: 1_600, distance: 4_000)]),
    Scenario(
      "a rest of less than ten minutes is a stop",
      drive.stay(500).move(north: 4_000, at: 10).stay(900),
      [Expected(start: 1_200, end: 2_500, distance: 8_000, stops: 1)]),
    Scenario(
      "the minimum rest is an option", drive.stay(500).move(north: 4_000, at: 10).stay(900),
      [
        Expected(start: 1_200, end: 1_600, distance: 4_000),
        Expected(start: 2_100, end: 2_500, distance: 4_000),
      ], options: TripOptions(minimumRest: .seconds(300))),
    Scenario("a trip that lasts", drive, [Expected(start: 1_200, end: nil, distance: 4_000)]),
    Scenario(
      "a tunnel of five minutes counts straight",
      drive.gap(300, east: 6_000).move(east: 2_000, at: 20).stay(900),
      [Expected(start: 1_200, end: 2_000, distance: 12_000)]),
    Scenario(
      "a ferry without reception for an hour",
      drive.stay(300).gap(3_600, north: 20_000).move(east: 2_000, at: 20).stay(900),
      [Expected(start: 1_200, end: 5_600, distance: 26_000, stops: 1)]),
    Scenario(
      "a jam of 20 minutes at 0.5 m/s",
      drive.move(east: 600, at: 0.5).move(east: 3_000, at: 15).stay(900),
      [Expected(start: 1_200, end: 3_000, distance: 7_600, stops: nil)]),
    Scenario(
      "a night in a garage with another exit",
      drive.gap(36_000, north: 300).move(north: 3_000, at: 10).stay(900),
      [
        Expected(start: 1_200, end: 1_600, distance: 4_000),
        Expected(start: 37_600, end: 37_900),
      ]),
    Scenario(
      "a tracker that is silent at rest",
      drive.gap(7_200, east: 20).move(east: 3_000, at: 10).stay(60).gap(3_600),
      [
        Expected(start: 1_200, end: 1_600, distance: 4_000),
        Expected(start: 8_800, end: 9_160, distance: 3_000),
      ]),
    Scenario(
      "there and back without a rest",
      drive.move(east: -4_000, at: 10).stay(900),
      [Expected(start: 1_200, end: 2_000, distance: 8_000)]),
    Scenario(
      "a device that was off while it was carried away",
      drive.stay(900).gap(86_400, east: 50_000).stay(900),
      [Expected(start: 1_200, end: 1_600, distance: 4_000)]),
    Scenario(
      "an outlier during the drive does not count",
      drive.then(1, east: 9_000, north: 9_000).then(1, east: 4_020, north: 0)
        .move(east: 2_000, at: 10).stay(900),
      [Expected(start: 1_200, end: 1_800, distance: 6_020)]),
    Scenario(
      "a walk whose speeds are reported lasts, and has no end",
      rest.path(for: 400, speed: 1.5) { (1.5 * $0, 0) },
      [Expected(start: 1_200, end: nil, distance: 580, tolerance: 90)]),
    Scenario(
      "a train at 300 km/h",
      rest.move(east: 30_000, at: 83).stay(900),
      [Expected(start: 1_200, end: 1_562, distance: 30_000)]),
    Scenario(
      "a source that always reports the speed 0",
      Track().then(speed: 0).stay(1_200, every: 5, speed: 0)
        .path(for: 400, every: 5, speed: 0) { (20 * $0, 0) }.stay(900, every: 5, speed: 0),
      [Expected(start: 1_200, end: 1_600, distance: 8_000)]),
    Scenario(
      "reported speeds that are too low for the way that was driven",
      Track().then().stay(1_200, every: 5)
        .path(for: 100, every: 5, speed: 10) { (10 * $0, 0) }
        .path(for: 300, every: 5, speed: 3) { (30 * $0, 0) }.stay(900, every: 5),
      [Expected(start: 1_200, end: 1_600, distance: 10_000)]),
  ]

  static let noTrips = [
    Scenario("a rest", rest),
    Scenario("a single jump", rest.then(1, east: 5_000).then(1, east: 0).stay(900)),
    Scenario(
      "a single jump of a device that reports every ten minutes",
      Track().then().stay(7_200, every: 600).then(600, east: 5_000).then(600, east: 0)
        .stay(7_200, every: 600)),
    Scenario(
      "four minutes of reflected signals, 400 m away",
      rest.then(1, east: 400).stay(240).then(1, east: 0).stay(900)),
    Scenario(
      "half an hour of reflected signals: another place, and no drive",
      rest.then(1, east: 400).stay(1_800).then(1, east: 0).stay(900)),
    Scenario("a vehicle that is parked again", rest.move(east: 150, at: 3).stay(900)),
    Scenario(
      "a night in a garage, and another exit", rest.gap(36_000, east: 400).stay(900)),
    Scenario("inaccurate locations", rest.stay(1_200, accuracy: 3_000)),
    Scenario(
      "a minute of reflected signals whose speed is 0",
      Track().then(speed: 0).stay(1_200, speed: 0).then(east: 400, speed: 0).stay(60, speed: 0)
        .then(east: 0, speed: 0).stay(900, speed: 0)),
  ]

  @Test(arguments: trips + noTrips) func findsTrips(_ scenario: Scenario) throws {
    let found = try Self.run(scenario.track, scenario.options)
    let start = Sample.date(0)
    try #require(found.count == scenario.trips.count, "\(found)")
    for (trip, expected) in zip(found, scenario.trips) {
      #expect(abs(trip.start.timeIntervalSince(start) - expected.start) <= expected.tolerance)
      let end = trip.end.map { $0.timeIntervalSince(start) }
      #expect((end == nil) == (expected.end == nil))
      if let end, let expectedEnd = expected.end {
        #expect(abs(end - expectedEnd) <= expected.tolerance)
      }
      if let distance = expected.distance { #expect(abs(trip.distance / distance - 1) < 0.03) }
      if let stops = expected.stops { #expect(trip.stops.count == stops) }
    }
  }

  private static func run(_ track: Track, _ options: TripOptions = TripOptions()) throws -> [Trip] {
    var machine = TripStateMachine(options)
    let ended = try track.locations().compactMap { machine.located($0.location) }
      .filter { $0.end != nil }
    return ended + [machine.currentTrip].compactMap(\.self)
  }

  @Test func aTripIsReportedWhenItIsEstablishedAndWhenItHasEnded() throws {
    var machine = TripStateMachine()
    let trips = try Self.drive.stay(900).locations().compactMap { machine.located($0.location) }
    try #require(trips.count == 2)
    #expect(trips[0].end == nil)
    #expect(trips[0].movingTime == nil)
    #expect(trips[0].endCoordinate == nil)
    #expect(trips[1].start == trips[0].start)
    #expect(trips[1].startCoordinate == trips[0].startCoordinate)
    #expect(trips[1].distance > trips[0].distance)
    #expect(machine.currentTrip == nil)
  }

  @Test func theNumbersOfATripAreThoseUntilTheArrival() throws {
    let track = Self.drive.stay(300).move(north: 3_000, at: 20).stay(3_000)
    let trip = try #require(Self.run(track).first)
    let stop = try #require(trip.stops.first)
    #expect(abs(stop.end.timeIntervalSince(stop.start) - 300) < 15)
    let (moving, duration) = try (#require(trip.movingTime), #require(trip.duration))
    #expect(abs((duration - moving) / .seconds(1) - stop.end.timeIntervalSince(stop.start)) < 1e-6)
    let speed = try #require(trip.maximumSpeed)
    #expect(abs(speed - 20) < 0.5)
    #expect((800..<900).contains(trip.locationCount))
  }

  /// Late and repeated locations change nothing, so a sorted history yields the same trips.
  @Test func theOrderOfArrivalDoesNotMatter() throws {
    let locations = try Self.drive.stay(900).locations().map(\.location)
    func trips(_ locations: [Location]) -> [Trip] {
      var machine = TripStateMachine()
      return locations.compactMap { machine.located($0) }
    }
    let expected = trips(locations)
    let repeated = locations.enumerated().flatMap { index, location in
      [location, locations[max(0, index - 3)], location]
    }
    #expect(trips(repeated) == expected)
    #expect(expected.count == 2)
  }

  /// The seconds by which a location is in the future, and its accuracy.
  @Test(
    arguments: [
      (1_024 * 604_800, 5), (1_024 * 604_800, 3_000), (3_600, 5),
      (Timestamp.range.upperBound.timeIntervalSince(Sample.date(0)) - 9_000, 5),
    ] as [(Double, Double)])
  func aTimeInTheFutureDoesNotEndAllTrips(_ ahead: Double, _ accuracy: Double) throws {
    var track = Self.drive.stay(900)
    track.fixes[300].clock = ahead
    track.fixes[300].accuracy = accuracy
    let trips = try Self.run(track)
    try #require(trips.count == 1)
    #expect(abs(trips[0].start.timeIntervalSince(Sample.date(1_200))) < 30)
    #expect(trips[0].end != nil)
  }

  @Test func aTripEndsWhereATimeInTheFutureCutsIt() throws {
    var track = Self.drive.stay(900)
    track.fixes[1_400].clock = 1_024 * 604_800
    let trips = try Self.run(track)
    try #require(trips.count == 2)
    #expect(abs(try #require(trips[0].end).timeIntervalSince(Sample.date(1_399))) < 10)
    #expect(abs(trips[1].distance - 2_000) < 200)
  }

  /// The converse: delayed locations, in any number, do not cut a trip.
  @Test(arguments: [2, 500]) func delayedLocationsDoNotCutATrip(_ count: Int) throws {
    let locations = try Self.drive.stay(900).locations().map(\.location)
    let late = count > 2 ? 1_590 - count : 100
    let delayed =
      locations[..<1_590] + locations[late..<(late + count)] + locations[1_590...]
    var machine = TripStateMachine()
    let trips = delayed.compactMap { machine.located($0) }
    #expect(trips.map { $0.end == nil } == [true, false])
  }

  @Test func suspectLocationsDoNotCount() throws {
    func trips(_ reasons: LocationIntegrity.Reasons) throws -> [Trip] {
      var machine = TripStateMachine()
      return try Self.drive.stay(900).locations().compactMap { location, _ in
        var location = location
        location.integrity = LocationIntegrity(reasons: reasons)
        return machine.located(location)
      }
    }
    #expect(try trips([]).count == 2)
    #expect(try trips(.drift).isEmpty)
    // The position may be right.
    #expect(try trips(.antenna).count == 2)
  }

  /// The seconds between locations, of the stop, and of the way from there.
  @Test(
    arguments: [(1, 240, 20, 9), (5, 240, 20, 9), (60, 540, 110, 9)]
      as [(Double, Double, Double, Double)])
  func aStopBeforeTheDestinationIsListed(
    _ interval: Double, _ stop: Double, _ way: Double, _ speed: Double
  ) throws {
    let start = Track().then().stay(1_200, every: interval)
    let track = start.path(for: 600, every: interval) { (10 * $0, 0) }
      .stay(stop, every: interval)
      .path(for: way, every: min(interval, way / 2)) { (speed * $0, 0) }
      .stay(1_200, every: interval)
    let trip = try #require(Self.run(track).first)
    try #require(trip.stops.count == 1)
    let seconds = trip.stops[0].end.timeIntervalSince(trip.stops[0].start)
    #expect(abs(seconds - stop) <= interval + 10)
    let (moving, duration) = try (#require(trip.movingTime), #require(trip.duration))
    #expect(abs((duration - moving) / .seconds(1) - seconds) < 1e-6)
  }

  /// A step that no vehicle drives, and steps in less than a second, whose errors are great.
  @Test func impossibleStepsHaveNoSpeed() throws {
    let track = Self.rest.then(1, east: 5_000).path(for: 400) { (10 * $0, 0) }.stay(900)
    let often = Track().then().stay(1_200)
      .path(for: 400, every: 0.25) { (10 * $0 + (Int($0 * 4) % 2 == 0 ? 9 : 0), 0) }.stay(900)
    for track in [track, often] {
      let trip = try #require(Self.run(track).first)
      let speed = try #require(trip.maximumSpeed)
      #expect(abs(speed - 10) < 2)
    }
  }

  @Test func reducedAccuracyDiscardsTheTrip() throws {
    var machine = TripStateMachine()
    for (location, _) in try Self.drive.locations() { _ = machine.located(location) }
    #expect(machine.currentTrip != nil)
    var reduced = try #require(Self.drive.then().locations().last).location
    reduced.isReduced = true
    #expect(machine.located(reduced) == nil)
    #expect(machine.currentTrip == nil)
    let later = try Self.drive.then().stay(1_200).locations().suffix(1_200)
    #expect(later.compactMap { machine.located($0.location) }.isEmpty)
  }

  @Test func stopsAreBounded() throws {
    var track = Self.rest
    for _ in 0..<1_100 { track = track.move(east: 200, at: 20).stay(70, every: 10) }
    var machine = TripStateMachine()
    for (location, _) in try track.locations() { _ = machine.located(location) }
    let trip = try #require(machine.currentTrip)
    #expect(trip.stops.count == Trip.maximumStopCount)
  }

  @Test(arguments: [
    TripOptions(minimumRest: .zero, radius: .nan, minimumDistance: -.infinity),
    TripOptions(
      minimumRest: .greatest, radius: .infinity, minimumDistance: .greatestFiniteMagnitude,
      minimumStop: .greatest, maximumGap: .greatest, jumpConfirmation: .greatest),
    TripOptions(
      minimumRest: .zero - .greatest, radius: -1, minimumStop: .seconds(-1),
      maximumGap: .seconds(-1), jumpConfirmation: .seconds(-1)),
  ])
  func absurdOptionsAreSurvived(_ options: TripOptions) throws {
    _ = try Self.run(Self.drive.stay(900).gap(86_400, east: 9_000).stay(900), options)
  }
}
