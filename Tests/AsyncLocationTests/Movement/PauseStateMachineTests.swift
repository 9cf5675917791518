import TestSupport
import Testing

@testable import AsyncLocation

@Suite(.inTurn) struct PauseStateMachineTests {
  typealias Action = PauseStateMachine.Action

  struct Scenario: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let activity: ActivityType
    var pauses = true
    let track: Track
    /// The expected actions, by the index of the location, after `.deliver` at the start. An action
    /// repeats until the next one in the list, except `.resume`, which `.deliver` follows.
    let actions: [(Int, Action)]

    init(
      _ description: String, _ activity: ActivityType, pauses: Bool = true, _ track: Track,
      _ actions: [(Int, Action)] = []
    ) {
      (testDescription, self.activity, self.pauses, self.track, self.actions) = (
        description, activity, pauses, track, actions
      )
    }
  }

  private static let start = Track().then()

  static let scenarios = [
    Scenario(
      "three minutes in one place", .other, start.stay(200), [(180, .pause), (181, .withhold)]),
    Scenario(
      "five minutes in a car", .automotiveNavigation, start.stay(310),
      [(300, .pause), (301, .withhold)]),
    Scenario(
      "ten minutes in a boat or a train", .otherNavigation, start.stay(610),
      [(600, .pause), (601, .withhold)]),
    Scenario("two minutes on foot", .fitness, start.stay(130), [(120, .pause), (121, .withhold)]),
    Scenario("an aircraft never pauses", .airborne, start.stay(4_000)),
    Scenario("without pausing", .fitness, pauses: false, start.stay(600)),
    Scenario(
      "movement by position resumes at once", .fitness, start.stay(125).then(east: 46).then(),
      [(120, .pause), (121, .withhold), (126, .resume), (127, .deliver)]),
    Scenario(
      "movement by speed resumes at once", .automotiveNavigation,
      start.stay(301).then(speed: 2.9).then(speed: 3),
      [(300, .pause), (301, .withhold), (303, .resume)]),
    Scenario(
      "after hours without a location the place still counts", .fitness,
      start.stay(121).then(7_200, east: 10).then(7_200, east: 5_000),
      [(120, .pause), (121, .withhold), (123, .resume)]),
    Scenario(
      "an implausible jump is withheld and resumes nothing", .fitness,
      start.stay(121).then(east: 500).then(east: 0),
      [(120, .pause), (121, .withhold), (122, .reject), (123, .withhold)]),
    Scenario(
      "an implausible jump while moving", .automotiveNavigation, pauses: false,
      start.move(east: 100, at: 20).then(east: 5_000).then(east: 140),
      [(6, .reject), (7, .deliver)]),
    Scenario(
      "three jumps that agree are accepted", .automotiveNavigation, pauses: false,
      start.then(east: 5_000).stay(5), [(1, .reject), (3, .deliver)]),
    Scenario(
      "jumps that disagree are not accepted", .automotiveNavigation, pauses: false,
      start.then(east: 5_000).then(east: -5_000).then(east: 5_000).then(east: -5_000),
      [(1, .reject)]),
    Scenario("without an activity every jump is delivered", .other, start.then(east: 50_000)),
    Scenario(
      "an error may explain a jump", .fitness, pauses: false, start.then(east: 500, accuracy: 450)),
    Scenario(
      "a fast aircraft is plausible, a faster one is not", .airborne, pauses: false,
      start.then(10, east: 5_000).then(1, east: 6_100), [(2, .reject)]),
    Scenario(
      "a clock that is set neither pauses nor rejects", .fitness,
      start.stay(60).stay(59, clock: 1_024 * 7 * 86_400).stay(1, clock: -3_600),
      [(120, .pause)]),
  ]

  @Test(arguments: scenarios)
  func followsTheScenario(_ scenario: Scenario) throws {
    var machine = try #require(PauseStateMachine(scenario.activity, pauses: scenario.pauses))
    var expected = Action.deliver
    for (index, (location, instant)) in try scenario.track.locations().enumerated() {
      expected = scenario.actions.first { $0.0 == index }?.1 ?? expected
      #expect(machine.located(location, at: instant) == expected, "location \(index)")
      if expected == .pause { #expect(machine.isPaused) }
      if expected == .resume { expected = .deliver }
    }
  }

  /// Locations that a stalled source held back arrive together; their timestamps count.
  @Test func aBacklogIsComparedByTimestamps() throws {
    var machine = try #require(PauseStateMachine(.automotiveNavigation, pauses: true))
    let track = Track().then().move(east: 6_000, at: 30)
    for (location, _) in try track.locations() {
      #expect(machine.located(location, at: .seconds(5)) == .deliver)
    }
  }

  @Test("a contradicted position neither resumes nor delays a pause")
  func contradicted() throws {
    var machine = try #require(PauseStateMachine(.other, pauses: true))
    let track = Self.start.stay(100).then(east: 5_000).then(east: 0).stay(78).then(east: 5_000)
      .then()
    var actions: [Action] = []
    for (location, instant) in try track.locations() {
      var location = location
      location.integrity = LocationIntegrity(
        reasons: location.coordinate.longitude > 13.05 ? .jump : [])
      actions.append(machine.located(location, at: instant))
    }
    #expect(actions.prefix(180).allSatisfy { $0 == .deliver })
    #expect(actions[180] == .pause)
    #expect(actions.dropFirst(181).allSatisfy { $0 == .withhold })
  }

  @Test func aResetEndsAPause() throws {
    var machine = try #require(PauseStateMachine(.fitness, pauses: true))
    for (location, instant) in try Track().then().stay(130).locations() {
      _ = machine.located(location, at: instant)
    }
    #expect(machine.isPaused)
    machine.reset()
    #expect(!machine.isPaused)
  }

  @Test func thereIsNoMachineForOtherActivityWithoutPauses() {
    #expect(PauseStateMachine(.other, pauses: false) == nil)
    for activity in ActivityType.allCases where activity != .other {
      #expect(PauseStateMachine(activity, pauses: false) != nil)
    }
  }

  /// Detecting a stay takes longer than crawling out of its radius.
  @Test(arguments: ActivityType.allCases)
  func limitsAreConsistent(_ activity: ActivityType) {
    guard let limits = activity.stay else { return }
    #expect(limits.dwell >= limits.radius / StayDetector.standstillSpeed)
    #expect(limits.departureSpeed > StayDetector.standstillSpeed)
    #expect(activity.highestSpeed ?? .infinity > limits.departureSpeed)
  }

  @Test func configurationsMapToActivityTypes() {
    #expect(
      LiveUpdateConfiguration.allCases.map(\.activityType.rawValue)
        == ["other", "automotiveNavigation", "otherNavigation", "fitness", "airborne"])
  }
}
