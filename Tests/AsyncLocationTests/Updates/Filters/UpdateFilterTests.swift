import TestSupport
import Testing

@testable import AsyncLocation

@Suite(.inTurn) struct UpdateFilterTests {
  struct Arrival: Sendable {
    let location: Location
    let seconds: Double
    let isAdmitted: Bool

    init(_ location: Location, at seconds: Double = 0, _ isAdmitted: Bool) {
      (self.location, self.seconds, self.isAdmitted) = (location, seconds, isAdmitted)
    }
  }

  struct Scenario: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let options: UpdateOptions
    let arrivals: [Arrival]
  }

  /// The given number of metres north of the equator, to a centimetre.
  private static func north(
    _ meters: Double, accuracy: Double? = nil, device: String? = nil
  ) -> Location {
    Sample.location(
      latitude: meters / 110_574, longitude: 0, accuracy: accuracy, device: device)
  }

  static let scenarios = [
    Scenario(
      testDescription: "default options pass everything, also repeats",
      options: UpdateOptions(),
      arrivals: [Arrival(north(0), true), Arrival(north(0), true)]),
    Scenario(
      testDescription: "distance is relative to the last delivered location",
      options: UpdateOptions(distanceFilter: 100),
      arrivals: [
        Arrival(north(0), true), Arrival(north(60), false), Arrival(north(99), false),
        Arrival(north(101), true), Arrival(north(160), false), Arrival(north(40), false),
        Arrival(north(0), true),
      ]),
    Scenario(
      testDescription: "a slowly moving receiver is delivered eventually",
      options: UpdateOptions(distanceFilter: 100),
      arrivals: (0...10).map { Arrival(north(Double($0) * 21), $0 % 5 == 0) }),
    Scenario(
      testDescription: "the interval starts at the arrival of the last delivered location",
      options: UpdateOptions(minimumInterval: .seconds(2)),
      arrivals: [
        Arrival(north(0), at: 10, true), Arrival(north(1), at: 11, false),
        Arrival(north(2), at: 12, true), Arrival(north(3), at: 13, false),
        Arrival(north(4), at: 14.5, true), Arrival(north(5), at: 15.5, false),
        Arrival(north(6), at: 16.5, true),
      ]),
    Scenario(
      testDescription: "a report nearer to the due time than the next one is delivered early",
      options: UpdateOptions(minimumInterval: .seconds(2)),
      arrivals: [
        Arrival(north(0), at: 10, true), Arrival(north(1), at: 11, false),
        Arrival(north(2), at: 11.9, true), Arrival(north(3), at: 12.9, false),
        Arrival(north(4), at: 14, true), Arrival(north(5), at: 15.4, false),
        Arrival(north(6), at: 16, true),
      ]),
    Scenario(
      testDescription: "accuracy requires an equal or better known value",
      options: UpdateOptions(desiredAccuracy: .nearestTenMeters),
      arrivals: [
        Arrival(north(0), false), Arrival(north(0, accuracy: 11), false),
        Arrival(north(0, accuracy: 10), true), Arrival(north(0, accuracy: 1), true),
      ]),
    Scenario(
      testDescription: "only one receiver's locations",
      options: UpdateOptions(device: "a"),
      arrivals: [
        Arrival(north(0, device: "a"), true), Arrival(north(0, device: "b"), false),
        Arrival(north(0), false), Arrival(north(0, device: "a"), true),
      ]),
    Scenario(
      testDescription: "filtered locations change neither reference place nor time",
      options: UpdateOptions(
        distanceFilter: 100, minimumInterval: .seconds(2), desiredAccuracy: .nearestTenMeters,
        device: "a"),
      arrivals: [
        Arrival(north(0, accuracy: 5, device: "a"), at: 0, true),
        Arrival(north(150, accuracy: 5, device: "a"), at: 1, false),  // Too soon.
        Arrival(north(150, accuracy: 50, device: "a"), at: 3, false),  // Too inaccurate.
        Arrival(north(150, accuracy: 5, device: "b"), at: 3, false),  // Another receiver.
        Arrival(north(90, accuracy: 5, device: "a"), at: 4, false),  // Too close.
        Arrival(north(150, accuracy: 5, device: "a"), at: 4, true),
        Arrival(north(300, accuracy: 5, device: "a"), at: 6, true),
      ]),
    Scenario(
      testDescription: "invalid values filter nothing",
      options: UpdateOptions(distanceFilter: .nan, minimumInterval: .seconds(-1)),
      arrivals: [Arrival(north(0), at: 1, true), Arrival(north(0), at: 1, true)]),
    Scenario(
      testDescription: "a negative distance filters nothing",
      options: UpdateOptions(distanceFilter: -5),
      arrivals: [Arrival(north(0), true), Arrival(north(0), true)]),
  ]

  @Test(arguments: scenarios)
  func followsTheScenario(_ scenario: Scenario) {
    var filter = UpdateFilter(scenario.options)
    for (index, arrival) in scenario.arrivals.enumerated() {
      let isAdmitted = filter.admits(arrival.location, at: .seconds(arrival.seconds))
      #expect(isAdmitted == arrival.isAdmitted, "arrival \(index)")
    }
  }
}
