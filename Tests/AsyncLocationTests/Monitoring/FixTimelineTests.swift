import TestSupport
import Testing

@testable import AsyncLocation

@Suite(.inTurn) struct FixTimelineTests {
  /// A fix: its arrival, its timestamp and the expected instant of the fix, in seconds.
  struct Step: Sendable {
    let arrival: Double
    let timestamp: Double
    let instant: Double

    var expected: Duration { .milliseconds(Int64((instant * 1_000).rounded())) }
  }

  struct Scenario: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let steps: [Step]

    init(_ description: String, _ steps: (Double, Double, Double)...) {
      testDescription = description
      self.steps = steps.map { Step(arrival: $0.0, timestamp: $0.1, instant: $0.2) }
    }
  }

  private static let week = 7 * 86_400.0

  static let scenarios = [
    Scenario("arrivals and timestamps agree", (100, 0, 100), (101, 1, 101), (102, 2, 102)),
    Scenario("held-back fixes arrive together", (100, 0, 100), (100, 1, 101), (100, 2, 102)),
    Scenario(
      "held-back fixes arrive together and late", (100, 0, 100), (900, 1, 101), (900, 2, 102),
      (901, 3, 103)),
    Scenario("a fast replay", (100, 0, 100), (100.01, 1, 101), (100.02, 2, 102)),
    Scenario(
      "an arrival that jitters adds nothing", (100, 0, 100), (101.05, 1, 101), (101.95, 2, 102),
      (103.05, 3, 103)),
    Scenario("timestamps that stand still", (100, 0, 100), (101, 0, 101), (102, 0, 102)),
    Scenario(
      "timestamps that stand still and then advance", (100, 0, 100), (101, 0, 101), (102, 0, 102),
      (103, 1, 102), (104, 3, 104)),
    Scenario(
      "timestamps of whole seconds, four times a second", (100, 0, 100), (100.25, 0, 100.25),
      (100.75, 0, 100.75), (101, 1, 101), (101.5, 1, 101.5), (102, 2, 102)),
    Scenario("a step of two minutes", (100, 0, 100), (100, 120, 220)),
    Scenario(
      "a step beyond two minutes is a clock that was set", (100, 0, 100), (101, 120.001, 101)),
    Scenario("a step beyond two minutes may be a gap", (100, 0, 100), (700, 600, 700)),
    Scenario(
      "F11 a clock that jumps by 1,024 weeks and back", (100, 0, 100), (101, 1_024 * week, 101),
      (102, 1_024 * week + 1, 102), (103, 3, 103), (104, 4, 104)),
    Scenario("timestamps of tenths", (100, 0.1, 100), (100, 0.2, 100.1), (100, 0.3, 100.2)),
    Scenario("an arrival that goes back", (100, 0, 100), (90, 0, 100), (91, 0, 101)),
  ]

  @Test(arguments: scenarios)
  func followsTheScenario(_ scenario: Scenario) throws {
    var timeline = FixTimeline(longestStep: .seconds(120))
    for step in scenario.steps {
      let fix = try Sample.location(0).with { $0.timestamp = Sample.date(step.timestamp) }
      #expect(
        timeline.add(fix, at: .seconds(step.arrival)) == step.expected,
        "at \(step.arrival) s")
    }
    let last = try #require(scenario.steps.last)
    #expect(
      timeline.instant(at: .seconds(last.arrival + 5)) == last.expected + .seconds(5))
  }

  @Test func theTimelineIsTheClockWithoutFixes() {
    let timeline = FixTimeline(longestStep: .seconds(120))
    #expect(timeline.instant(at: .seconds(7)) == .seconds(7))
  }

  @Test func extremeInstantsDoNotTrap() throws {
    let far = Duration.seconds(Int64.max)
    var timeline = FixTimeline(longestStep: far)
    for (second, arrival) in [.zero - far, far, .zero - far, far].enumerated() {
      _ = timeline.add(Sample.location(Double(second)), at: arrival)
    }
    #expect(timeline.instant(at: far) == .zero - far + .seconds(3))
  }
}
