import AsyncLocation
import FoundationEssentials
import TestSupport
import Testing

@testable import LocationRecording

@Suite(.inTurn) struct RecordingPacerTests {
  struct Scenario: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let times: [RecordedTime]
    let offsets: [Double]

    init(_ description: String, _ times: [RecordedTime], _ offsets: [Double]) {
      (testDescription, self.times, self.offsets) = (description, times, offsets)
    }
  }

  static func at(_ seconds: Double) -> RecordedTime { .date(start + seconds) }

  static let scenarios = [
    Scenario("dates", [at(5), at(6), at(8.25)], [0, 1, 3.25]),
    Scenario("no times", [.unknown, .unknown, .unknown], [0, 1, 2]),
    Scenario("over midnight", [.timeOfDay(86_399), .timeOfDay(1)], [0, 2]),
    Scenario("out of order", [at(5), at(7), at(6.5), at(8)], [0, 2, 2, 3]),
    Scenario("another track", [at(100), at(101), at(0), at(3)], [0, 1, 2, 5]),
    Scenario("a part without times", [at(0), .unknown, .unknown, at(10)], [0, 1, 2, 3]),
    Scenario("a century", [at(0), at(4e9), at(4e9 + 1)], [0, 1, 2]),
    Scenario("a date after times of the day", [.timeOfDay(5), .timeOfDay(7), at(0)], [0, 2, 3]),
  ]

  @Test(arguments: scenarios)
  func followsTheScenario(_ scenario: Scenario) {
    var pacer = RecordingPacer(start: start)
    let offsets = scenario.times.map { pacer.place($0, isLocation: true).offset }
    #expect(offsets == scenario.offsets.map { .seconds($0) })
  }

  @Test func unknownTimesContinueTheLastDate() {
    var pacer = RecordingPacer(start: start)
    let places = [Self.at(50), .unknown, .unknown].map { pacer.place($0, isLocation: true) }
    #expect(places.map(\.timestamp) == [start + 50, start + 51, start + 52])
    #expect(places.map(\.timeSource) == [.receiver, .host, .host])
    #expect(pacer.place(.unknown, isLocation: false).offset == .seconds(2))
  }
}
