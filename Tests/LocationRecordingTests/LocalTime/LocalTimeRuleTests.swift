import AsyncLocation
import MockBackend
import TestSupport
import Testing

@testable import LocationRecording

/// POSIX time zones, the last part of time zone files.
@Suite(.inTurn) struct LocalTimeRuleTests {
  private func zone(_ text: String) -> PosixTimeZone? { PosixTimeZone(Array(text.utf8)[...]) }

  private static func seconds(
    _ year: Int, _ month: Int, _ day: Int, _ hour: Int = 0, _ minute: Int = 0
  ) -> Int {
    CivilTime.days(year: year, month: month, day: day) * 86_400 + hour * 3600 + minute * 60
  }

  /// The hours of 2027 and 2028.
  private static let hours = stride(from: seconds(2027, 1, 1), to: seconds(2029, 1, 1), by: 3600)

  /// The local times until a second of UTC and from it on. They are equal if the rule has no change
  /// then.
  struct Change: Sendable {
    let rule: String
    let seconds: Int
    let before: String
    let after: String
  }

  private static let changes = [
    Change(
      rule: "CET-1CEST,M3.5.0,M10.5.0/3", seconds: seconds(2100, 3, 28, 1), before: "CET",
      after: "CEST"),
    Change(
      rule: "CET-1CEST,M3.5.0,M10.5.0/3", seconds: seconds(2100, 10, 31, 1), before: "CEST",
      after: "CET"),
    Change(
      rule: "EST5EDT,M3.2.0,M11.1.0", seconds: seconds(1900, 3, 11, 7), before: "EST",
      after: "EDT"),
    // Daylight time of half an hour, across the turn of the year.
    Change(
      rule: "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", seconds: seconds(2040, 3, 31, 15),
      before: "+11", after: "+1030"),
    Change(
      rule: "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", seconds: seconds(2040, 10, 6, 15, 30),
      before: "+1030", after: "+11"),
    // Negative daylight time, in winter.
    Change(
      rule: "IST-1GMT0,M10.5.0,M3.5.0/1", seconds: seconds(2040, 3, 25, 1), before: "GMT",
      after: "IST"),
    Change(
      rule: "IST-1GMT0,M10.5.0,M3.5.0/1", seconds: seconds(2040, 10, 28, 1), before: "IST",
      after: "GMT"),
    // Hours beyond the day, in either direction.
    Change(
      rule: "EET-2EEST,M3.4.4/50,M10.4.4/50", seconds: seconds(2090, 3, 25), before: "EET",
      after: "EEST"),
    Change(
      rule: "<-02>2<-01>,M3.5.0/-1,M10.5.0/0", seconds: seconds(2040, 3, 25, 1), before: "-02",
      after: "-01"),
    Change(
      rule: "AAA0BBB,0/-167,J365/167", seconds: seconds(2030, 1, 7, 22), before: "BBB",
      after: "BBB"),
    Change(
      rule: "AAA0BBB,J10/-167,J12/-167", seconds: seconds(2030, 1, 3, 1), before: "AAA",
      after: "BBB"),
    Change(
      rule: "AAA0BBB,J364/167,J365/167", seconds: seconds(2030, 1, 5, 23), before: "AAA",
      after: "BBB"),
    Change(
      rule: "AAA0BBB,J364/167,J365/167", seconds: seconds(2030, 1, 6, 22), before: "BBB",
      after: "AAA"),
    // Days of the year, not counting February 29, and counting it.
    Change(
      rule: "AAA0BBB,J60/0,J300/0", seconds: seconds(2028, 3, 1), before: "AAA", after: "BBB"),
    Change(
      rule: "AAA0BBB,J59/0,J300/0", seconds: seconds(2028, 2, 28), before: "AAA", after: "BBB"),
    Change(rule: "AAA0BBB,59/0,299/0", seconds: seconds(2028, 2, 29), before: "AAA", after: "BBB"),
    Change(
      rule: "AAA0BBB,0/0,365/0", seconds: seconds(2028, 12, 30, 23), before: "BBB", after: "AAA"),
    // The fifth week is the last one, also in December.
    Change(
      rule: "AAA0BBB,M12.5.3/0,J10/0", seconds: seconds(2025, 12, 31), before: "AAA",
      after: "BBB"),
    Change(
      rule: "AAA0BBB,M2.5.1/0,J200/0", seconds: seconds(2028, 2, 28), before: "AAA", after: "BBB"),
  ]

