import AsyncLocation
import FoundationEssentials
import MockBackend
import TestSupport
import Testing

@testable import GPSDReports

/// Compares word-wise with character-wise decoding. Each value is near the end of a line and far
/// from it, because the word-wise path needs bytes after the value.
@Suite(.inTurn) struct QuickReadingTests {
  /// The end of a line, with enough bytes for the word-wise reading of the value before it.
  private static let room = #","device":"\#(String(repeating: "x", count: 80))"}"#

  @Test func numbersOfEveryFormAreTheNearestDoubles() {
    var generator = SplitMix64(seed: 7)
    var wrong: [String] = []
    for whole in 1...17 {
      for decimals in 0...14 {
        for sign in ["", "-"] {
          func digits(_ count: Int) -> String {
            String((0..<count).map { _ in "0123456789".randomElement(using: &generator) ?? "0" })
          }
          let first = whole == 1 ? digits(1) : "7" + digits(whole - 1)
          let number = sign + first + (decimals == 0 ? "" : "." + digits(decimals))
          for end in ["}", Self.room] {
            let report = tpv(#"{"class":"TPV","ecefx":\#(number)\#(end)"#)
            if report?.ecefX != Double(number) { wrong.append(number + end.prefix(1)) }
          }
        }
      }
    }
    #expect(wrong == [])
  }

  @Test(arguments: ["01", "-01.5", "1.", ".5", "-", "1.2.3", "1e", "--1", "0x1", "12345678.", "00"])
  func invalidNumbersAreAbsentOnTheFastPath(_ number: String) throws {
    let report = try #require(tpv(#"{"class":"TPV","ecefx":\#(number),"lat":1.5\#(Self.room)"#))
    #expect(report.ecefX == nil)
    #expect(report.latitude == 1.5)
  }

  @Test(.longWork) func wordwiseTimesEqualCharacterwiseTimes() {
    var generator = SplitMix64(seed: 11)
    var wrong: [String] = []
    var accepted = 0
    func two(_ range: ClosedRange<Int>) -> String {
      let number = Int.random(in: range, using: &generator)
      return number < 10 ? "0\(number)" : "\(number)"
    }
    for _ in 0..<20_000 {
      // Some of the values are just out of range.
      var text = Array(
        "20\(two(0...99))-\(two(0...13))-\(two(0...32))T\(two(0...24)):\(two(0...60)):\(two(0...61))"
          .utf8)
      text += Array(".\(two(0...99))\(Int.random(in: 0...9, using: &generator))Z".utf8)
      if Bool.random(using: &generator) {
        let place = Int.random(in: text.indices, using: &generator)
        text[place] = UInt8.random(in: 35...91, using: &generator)  // No quote, no backslash.
      }
      let time = String(decoding: text, as: UTF8.self)
      let report = tpv(#"{"class":"TPV","time":"\#(time)"\#(Self.room)"#)
      if report?.time?.timeIntervalSinceReferenceDate != ReportTime.seconds(time) {
        wrong.append(time)
      }
      accepted += report?.time == nil ? 0 : 1
    }
    #expect(wrong == [])
    #expect(accepted > 2000)
  }

  /// Reports with reordered, missing or new fields, after the decoder has seen an order.
  @Test func aPredictedKeyIsVerified() {
    var generator = SplitMix64(seed: 3)
    let fields: [ReportKey<TPV>] = [
      .init("lat", \.latitude), .init("lon", \.longitude), .init("altHAE", \.ellipsoidalAltitude),
      .init("altMSL", \.altitude), .init("alt", \.undefinedAltitude), .init("speed", \.speed),
      .init("climb", \.climb), .init("eph", \.horizontalError), .init("epx", \.longitudeError),
      .init("leapseconds", \.leapSeconds, -255...255, isInteger: true),
      .init("ecefpAcc", \.ecefPositionError),
    ]
    var bytes: [UInt8] = []
    var expected: [[Double?]] = []
    for _ in 0..<500 {
      var values = [Double?](repeating: nil, count: fields.count)
      var line = #"{"class":"TPV""#
      for index in fields.indices.shuffled(using: &generator).prefix(
        .random(in: 0...11, using: &generator))
      {
        values[index] = Double(Int.random(in: 1...80, using: &generator))
        line += #","\#(fields[index].key)":\#(Int(values[index] ?? 0))"#
        if Bool.random(using: &generator) { line += #","la":3,"unknown":[1]"# }
      }
      bytes += Array((line + Self.room + "\r\n").utf8)
      expected.append(values)
    }
    let found = read(bytes).items.map { item -> [Double?] in
      guard case .report(.tpv(let report)) = item else { return [] }
      return fields.map { report[$0] }
    }
    #expect(found == expected)
  }

  /// The decoder performs the checks of ``Location`` and ``GNSSFix``: decoding an encoded location
  /// repeats all checks.
  @Test(.longWork) func initializersAcceptEveryLocation() throws {
    var generator = SplitMix64(seed: 5)
    let edges = [
      "-1", "0", "-0.0", "1", "3", "90", "-90", "90.1", "180", "-180", "180.5", "255", "256", "360",
      "360.01", "4095", "4096", "-20000", "-20000.5", "100000000", "100000001", "1e300", "1e-300",
    ]
    let keys = [
      "altHAE", "altMSL", "alt", "eph", "epx", "epy", "epv", "speed", "eps", "track", "epd",
      "climb",
      "magvar", "geoidSep", "dgpsAge", "dgpsSta", "ept", "jam", "ant",
    ]
    var count = 0
    for _ in 0..<3000 {
      var line = #"{"class":"TPV","mode":3,"lat":\#(Int.random(in: -90...90, using: &generator))"#
      line += #","lon":\#(Int.random(in: -180...180, using: &generator))"#
      line += #","time":"2026-05-04T03:02:01.000Z""#
      for key in keys { line += #","\#(key)":\#(edges.randomElement(using: &generator) ?? "0")"# }
      for location in assembled([line + "}"]).locations {
        let decoded = try JSONDecoder().decode(
          Location.self, from: JSONEncoder().encode(location))
        #expect(decoded == location)
        count += 1
      }
    }
    #expect(count == 3000)
  }
}
