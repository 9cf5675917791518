import AsyncLocation
import FoundationEssentials
import TestSupport
import Testing

@testable import LocationRecording

/// The files of flight recorders.
@Suite(.inTurn) struct IGCTests {
  static let head = """
    ALXVABC FLIGHT:1\r
    HFFXA035\r
    HFDTE040526\r
    HFPLTPILOTINCHARGE: Jane\r
    I033638FXA3940SIU4143GSP\r

    """

  @Test func readsAFlight() throws {
    let text =
      Self.head + "C040526120000000000000000 Task\r\nC4700000N00830000EStart\r\n"
      + "B1200005206343N00006198WA005870055800508072\r\n"
      + "B1200014706343S01006198EV00000-001201204000\r\nLXXX comment\r\nG0123456789\r\n"
    let recording = try recording(text)
    #expect(recording.format == .igc)
    #expect(recording.pointKind == .track)
    #expect(recording.omitted.routePointCount == 1)
    #expect(recording.skipped.count == 0)
    let (first, second) = (recording.locations[0], recording.locations[1])
    // 52° 06.343′ N, 0° 06.198′ W.
    #expect(abs(first.coordinate.latitude - (52 + 6.343 / 60)) < 1e-9)
    #expect(abs(first.coordinate.longitude + 6.198 / 60) < 1e-9)
    #expect(first.timestamp.timeIntervalSince1970 == 1_777_896_000)
    #expect(first.ellipsoidalAltitude == 558)
    #expect(first.altitude == nil)
    #expect(first.horizontalAccuracy == 5)
    #expect(first.gnss?.satellitesUsed == 8)
    #expect(first.speed == 20)
    #expect(second.coordinate.latitude < 0)
    #expect(second.coordinate.longitude > 10)
    #expect(second.ellipsoidalAltitude == nil)
    #expect(second.gnss?.mode == .twoDimensional)
  }

  @Test func timesAfterMidnightAreOnTheNextDay() throws {
    let text =
      Self.head.replacing("HFDTE040526", with: "HFDTEDATE:040526,01")
      + "HFALGALTGPS:GEO\r\nB2359595206343N00006198WA0058700558\r\n"
      + "B0000015206343N00006198WA0058700559\r\n"
    let locations = try recording(text).locations
    #expect(locations[1].timestamp.timeIntervalSince(locations[0].timestamp) == 2)
    #expect(locations.map(\.altitude) == [558, 559])
  }

  /// An I record may declare further digits of a position and of a second.
  @Test func extensionsAddDigits() throws {
    let text =
      Self.head.replacing("I033638FXA3940SIU4143GSP", with: "I033637LAD3839LOD4042TDS")
      + "B1200005206343N00006198WA00587005585002525\r\n"
    let location = try #require(try recording(text).locations.first)
    #expect(abs(location.coordinate.latitude - (52 + 6.3435 / 60)) < 1e-9)
    #expect(abs(location.coordinate.longitude + 6.19802 / 60) < 1e-9)
    #expect(location.timestamp.timeIntervalSince1970 == 1_777_896_000.525)
  }

  @Test(arguments: [
    "B2500005206343N00006198WA0058700558", "B1200005206343X00006198WA0058700558",
    "B1200009506343N00006198WA0058700558", "B1200005206343N18106198WA0058700558",
    "B1200005260000N00006198WA0058700558", "B12000052063", "B1200000000000N00000000EV0000000000",
  ])
  func invalidRecordsAreSkipped(_ line: String) throws {
    let recording = try recording(
      Self.head + line + "\r\nB1200015206343N00006198WA0058700558\r\n")
    #expect(recording.locations.count == 1)
    #expect(recording.skipped.count == 1)
  }

  struct Heights: CustomTestStringConvertible, Sendable {
    var testDescription: String { "\(head), \(heights)" }
    /// The A record, and a header record after a space.
    let head: String
    /// The pressure altitude and the GNSS altitude of each fix.
    let heights: [(Int, Int)]
    var altitudes: [Double?]?
    var ellipsoidal: [Double?]?
    var isSkipped = false
  }

  private static let climb = [(587, 558), (597, 568)]

  static let heights = [
    Heights(head: "ALXVABC", heights: climb, ellipsoidal: [558, 568]),
    Heights(head: "AXXXABC HFALGALTGPS:ELL", heights: climb, ellipsoidal: [558, 568]),
    Heights(head: "ALXVABC HFALGALTGPS:GEO", heights: climb, altitudes: [558, 568]),
    Heights(head: "ALXVABC HFALGALTGPS:NKN", heights: climb, isSkipped: true),
    Heights(head: "ALXVABC HFALG:NIL", heights: climb, isSkipped: true),
    // XCSoar wrote both kinds of altitudes before it stated which kind.
    Heights(head: "AXCSAAA", heights: climb, isSkipped: true),
    Heights(head: "AXXXABC", heights: climb, isSkipped: true),
    Heights(head: "", heights: climb, isSkipped: true),
    Heights(head: "AXXXZZZGPSBabel", heights: [(0, 413), (0, 0)], altitudes: [413, nil]),
    Heights(head: "AXXXZZZGPSBabel", heights: [(0, 0), (0, 0)]),
    // A recorder without GNSS altitudes, and a flight at the coast.
    Heights(head: "ALXVABC", heights: [(587, 0), (597, 0)]),
    Heights(head: "ALXVABC", heights: [(7, 1), (6, 0)], ellipsoidal: [1, 0]),
    Heights(head: "AXXXABC HFALGALTGPS:NIL", heights: [(587, 0), (597, 0)]),
  ]

  @Test("F83 heights are read if their datum is known", arguments: heights)
  func altitudesUseTheDeclaredDatum(_ test: Heights) throws {
    let fixes = test.heights.enumerated().map { index, heights in
      "B12000\(index)5206343N00006198WA\(heights.0.padded(to: 5))\(heights.1.padded(to: 5))"
    }
    let head = test.head.split(separator: " ").map(String.init)
    let lines = head.prefix(1) + ["HFDTE040526"] + head.dropFirst() + fixes
    let found = try recording(lines.joined(separator: "\r\n") + "\r\n")
    #expect(found.locations.map(\.altitude) == test.altitudes ?? [nil, nil])
    #expect(found.locations.map(\.ellipsoidalAltitude) == test.ellipsoidal ?? [nil, nil])
    #expect(found.skipped.count == (test.isSkipped ? 1 : 0), "\(found.skipped)")
  }

  /// XCSoar repeats the last position while there is no fix.
  @Test func repeatedInvalidPositionIsSkipped() throws {
    let place = "5206343N00006198W"
    let lines = [
      "B120000\(place)A0058700558", "B120001\(place)V0058700558", "B120002\(place)V0058700000",
      "B1200035206344N00006198WV0058700000", "B1200045206344N00006198WA0058700560",
    ]
    let found = try recording(Self.head + lines.joined(separator: "\r\n") + "\r\n")
    #expect(
      found.locations.map { $0.timestamp.timeIntervalSince1970 - 1_777_896_000 } == [0, 3, 4])
    #expect(found.locations.map(\.ellipsoidalAltitude) == [558, nil, 560])
    #expect(
      found.locations.map { $0.gnss?.mode } == [
        .threeDimensional, .twoDimensional, .threeDimensional,
      ])
    #expect(found.skipped.count == 2)
  }
}