  @Test(arguments: changes) func changesAtTheSecond(_ change: Change) throws {
    let rule = try #require(zone(change.rule))
    #expect(rule.type(at: change.seconds - 1).abbreviation == change.before)
    #expect(rule.type(at: change.seconds).abbreviation == change.after)
  }

  /// RFC 8536, section 3.3.1: daylight time that ends when it begins again lasts all year.
  @Test(.longWork, arguments: ["EST5EDT,0/0,J365/25", "XXX3EDT4,0/0,J365/23"])
  func daylightTimeCanLastAllYear(_ text: String) throws {
    let rule = try #require(zone(text))
    #expect(Self.hours.allSatisfy { rule.type(at: $0) == rule.daylight?.type })
    #expect(rule.daylight?.type.offset == -4 * 3600)
  }

  @Test(.longWork) func daylightTimeOfNoLengthIsNeverInForce() throws {
    let rule = try #require(zone("AAA0BBB0,M3.1.0,M3.1.0"))
    #expect(Self.hours.allSatisfy { rule.type(at: $0) == rule.standard })
  }

  @Test(arguments: [
    ("UTC0", [0]), ("<+0330>-3:30", [12_600]), ("LMT+1:23:45", [-5025]), ("AAA24:59:59", [-89_999]),
    ("AAA-24:59:59", [89_999]), ("AAA-1BBB,1,2", [3600, 7200]),
    ("AAA-1BBB+0:30,J1,2", [3600, -1800]),
    ("AAA3BBB-24:59:59,0/0,1/+167:59:59", [-10_800, 89_999]), ("<-00>0", [0]),
    ("AAA007", [-25_200]),
  ])
  func rulesHaveTheirOffsets(_ text: String, _ offsets: [Int]) throws {
    let rule = try #require(zone(text))
    #expect([rule.standard.offset] + (rule.daylight.map { [$0.type.offset] } ?? []) == offsets)
  }

  @Test(arguments: [
    "", "UTC", "U0", "UT0", "<A>0", "<+03-3", "<+03>", "<+0 3>-3", "+03-3", "AAA25", "AAA1:60",
    "AAA1:2:60", "AAA1:", "AAA1:2:3:4", "AAA0001", "AAA--1", "AAA0 ", " AAA0", "AAA0BBB",
    "AAA0BBB,", "AAA0BBB,1", "AAA0BBB,1,", "AAA0BBB,1,2,", "AAA0BBB,1,2,3", "AAA0BBB,J0,J2",
    "AAA0BBB,J366,J2", "AAA0BBB,366,2", "AAA0BBB,M0.1.0,1", "AAA0BBB,M13.1.0,1",
    "AAA0BBB,M1.0.0,1", "AAA0BBB,M1.6.0,1", "AAA0BBB,M1.1.7,1", "AAA0BBB,M1.1,1",
    "AAA0BBB,1/168,2", "AAA0BBB,1/,2", "AAA0BBB,-1,2", "AAA0BB,1,2", "AAA0BBB25,1,2", "é0", ":UTC",
    "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA0", "AAA99999999999999999999",
  ])
  func refuses(_ text: String) { #expect(zone(text) == nil) }

  /// Text that is changed at random never traps, whether it is a rule or not.
  @Test(.longWork) func survivesRandomText() {
    var random = SplitMix64(seed: 83)
    let characters = Array("AB<>+-,./:JM0123456789".utf8)
    var count = 0
    for round in 0..<3000 {
      var bytes = Array(Self.changes[round % Self.changes.count].rule.utf8)
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        bytes[Int.random(in: bytes.indices, using: &random)] =
          characters.randomElement(using: &random) ?? 0
      }
      guard let rule = PosixTimeZone(bytes[...]) else { continue }
      count += 1
      for seconds in [-100_000_000_000_000, -1, 0, 1_774_746_000, 100_000_000_000_000] {
        #expect(abs(rule.type(at: seconds).offset) < 26 * 3600)
      }
    }
    #expect(count > 300)
  }
}
