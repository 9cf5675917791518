import AsyncLocation
import FoundationEssentials
import TestSupport
import Testing

@testable import LocationRecording

/// The files of flight recorders.
@Suite(.inTurn) struct IGCTests {
  static let head = """
    AXXXABC FLIGHT:1\r
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
    #expect(recording.format == .igc && recording.pointKind == .track)
    #expect(recording.omitted.routePointCount == 1)
    #expect(recording.skipped.count == 0)
    let (first, second) = (recording.locations[0], recording.locations[1])
    // 52° 06.343′ N, 0° 06.198′ W.
    #expect(abs(first.coordinate.latitude - (52 + 6.343 / 60)) < 1e-9)
    #expect(abs(first.coordinate.longitude + 6.198 / 60) < 1e-9)
    #expect(first.timestamp.timeIntervalSince1970 == 1_777_896_000)
    #expect(first.ellipsoidalAltitude == 558 && first.altitude == nil)
    #expect(first.horizontalAccuracy == 5 && first.gnss?.satellitesUsed == 8)
    #expect(first.speed == 20)
    #expect(second.coordinate.latitude < 0 && second.coordinate.longitude > 10)
    #expect(second.ellipsoidalAltitude == nil && second.gnss?.mode == .twoDimensional)
  }

  @Test func goesOnAfterMidnight() throws {
    let text =
      Self.head.replacing("HFDTE040526", with: "HFDTEDATE:040526,01")
      + "HFALGALTGPS:GEO\r\nB2359595206343N00006198WA0058700558\r\n"
      + "B0000015206343N00006198WA0058700559\r\n"
    let locations = try recording(text).locations
    #expect(locations[1].timestamp.timeIntervalSince(locations[0].timestamp) == 2)
    #expect(locations.map(\.altitude) == [558, 559])
  }

  /// More digits of a position, and of a second.
  @Test func fieldsAddDigits() throws {
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
  func whatIsWrongIsSkipped(_ line: String) throws {
    let recording = try recording(
      Self.head + line + "\r\nB1200015206343N00006198WA0058700558\r\n")
    #expect(recording.locations.count == 1)
    #expect(recording.skipped.count == 1)
  }
}
