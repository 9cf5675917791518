import TestSupport
import Testing

@testable import AsyncLocation

@Suite(.inTurn) struct PlacemarkStateMachineTests {
  typealias Machine = PlacemarkStateMachine

  enum Step: Sendable {
    case located(Location, stamp: UInt64 = 0, at: Int, Machine.Action)
    case answered(UInt64, Result<[Placemark], LocationError>, Machine.AnsweredAction)
    case permissionWithdrawn(before: UInt64, Machine.Action)
    /// Permission was withdrawn, and the machine has not been notified.
    case floorRaised(to: UInt64)
    case locationsEnded(LocationError?, Machine.EndAction)
    case managerEnded(Machine.EndAction)
  }

  struct Scenario: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var options = PlacemarkOptions()
    let steps: [Step]
  }

  private static func stamp(_ generation: UInt64) -> DeliveryStamp {
    DeliveryStamp(generation: generation, isPrecise: true)
  }

  private static func request(
    _ id: UInt64, _ location: Location, stamp generation: UInt64 = 0
  ) -> Machine.Request {
    Machine.Request(id: id, location: location, stamp: stamp(generation))
  }

  private static func ask(
    _ id: UInt64, _ location: Location, stamp generation: UInt64 = 0
  ) -> Machine.Action {
    .request(request(id, location, stamp: generation))
  }

  /// The action that delivers an answer and continues.
  private static func delivered(
    _ location: Location, _ answer: Result<[Placemark], LocationError>,
    stamp generation: UInt64 = 0,
    next: Machine.AnsweredAction.Next = .wait
  ) -> Machine.AnsweredAction {
    Machine.AnsweredAction(
      delivery: Machine.Delivery(
        update: PlacemarkUpdate(location, answer), stamp: stamp(generation)), next: next)
  }

  private static let town: Result<[Placemark], LocationError> = .success([place("Town", 0, 0)])
  private static let down: Result<[Placemark], LocationError> =
    .failure(LocationError(.network, "Down."))
  private static let none: Result<[Placemark], LocationError> =
    .failure(LocationError(.geocodeFoundNoResult, "None."))
  /// About 111 m apart.
  private static let (home, street, square, park) = (fix(0), fix(1), fix(2), fix(3))

  static let scenarios = [
    Scenario(
      testDescription: "the first location is requested, and then only a movement",
      steps: [
        .located(home, at: 0, ask(1, home)), .answered(1, town, delivered(home, town)),
        .located(home, at: 60, .none), .located(street, at: 61, ask(2, street)),
        .answered(2, town, delivered(street, town)),
      ]),
    Scenario(
      testDescription: "a movement within the interval waits for a later location",
      steps: [
        .located(home, at: 0, ask(1, home)), .answered(1, town, delivered(home, town)),
        .located(street, at: 4, .none), .located(street, at: 5, ask(2, street)),
      ]),
    Scenario(
      testDescription: "an error as large as the movement is no movement",
      steps: [
        .located(home, at: 0, ask(1, home)), .answered(1, town, delivered(home, town)),
        .located(fix(1, accuracy: 150), at: 10, .none),
        .located(fix(1, accuracy: 30), at: 11, ask(2, fix(1, accuracy: 30))),
      ]),
    Scenario(
      testDescription: "one request at a time, and the newest location is next",
      steps: [
        .located(home, at: 0, ask(1, home)), .located(street, at: 10, .none),
        .located(square, at: 20, .none), .located(square, at: 21, .none),
        .answered(
          1, town,
          delivered(home, town, next: .request(request(2, square)))),
        .answered(1, town, Machine.AnsweredAction()),
        .located(park, at: 30, .none),
        .answered(
          2, town,
          delivered(square, town, next: .request(request(3, park)))),
        .answered(3, town, delivered(park, town)),
      ]),
    Scenario(
      testDescription: "a location without a result is not requested again",
      steps: [
        .located(home, at: 0, ask(1, home)), .answered(1, none, delivered(home, none)),
        .located(home, at: 3_600, .none),
      ]),
    Scenario(
      testDescription: "a passing failure is repeated, but not at once",
      steps: [
        .located(home, at: 0, ask(1, home)), .answered(1, down, delivered(home, down)),
        .located(home, at: 29, .none), .located(home, at: 30, ask(2, home)),
        .located(home, at: 90, .none), .answered(2, town, delivered(home, town)),
        .located(home, at: 120, .none),
      ]),
    Scenario(
      testDescription: "a movement after a passing failure is requested",
      steps: [
        .located(home, at: 0, ask(1, home)), .answered(1, down, delivered(home, down)),
        .located(street, at: 5, ask(2, street)),
      ]),
    Scenario(
      testDescription: "a location of another permission is requested",
      steps: [
        .located(home, at: 0, ask(1, home)), .answered(1, town, delivered(home, town)),
        .located(home, stamp: 1, at: 1, ask(2, home, stamp: 1)),
        .answered(2, town, delivered(home, town, stamp: 1)),
      ]),
    Scenario(
      testDescription: "a location of another permission ends the request",
      steps: [
        .located(home, at: 0, ask(1, home)),
        .located(home, stamp: 1, at: 1, .cancelRequest(1)),
        .located(home, stamp: 1, at: 2, .none),
        .answered(
          1, town,
          Machine.AnsweredAction(next: .request(request(2, home, stamp: 1)))),
        .answered(2, town, delivered(home, town, stamp: 1)),
      ]),
    Scenario(
      testDescription: "a location that permission does not cover any more is not requested",
      steps: [
        .permissionWithdrawn(before: 1, .none), .located(home, at: 0, .none),
        .located(street, stamp: 1, at: 1, ask(1, street, stamp: 1)),
        .floorRaised(to: 2), .located(square, stamp: 1, at: 10, .none),
        .permissionWithdrawn(before: 2, .cancelRequest(1)),
        .answered(1, town, Machine.AnsweredAction()),
      ]),
    Scenario(
      testDescription: "with a distance of 0 every location is requested",
      options: PlacemarkOptions(minimumDistance: 0, minimumInterval: .zero),
      steps: [
        .located(home, at: 0, ask(1, home)), .answered(1, town, delivered(home, town)),
        .located(home, at: 0, ask(2, home)),
      ]),
    Scenario(
      testDescription: "the end of the locations waits for answers",
      steps: [
        .located(home, at: 0, ask(1, home)), .located(street, at: 10, .none),
        .locationsEnded(nil, .none),
        .answered(
          1, town,
          delivered(home, town, next: .request(request(2, street)))),
        .answered(2, town, delivered(street, town, next: .finish)),
        .managerEnded(.none), .located(park, at: 99, .none),
      ]),
    Scenario(
      testDescription: "without a request, the locations end at once",
      steps: [
        .locationsEnded(nil, .finish(nil)), .locationsEnded(nil, .none), .managerEnded(.none),
        .located(home, at: 0, .none),
      ]),
    Scenario(
      testDescription: "an error ends at once",
      steps: [
        .located(home, at: 0, ask(1, home)),
        .locationsEnded(LocationError(.denied, "No."), .finish(LocationError(.denied, "No."))),
        .answered(1, town, Machine.AnsweredAction()),
      ]),
    Scenario(
      testDescription: "a shutdown ends at once",
      steps: [
        .located(home, at: 0, ask(1, home)), .managerEnded(.finish(nil)),
        .answered(1, town, Machine.AnsweredAction()), .locationsEnded(nil, .none),
      ]),
  ]

  @Test(arguments: scenarios)
  func followsTheScenario(_ scenario: Scenario) {
    var machine = Machine(scenario.options)
    var floor: UInt64 = 0
    for (number, step) in scenario.steps.enumerated() {
      switch step {
      case .located(let location, let generation, let second, let action):
        #expect(
          machine.located(location, Self.stamp(generation), at: .seconds(second)) {
            $0.generation >= floor
          } == action, "step \(number)")
      case .answered(let id, let answer, let action):
        #expect(machine.answered(id, answer) { $0.generation >= floor } == action, "step \(number)")
      case .permissionWithdrawn(let generation, let action):
        floor = generation
        #expect(
          machine.permissionChanged { $0.generation >= floor } == action, "step \(number)")
      case .floorRaised(let generation): floor = generation
      case .locationsEnded(let error, let action):
        #expect(machine.locationsEnded(error) == action, "step \(number)")
      case .managerEnded(let action): #expect(machine.managerEnded() == action, "step \(number)")
      }
    }
  }
}
