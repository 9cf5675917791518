import TestSupport
import Testing

@testable import simulate

@Suite(.inTurn) struct ArgumentsTests {
  @Test func defaultsToAHundredThousandSchedulesOnEveryProcessor() throws {
    #expect(try Arguments([], processors: 4) == .run(Arguments.Span(), workers: 4))
  }

  @Test(arguments: [
    (["--help"], Arguments.help), (["--scenarios"], .scenarios), (["--cancel"], .cancel),
    (["--replay", "7"], .replay(seed: 7, scenario: nil)),
    (["--scenario", "calls", "--replay", "7"], .replay(seed: 7, scenario: "calls")),
    (["--explore"], .explore(world: nil, turn: nil)),
    (["--explore", "revoke"], .explore(world: "revoke", turn: nil)),
    (["--explore", "--turn", "7"], .explore(world: nil, turn: 7)),
    (["--noise"], .noise(days: 5, seed: 0)),
    (["--noise", "2", "--seed", "9"], .noise(days: 2, seed: 9)),
    (["--schedules", "1", "--workers", "9"], .run(Arguments.Span(schedules: 1), workers: 1)),
    (
      ["--schedules", "5", "--seed", "3", "--scenario", "gpsd", "--workers", "2", "--first"],
      .run(Arguments.Span(schedules: 5, seed: 3, scenario: "gpsd", stopsAtFirst: true), workers: 2)
    ),
    (
      ["--share", "1", "--shares", "2", "--report", "/tmp/r"],
      .work(Arguments.Span(), share: 1, of: 2, report: "/tmp/r")
    ),
  ])
  func reads(_ words: [String], _ expected: Arguments) throws {
    #expect(try Arguments(words, processors: 2) == expected)
  }

  @Test(arguments: [
    ["--schedules"], ["--schedules", "0"], ["--schedules", "many"], ["--seed", "-1"],
    ["--scenario", "none"], ["--workers", "0"], ["--workers", "257"], ["--replay", "x"],
    ["--explore", "none"], ["--turn", "0"], ["--turn", "1"],
    ["--explore", "revoke", "--turn", "1"], ["--noise", "0"], ["--noise", "many"], ["1000"],
    ["--fast"],
  ])
  func refuses(_ words: [String]) {
    #expect(throws: Arguments.ArgumentError.self) { try Arguments(words, processors: 2) }
  }
}
