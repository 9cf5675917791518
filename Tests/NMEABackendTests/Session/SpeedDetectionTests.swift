import TestSupport
import Testing

@testable import NMEABackend

@Suite(.inTurn) struct SpeedDetectionTests {
  enum Event: Sendable {
    case sentence
    case noise(Int)
    case timer
  }

  typealias Step = (atMilliseconds: Int, event: Event, step: SpeedDetection.Step)

  struct Scenario: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let steps: [Step]
    let speed: Int
    var first: Int?
  }

  private static func next(_ speed: Int) -> SpeedDetection.Step {
    .tryNext(SerialSpeed(speed)!)
  }

  static let scenarios = [
    Scenario(
      testDescription: "the first speed",
      steps: [(100, .noise(80), .wait), (200, .sentence, .found)],
      speed: 4800),
    Scenario(
      testDescription: "noise shows a wrong speed",
      steps: [
        (1_000, .noise(300), .wait), (1_200, .noise(1), next(9600)), (1_300, .sentence, .found),
      ], speed: 9600),
    Scenario(
      testDescription: "little noise waits for the time",
      steps: [
        (1_300, .noise(255), .wait), (2_499, .timer, .wait), (2_500, .timer, next(9600)),
        (5_000, .timer, next(38_400)),
      ], speed: 38_400),
    Scenario(
      testDescription: "all speeds, again and again",
      steps: (1...10).map { round in
        (round * 2_500, .timer, next(NMEASource.speeds[round % NMEASource.speeds.count]))
      }, speed: 9600),
    Scenario(
      testDescription: "a speed of an earlier run is tried first",
      steps: [(100, .sentence, .found), (200, .sentence, .wait)], speed: 115_200, first: 115_200),
    Scenario(
      testDescription: "noise at a speed that was found",
      steps: [
        (100, .sentence, .found), (2_000, .noise(1_000), .wait), (3_100, .noise(1), next(9600)),
      ], speed: 9600),
    Scenario(
      testDescription: "messages of another protocol between sentences",
      steps: [
        (100, .sentence, .found), (1_000, .noise(5_000), .wait), (1_100, .sentence, .wait),
        (4_000, .noise(5_000), .wait), (4_050, .sentence, .wait),
      ], speed: 4800),
    Scenario(
      testDescription: "silence at a speed that was found",
      steps: [(100, .sentence, .found), (60_000, .timer, .wait)], speed: 4800),
  ]

  @Test(arguments: scenarios) func finds(_ scenario: Scenario) {
    var detection = SpeedDetection(first: scenario.first.flatMap(SerialSpeed.init))
    detection.begin(at: .zero)
    for (milliseconds, event, step) in scenario.steps {
      let now = Duration.milliseconds(milliseconds)
      let found =
        switch event {
        case .sentence: detection.received(sentences: 1, other: 0, at: now)
        case .noise(let count): detection.received(sentences: 0, other: count, at: now)
        case .timer: detection.timerFired(at: now)
        }
      #expect(found == step, "at \(milliseconds) ms")
    }
    #expect(detection.current.bitsPerSecond == scenario.speed)
  }

  @Test func theSpeedThatWasFoundIsTriedFirstAfterThePortWasOpenedAgain() {
    var detection = SpeedDetection(first: nil)
    detection.begin(at: .zero)
    _ = detection.timerFired(at: .seconds(3))
    _ = detection.received(sentences: 1, other: 0, at: .seconds(4))
    detection.begin(at: .seconds(9))
    #expect(detection.isSearching)
    #expect(detection.current.bitsPerSecond == 9600)
    #expect(!detection.hasTriedAll)
  }
}
