import TestSupport
import Testing

@testable import AsyncLocation

@Suite(.inTurn) struct GeocodingCacheStateMachineTests {
  typealias Machine = GeocodingCacheStateMachine

  enum Step: Sendable {
    case asks(GeocodingQuery, UInt64, at: Int, Machine.AskAction)
    case cancels(UInt64, Machine.CancelAction)
    case answers(UInt64, Machine.Answer, at: Int, callers: [UInt64])
    case forgets
  }

  struct Scenario: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var configuration = CachingGeocoder.Configuration(limit: 2)
    let steps: [Step]
  }

  private static func query(_ latitude: Double, _ longitude: Double = 9) -> GeocodingQuery {
    GeocodingQuery(name: nil, point: at(latitude, longitude), locale: nil)
  }

  private static let (a, nearA, b, c) = (query(47), query(47.00005), query(48), query(49))
  private static let vaduz = Machine.Answer.success([place("Vaduz", 47, 9)])
  private static let none = Machine.Answer.failure(LocationError(.geocodeFoundNoResult, "None."))
  private static let part = Machine.Answer.failure(.geocodePartialResult([], "Far."))
  private static let down = Machine.Answer.failure(LocationError(.network, "Down."))

  static let scenarios = [
    Scenario(
      testDescription: "an answer serves later callers nearby",
      steps: [
        .asks(a, 1, at: 0, .request(1)), .answers(1, vaduz, at: 5, callers: [1]),
        .asks(nearA, 2, at: 6, .answer(vaduz)), .asks(b, 3, at: 6, .request(2)),
      ]),
    Scenario(
      testDescription: "callers nearby share a request",
      steps: [
        .asks(a, 1, at: 0, .request(1)), .asks(nearA, 2, at: 0, .wait),
        .asks(a, 3, at: 1, .wait), .answers(1, vaduz, at: 5, callers: [1, 2, 3]),
      ]),
    Scenario(
      testDescription: "a cancelled caller leaves the others",
      steps: [
        .asks(a, 1, at: 0, .request(1)), .asks(a, 2, at: 0, .wait), .cancels(1, .none),
        .cancels(1, .none), .answers(1, vaduz, at: 5, callers: [2]), .cancels(2, .none),
      ]),
    Scenario(
      testDescription: "the last caller ends the request, and a later caller starts another",
      steps: [
        .asks(a, 1, at: 0, .request(1)), .asks(a, 2, at: 0, .wait), .cancels(2, .none),
        .cancels(1, .cancelRequest(1)), .asks(a, 3, at: 1, .request(2)),
        .answers(1, vaduz, at: 2, callers: []), .answers(2, vaduz, at: 3, callers: [3]),
      ]),
    Scenario(
      testDescription: "a result expires after a day",
      steps: [
        .asks(a, 1, at: 0, .request(1)), .answers(1, vaduz, at: 0, callers: [1]),
        .asks(a, 2, at: 86_399, .answer(vaduz)), .asks(a, 3, at: 86_400, .request(2)),
      ]),
    Scenario(
      testDescription: "no result is kept for a minute",
      steps: [
        .asks(a, 1, at: 0, .request(1)), .answers(1, none, at: 0, callers: [1]),
        .asks(a, 2, at: 59, .answer(none)), .asks(a, 3, at: 60, .request(2)),
      ]),
    Scenario(
      testDescription: "a partial result is kept as a result is",
      steps: [
        .asks(a, 1, at: 0, .request(1)), .answers(1, part, at: 0, callers: [1]),
        .asks(a, 2, at: 3_600, .answer(part)),
      ]),
    Scenario(
      testDescription: "a failure reaches all callers and is not kept",
      steps: [
        .asks(a, 1, at: 0, .request(1)), .asks(a, 2, at: 0, .wait),
        .answers(1, down, at: 0, callers: [1, 2]), .asks(a, 3, at: 0, .request(2)),
      ]),
    Scenario(
      testDescription: "the least recently used answer is removed",
      steps: [
        .asks(a, 1, at: 0, .request(1)), .answers(1, vaduz, at: 0, callers: [1]),
        .asks(b, 2, at: 0, .request(2)), .answers(2, vaduz, at: 0, callers: [2]),
        .asks(a, 3, at: 1, .answer(vaduz)), .asks(c, 4, at: 1, .request(3)),
        .answers(3, vaduz, at: 1, callers: [4]), .asks(a, 5, at: 2, .answer(vaduz)),
        .asks(b, 6, at: 2, .request(4)),
      ]),
    Scenario(
      testDescription: "without a limit nothing is kept, and requests are shared",
      configuration: CachingGeocoder.Configuration(limit: 0),
      steps: [
        .asks(a, 1, at: 0, .request(1)), .asks(a, 2, at: 0, .wait),
        .answers(1, vaduz, at: 0, callers: [1, 2]), .asks(a, 3, at: 0, .request(2)),
      ]),
    Scenario(
      testDescription: "with the radius 0 only the same point is the same",
      configuration: CachingGeocoder.Configuration(radius: 0),
      steps: [
        .asks(a, 1, at: 0, .request(1)), .answers(1, vaduz, at: 0, callers: [1]),
        .asks(a, 2, at: 0, .answer(vaduz)), .asks(nearA, 3, at: 0, .request(2)),
      ]),
    Scenario(
      testDescription: "forgetting keeps requests under way",
      steps: [
        .asks(a, 1, at: 0, .request(1)), .answers(1, vaduz, at: 0, callers: [1]),
        .asks(b, 2, at: 0, .request(2)), .forgets, .asks(a, 3, at: 0, .request(3)),
        .answers(2, vaduz, at: 0, callers: [2]), .asks(b, 4, at: 0, .answer(vaduz)),
      ]),
  ]

  @Test(arguments: scenarios)
  func followsTheScenario(_ scenario: Scenario) {
    var machine = Machine(scenario.configuration)
    for (number, step) in scenario.steps.enumerated() {
      switch step {
      case .asks(let query, let caller, let second, let action):
        #expect(
          machine.requested(query, by: caller, at: .seconds(second)) == action, "step \(number)")
      case .cancels(let caller, let action):
        #expect(machine.cancelled(caller) == action, "step \(number)")
      case .answers(let id, let answer, let second, let callers):
        #expect(
          machine.answered(id, with: answer, at: .seconds(second)) == callers, "step \(number)")
      case .forgets: machine.removeAll()
      }
    }
  }

  @Test func statisticsCountEachOutcome() {
    var machine = Machine(CachingGeocoder.Configuration(limit: 1))
    _ = machine.requested(Self.a, by: 1, at: .zero)
    _ = machine.requested(Self.a, by: 2, at: .zero)
    _ = machine.answered(1, with: Self.none, at: .zero)
    _ = machine.requested(Self.a, by: 3, at: .zero)
    _ = machine.requested(Self.a, by: 4, at: .seconds(60))
    _ = machine.answered(2, with: Self.vaduz, at: .seconds(60))
    _ = machine.requested(Self.b, by: 5, at: .seconds(60))
    _ = machine.answered(3, with: Self.vaduz, at: .seconds(60))
    _ = machine.requested(Self.c, by: 6, at: .seconds(60))
    _ = machine.answered(4, with: Self.down, at: .seconds(60))
    var expected = CachingGeocoder.Statistics()
    (expected.hits, expected.joined, expected.requests) = (1, 1, 4)
    (expected.failures, expected.evictions, expected.expirations) = (1, 1, 1)
    expected.entries = 1
    #expect(machine.statistics == expected)
  }

  /// A cause may hold objects of the user, which must not be released under the cache's lock.
  @Test func cachedErrorsHaveNoCause() throws {
    var machine = Machine(CachingGeocoder.Configuration())
    let error = LocationError(.geocodeFoundNoResult, "None.", cause: CancellationError())
    _ = machine.requested(Self.a, by: 1, at: .zero)
    _ = machine.answered(1, with: .failure(error), at: .zero)
    guard case .answer(.failure(let kept)) = machine.requested(Self.a, by: 2, at: .zero) else {
      Issue.record("The answer is not kept.")
      return
    }
    #expect(kept == error)
    #expect(kept.cause == nil)
  }
}
