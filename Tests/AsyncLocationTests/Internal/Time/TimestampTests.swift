import FoundationEssentials
import MockBackend
import TestSupport
import Testing

@testable import AsyncLocation

@Suite(.inTurn) struct TimestampTests {
  static func date(_ interval: Double) -> Date { Date(timeIntervalSinceReferenceDate: interval) }

  static let texts: [(Double, String)] = [
    (0, "2001-01-01T00:00:00.000Z"),
    (0.25, "2001-01-01T00:00:00.250Z"),
    (-0.25, "2000-12-31T23:59:59.750Z"),
    (0.000_001, "2001-01-01T00:00:00.000001Z"),
    (0.000_000_001, "2001-01-01T00:00:00.000000001Z"),
    (1e-20, "2001-01-01T00:00:00.000Z"),
    (-1e-20, "2001-01-01T00:00:00.000Z"),
    (799_556_521.25, "2026-05-04T03:02:01.250Z"),
    (799_556_521.001, "2026-05-04T03:02:01.001Z"),
    (799_556_521.123_456, "2026-05-04T03:02:01.123456Z"),
    (-978_307_200, "1970-01-01T00:00:00.000Z"),
    (-978_307_200.5, "1969-12-31T23:59:59.500Z"),
    (-63_113_904_000, "0001-01-01T00:00:00.000Z"),
    (252_423_993_599, "9999-12-31T23:59:59.000Z"),
    (99_446_400, "2004-02-26T00:00:00.000Z"),
    (99_705_600, "2004-02-29T00:00:00.000Z"),
  ]

  @Test(arguments: texts)
  func datesFormatAndParse(_ interval: Double, _ text: String) throws {
    let date = try Timestamp.exact(Self.date(interval), "timestamp")
    #expect(Timestamp.format(date) == text)
    #expect(Timestamp.parse(text) == date)
  }

  static let accepted: [(String, String)] = [
    ("2026-05-04T03:02:01Z", "2026-05-04T03:02:01.000Z"),
    ("2026-05-04T03:02:01.2Z", "2026-05-04T03:02:01.200Z"),
    ("2026-05-04T03:02:01.2500000Z", "2026-05-04T03:02:01.250Z"),
    ("2024-02-29T23:59:59.999Z", "2024-02-29T23:59:59.999Z"),
    ("2000-02-29T00:00:00Z", "2000-02-29T00:00:00.000Z"),
  ]

  @Test(arguments: accepted)
  func readsUpToNineDigits(_ text: String, _ written: String) throws {
    let date = try #require(Timestamp.parse(text))
    #expect(Timestamp.format(date) == written)
  }

  static let refused = [
    "", "Z", "2026-05-04", "2026-05-04T03:02:01", "2026-05-04T03:02:01.Z",
    "2026-05-04T03:02:01.1234567890Z", "2026-05-04t03:02:01Z", "2026-05-04 03:02:01Z",
    "2026-05-04T03:02:01+00:00", "2026-13-04T03:02:01Z", "2026-99-04T03:02:01Z",
    "2026-00-04T03:02:01Z", "2026-05-00T03:02:01Z", "2026-05-32T03:02:01Z",
    "2026-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2026-04-31T00:00:00Z",
    "2026-05-04T24:00:00Z", "2026-05-04T03:60:01Z", "2026-05-04T03:02:60Z",
    "0000-01-01T00:00:00Z", "+026-05-04T03:02:01Z", "-026-05-04T03:02:01Z",
    "10000-01-01T00:00:00Z", "2026-05-04T03:02:01.12a4Z", "2026-05-04T03:02:01,250Z",
    "２026-05-04T03:02:01Z", "2026-05-04T03:02:0\u{661}Z", "garbage", "2026-5-4T3:2:1.00000Z",
    "2026-05-04T03:02:01.250Z ", " 2026-05-04T03:02:01.250Z", "2026-05-04T03:02:01.250ZZ",
    "2026-05-04T03:02:01\0.25Z",
  ]

  @Test(arguments: refused)
  func refuses(_ text: String) {
    #expect(Timestamp.parse(text) == nil)
  }

  @Test(.longWork) func roundTripsExactly() throws {
    var random = SplitMix64(seed: 4)
    for _ in 0..<20_000 {
      let date = try Timestamp.exact(Date.random(using: &random), "timestamp")
      let text = Timestamp.format(date)
      #expect(Timestamp.parse(text) == date, "\(text)")
      #expect(try Timestamp.exact(date, "timestamp") == date, "\(text)")
    }
  }

  /// The text has three, six or nine fractional digits, whichever is the smallest number that
  /// represents the date.
  @Test(.longWork) func writesTheFewestDigits() throws {
    var random = SplitMix64(seed: 5)
    var counts: [Int: Int] = [:]
    for _ in 0..<20_000 {
      let date = try Timestamp.exact(Date.random(using: &random), "timestamp")
      let text = Timestamp.format(date)
      let digits = text.utf8.count - 21
      counts[digits, default: 0] += 1
      #expect([3, 6, 9].contains(digits), "\(text)")
      let wholeSeconds = text.prefix(20)
      let fraction = try #require(Int(text.dropFirst(20).dropLast()))
      for fewer in [3, 6] where fewer < digits {
        let unit = (0..<digits - fewer).reduce(1) { unit, _ in unit * 10 }
        for candidate in [fraction / unit, fraction / unit + 1] {
          let written = String(candidate)
          let padding = String(repeating: "0", count: max(0, fewer - written.utf8.count))
          guard written.utf8.count <= fewer else { continue }
          #expect(Timestamp.parse("\(wholeSeconds)\(padding)\(written)Z") != date, "\(text)")
        }
      }
    }
    #expect(counts[3, default: 0] > 1_000)
    #expect(counts[6, default: 0] > 1_000)
    #expect(counts[9, default: 0] > 1_000)
  }

  /// A date is rounded by at most half a nanosecond, or by one `ulp` of its interval if that is
  /// more.
  @Test(.longWork) func exactDatesAreWithinANanosecond() throws {
    var random = SplitMix64(seed: 6)
    for _ in 0..<20_000 {
      let date = Date.random(using: &random)
      let exact = try Timestamp.exact(date, "timestamp")
      let interval = date.timeIntervalSinceReferenceDate
      #expect(abs(exact.timeIntervalSince(date)) <= max(0.51e-9, interval.ulp), "\(interval)")
    }
  }

  @Test(.longWork) func agreesWithFoundation() throws {
    var random = SplitMix64(seed: 7)
    let style = Date.ISO8601FormatStyle()
    // Foundation uses the Julian calendar before 1582-10-15.
    let first = try #require(Timestamp.parse("1583-01-01T00:00:00Z"))
    for _ in 0..<5_000 {
      let interval = Double.random(
        in: first.timeIntervalSinceReferenceDate..<252_423_993_600, using: &random
      ).rounded(.down)
      let date = Self.date(interval)
      let text = style.format(date)
      #expect(Timestamp.parse(text) == date, "\(text)")
      #expect(Timestamp.format(date) == text.dropLast() + ".000Z")
    }
  }
}
