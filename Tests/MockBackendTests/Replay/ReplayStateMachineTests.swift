import AsyncLocation
import FoundationEssentials
import TestSupport
import Testing

@testable import MockBackend

@Suite(.inTurn) struct ReplayStateMachineTests {
  enum Step: Sendable {
    case begin, pause, resume
    case rate(Double)
    case seek(Double)
    /// Expects these events, and then the state that follows.
    case expect([Int], Next)
  }

  enum Next: Equatable, Sendable {
    /// Waits until an instant, in seconds.
    case until(Double)
    /// Waits for a command, such as a resumption.
    case command
    case end
  }

  struct Scenario: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// Steps with their instants in seconds. The track has the events 0 to 4, one a second.
    let steps: [(Double, Step)]
    /// The seconds by which the timestamps of the played events are later than recorded; empty if
    /// they are unchanged.
    var shifts: [Double] = []
  }

  static let scenarios = [
    Scenario(
      testDescription: "as recorded",
      steps: [
        (10, .begin), (10, .expect([0], .until(11))), (12, .expect([1, 2], .until(13))),
        (20, .expect([3, 4], .end)),
      ]),
    Scenario(
      testDescription: "the position does not change while paused",
      steps: [
        (0, .begin), (1.5, .expect([0, 1], .until(2))), (1.5, .pause), (9, .expect([], .command)),
        (9, .pause), (10, .resume), (10, .expect([], .until(10.5))),
        (10.5, .expect([2], .until(11.5))),
      ]),
    Scenario(
      testDescription: "paused before the first run",
      steps: [
        (0, .pause), (5, .begin), (5, .expect([], .command)), (7, .resume),
        (7, .expect([0], .until(8))),
      ]),
    Scenario(
      testDescription: "resumed before the first run",
      steps: [(0, .pause), (1, .resume), (5, .begin), (5, .expect([0], .until(6)))]),
    Scenario(
      testDescription: "a rate that changes",
      steps: [
        (0, .begin), (0, .expect([0], .until(1))), (0.5, .rate(0.25)),
        (0.5, .expect([], .until(2.5))), (2.5, .expect([1], .until(6.5))), (2.5, .rate(2)),
        (2.5, .expect([], .until(3))), (3, .expect([2], .until(3.5))),
      ]),
    Scenario(
      testDescription: "seeking forward skips events",
      steps: [
        (0, .begin), (0, .expect([0], .until(1))), (0, .seek(2.5)), (0, .expect([], .until(0.5))),
        (0.5, .expect([3], .until(1.5))),
      ]),
    Scenario(
      testDescription: "seeking back makes timestamps later",
      steps: [
        (0, .begin), (2, .expect([0, 1, 2], .until(3))), (2, .seek(1)),
        (2, .expect([1], .until(3))),
        (4, .expect([2, 3], .until(5))), (4, .seek(2)), (4, .expect([2], .until(5))),
      ], shifts: [0, 0, 0, 1.001, 1.001, 1.001, 2.002]),
    Scenario(
      testDescription: "seeking back to an unplayed position leaves timestamps as recorded",
      steps: [
        (0, .seek(3)), (0, .seek(1)), (0, .begin), (0, .expect([1], .until(1))), (0, .seek(4)),
        (0, .seek(2)), (0, .expect([2], .until(1))),
      ], shifts: [0, 0]),
    Scenario(
      testDescription: "a position beyond an end is that end",
      steps: [
        (0, .begin), (0, .seek(99)), (0, .expect([4], .end)), (7, .seek(-1)),
        (7, .expect([0], .until(8))),
      ], shifts: [0, 4.001]),
    Scenario(
      testDescription: "seeking while paused takes effect on resuming",
      steps: [
        (0, .begin), (0, .expect([0], .until(1))), (0, .pause), (0, .seek(3)), (0, .rate(0.5)),
        (5, .expect([], .command)), (6, .resume), (6, .expect([3], .until(8))),
      ]),
    Scenario(
      testDescription: "events that are due between runs are skipped",
      steps: [
        (0, .begin), (0, .expect([0], .until(1))), (2.5, .begin), (2.5, .expect([], .until(3))),
        (3, .expect([3], .until(4))),
      ]),
  ]

  @Test(arguments: scenarios)
  func followsTheScenario(_ scenario: Scenario) throws {
    let track = try (0..<5).map {
      TimedEvent(offset: .seconds($0), event: .location(try location($0)))
    }
    var machine = ReplayStateMachine(
      try ReplayTimeline(track, rate: 1, repetition: .once))
    var shifts: [Double] = []
    for (seconds, step) in scenario.steps {
      let now = Duration.seconds(seconds)
      switch step {
      case .begin: machine.began(at: now)
      case .pause: machine.paused(at: now)
      case .resume: machine.resumed(at: now)
      case .rate(let rate): try machine.changed(rate: rate, at: now)
      case .seek(let position): machine.sought(to: .seconds(position), at: now)
      case .expect(let numbers, let next):
        var output = machine.step(at: now)
        var played: [Location] = []
        while case .emit(let batch) = output {
          for case .location(let found) in batch { played.append(found) }
          output = machine.step(at: now)
        }
        try #require(played.count == numbers.count, "at \(seconds): \(played)")
        for (found, number) in zip(played, numbers) {
          let recorded = try location(number)
          #expect(found.coordinate == recorded.coordinate, "at \(seconds)")
          shifts.append(found.timestamp.timeIntervalSince(recorded.timestamp))
        }
        switch (output, next) {
        case (.end, .end), (.wait(until: nil), .command): break
        case (.wait(let instant?), .until(let expected)):
          #expect(instant == .seconds(expected), "at \(seconds)")
        default: Issue.record("at \(seconds): \(output), not \(next)")
        }
      }
    }
    let expected = scenario.shifts.isEmpty ? shifts.map { _ in 0 } : scenario.shifts
    #expect(shifts.count == expected.count)
    #expect(zip(shifts, expected).allSatisfy { abs($0 - $1) < 1e-6 }, "\(shifts)")
  }

  @Test func extremeRatesDoNotOverflow() throws {
    let track = [
      TimedEvent(offset: .zero, event: try event(0)),
      TimedEvent(offset: ReplayTimeline.longest, event: try event(1)),
    ]
    for rate in [Double.leastNonzeroMagnitude, 1e-300, 1, 1e300, .greatestFiniteMagnitude] {
      var machine = ReplayStateMachine(
        try ReplayTimeline(track, rate: rate, repetition: .forever))
      machine.began(at: .seconds(1))
      machine.sought(to: ReplayTimeline.longest, at: .seconds(2))
      try machine.changed(rate: 1, at: .seconds(2))
      machine.sought(to: .seconds(-1), at: .seconds(3))
      #expect(machine.position(at: .seconds(3)) == .zero)
      _ = machine.step(at: .seconds(1e9))
    }
  }

  @Test(arguments: [0, -1, .infinity, .nan])
  func refusesAnInvalidRate(_ rate: Double) throws {
    var machine = ReplayStateMachine(try ReplayTimeline([], rate: 3, repetition: .once))
    #expect(throws: LocationError.self) { try machine.changed(rate: rate, at: .zero) }
    #expect(machine.rate == 3)
  }
}
