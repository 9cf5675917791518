import AsyncLocation
import FoundationEssentials
import TestSupport
import Testing

@testable import MockBackend

@Suite(.inTurn) struct ReplayStateMachineTests {
  enum Action: Sendable {
    case began, pause, resume
    case rate(Double)
    case seek(Double)
    /// Emits the events with these numbers, then waits for an instant, for a command (nil), or has
    /// ended.
    case plays([Int], Next)
  }

  enum Next: Equatable, Sendable {
    case until(Double)
    case command, end
  }

  struct Scenario: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// Instants in seconds, and what happens then. The track has an event a second, 0 to 4.
    let actions: [(Double, Action)]
    /// The seconds by which the timestamp of each event that is played is later than recorded.
    var shifts: [Double] = []
  }

  static let scenarios = [
    Scenario(
      testDescription: "as recorded",
      actions: [
        (10, .began), (10, .plays([0], .until(11))), (12, .plays([1, 2], .until(13))),
        (20, .plays([3, 4], .end)),
      ]),
    Scenario(
      testDescription: "a pause stops the position",
      actions: [
        (0, .began), (1.5, .plays([0, 1], .until(2))), (1.5, .pause), (9, .plays([], .command)),
        (9, .pause), (10, .resume), (10, .plays([], .until(10.5))),
        (10.5, .plays([2], .until(11.5))),
      ]),
    Scenario(
      testDescription: "paused before the first run",
      actions: [
        (0, .pause), (5, .began), (5, .plays([], .command)), (7, .resume),
        (7, .plays([0], .until(8))),
      ]),
    Scenario(
      testDescription: "resumed before the first run",
      actions: [(0, .pause), (1, .resume), (5, .began), (5, .plays([0], .until(6)))]),
    Scenario(
      testDescription: "a rate that changes",
      actions: [
        (0, .began), (0, .plays([0], .until(1))), (0.5, .rate(0.25)),
        (0.5, .plays([], .until(2.5))), (2.5, .plays([1], .until(6.5))), (2.5, .rate(2)),
        (2.5, .plays([], .until(3))), (3, .plays([2], .until(3.5))),
      ]),
    Scenario(
      testDescription: "forward",
      actions: [
        (0, .began), (0, .plays([0], .until(1))), (0, .seek(2.5)), (0, .plays([], .until(0.5))),
        (0.5, .plays([3], .until(1.5))),
      ]),
    Scenario(
      testDescription: "back, with later timestamps",
      actions: [
        (0, .began), (2, .plays([0, 1, 2], .until(3))), (2, .seek(1)), (2, .plays([1], .until(3))),
        (4, .plays([2, 3], .until(5))), (4, .seek(2)), (4, .plays([2], .until(5))),
      ], shifts: [0, 0, 0, 1.001, 1.001, 1.001, 2.002]),
    Scenario(
      testDescription: "back to what was not played",
      actions: [
        (0, .seek(3)), (0, .seek(1)), (0, .began), (0, .plays([1], .until(1))), (0, .seek(4)),
        (0, .seek(2)), (0, .plays([2], .until(1))),
      ], shifts: [0, 0]),
    Scenario(
      testDescription: "beyond the ends",
      actions: [
        (0, .began), (0, .seek(99)), (0, .plays([4], .end)), (7, .seek(-1)),
        (7, .plays([0], .until(8))),
      ], shifts: [0, 4.001]),
    Scenario(
      testDescription: "to a position while paused",
      actions: [
        (0, .began), (0, .plays([0], .until(1))), (0, .pause), (0, .seek(3)), (0, .rate(0.5)),
        (5, .plays([], .command)), (6, .resume), (6, .plays([3], .until(8))),
      ]),
    Scenario(
      testDescription: "time between runs",
      actions: [
        (0, .began), (0, .plays([0], .until(1))), (2.5, .began), (2.5, .plays([], .until(3))),
        (3, .plays([3], .until(4))),
      ]),
  ]

  @Test(arguments: scenarios)
  func follows(_ scenario: Scenario) throws {
    let track = try (0..<5).map {
      TimedEvent(offset: .seconds($0), event: .location(try location($0)))
    }
    var machine = ReplayStateMachine(
      try ReplayTimeline(track, rate: 1, repetition: .once))
    var shifts: [Double] = []
    for (seconds, action) in scenario.actions {
      let now = Duration.seconds(seconds)
      switch action {
      case .began: machine.began(at: now)
      case .pause: machine.paused(at: now)
      case .resume: machine.resumed(at: now)
      case .rate(let rate): try machine.changed(rate: rate, at: now)
      case .seek(let position): machine.sought(to: .seconds(position), at: now)
      case .plays(let numbers, let next):
        var step = machine.step(at: now)
        var played: [Location] = []
        while case .emit(let batch) = step {
          for case .location(let found) in batch { played.append(found) }
          step = machine.step(at: now)
        }
        try #require(played.count == numbers.count, "at \(seconds): \(played)")
        for (found, number) in zip(played, numbers) {
          let recorded = try location(number)
          #expect(found.coordinate == recorded.coordinate, "at \(seconds)")
          shifts.append(found.timestamp.timeIntervalSince(recorded.timestamp))
        }
        switch (step, next) {
        case (.end, .end), (.wait(until: nil), .command): break
        case (.wait(let instant?), .until(let expected)):
          #expect(instant == .seconds(expected), "at \(seconds)")
        default: Issue.record("at \(seconds): \(step), not \(next)")
        }
      }
    }
    let expected = scenario.shifts.isEmpty ? shifts.map { _ in 0 } : scenario.shifts
    #expect(shifts.count == expected.count)
    #expect(zip(shifts, expected).allSatisfy { abs($0 - $1) < 1e-6 }, "\(shifts)")
  }

  @Test func keepsItsPositionAtEveryRate() throws {
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
  func refusesARate(_ rate: Double) throws {
    var machine = ReplayStateMachine(try ReplayTimeline([], rate: 3, repetition: .once))
    #expect(throws: LocationError.self) { try machine.changed(rate: rate, at: .zero) }
    #expect(machine.rate == 3)
  }
}
