import AsyncLocation
import TestSupport
import Testing

@testable import async_location_example

@Suite(.inTurn) struct WatchTableTests {
  @Test func theTableShowsEveryValue() throws {
    #expect(
      try text(Self.full(satellites: 4)) == """
        gpsd localhost:2947  ● connected

        Position    48.1371540° N   11.5761240° E                 ± 2.4 m
                    48°08′13.75″ N   11°34′34.05″ E
        Altitude    519.4 m above sea   565.8 m above ellipsoid   ± 4.1 m
        Speed       13.9 m/s   50.0 km/h   27.0 kn                ± 0.40 m/s
        Course      87.3° E                                       ± 1.2°
        Climb       -0.25 m/s
        Fix         3D differential   9 of 14 satellites used   HDOP 0.9   VDOP 1.4
        Time        2026-05-04T03:02:01.250Z   2.0 s ago   number 1
        Receiver    /dev/ttyACM0   u-blox   ZED-F9P

        Satellites  2 used, 4 in view
                                 dB  elev  azim                          dB  elev  azim
        ✓ GPS       4 █░░░░░░░░░  4   4°   28°    BeiDou    3 █░░░░░░░░░  3   3°   21°
        ✓ Galileo   2 ░░░░░░░░░░  2   2°   14°    GLONASS   1 ░░░░░░░░░░  1   1°    7°
        """)
  }

  @Test(.longWork) func fitsEveryWindow() throws {
    for satellites in [0, 1, 7, 40, 140] {
      let state = try Self.full(satellites: satellites)
      for height in [1, 2, 3, 5, 9, 14, 24, 40, 60] {
        for width in [1, 2, 10, 37, 40, 79, 80, 81, 120, 250] {
          let lines = WatchTable(width: width, height: height).lines(state, now: .seconds(3))
          #expect(lines.count <= max(1, height - 1), "\(width)x\(height)")
          #expect(lines.allSatisfy { $0.columns < max(1, width) || $0.columns == 0 }, "\(width)")
        }
      }
    }
  }

  @Test func keepsThePositionInASmallWindow() throws {
    let state = try Self.full(satellites: 4)
    let lines = WatchTable(width: 80, height: 3).lines(state, now: .zero).map {
      $0.text(color: false)
    }
    #expect(lines.count == 2)
    #expect(lines.last?.hasPrefix("Position") == true)
  }

  @Test func showsTheProblem() throws {
    var state = WatchState(source: "gpsd localhost:2947")
    state.record(
      ConnectionState(
        .waiting, attempts: 3, retryDelay: .seconds(8), problem: Samples.refused), at: .zero)
    state.record(LocationUpdate(diagnostics: .locationUnavailable))
    #expect(
      text(state, now: .seconds(3)) == """
        gpsd localhost:2947  not connected, attempt 4 in 5.0 s
        gpsd at localhost:2947 cannot be reached. Cause: Connection refused.

        """)
    #expect(text(state, now: .seconds(9)).contains("attempt 4 now"))
    state.record(Samples.connected, at: .seconds(9))
    #expect(text(state, now: .seconds(9)).contains("The receiver has no fix at the moment."))
  }

  @Test func colorsAgesAsTheyGrow() throws {
    let state = try Self.full(satellites: 0)
    func role(_ seconds: Int) -> StyledLine.Role? {
      WatchTable().lines(state, now: .seconds(seconds)).flatMap(\.pieces)
        .first { $0.text.hasSuffix(" ago") }?.role
    }
    #expect(role(2) == .plain)
    #expect(role(10) == .warning)
    #expect(role(60) == .bad)
  }

  @Test("F41 escapes text of receivers and servers")
  func escapesTextOfReceiversAndServers() throws {
    let hostile = "\u{1B}[2J\u{202E}\r\n"
    var state = WatchState(source: hostile)
    state.record(
      ConnectionState(
        .connected, endpoint: hostile, problem: LocationError(.unsupported, hostile),
        receivers: [Receiver(name: hostile, driver: hostile, model: hostile)]), at: .zero)
    state.record(try Samples.location(device: hostile), at: .zero)
    for line in WatchTable(width: 300).lines(state, now: .zero) {
      let text = line.text(color: false)
      #expect(text == Escaping.escape(text))
    }
    #expect(self.text(state).contains("\\u001b[2J\\u202e\\u000d\\u000a"))
  }

  @Test func hidesSatellitesOfOtherReceivers() throws {
    var state = try Self.full(satellites: 4)
    state.record(try Samples.sky(3, device: "/dev/ttyS1"))
    #expect(state.sky?.satellites.count == 4)
    state.record(try Samples.location(device: "/dev/ttyS1"), at: .zero)
    #expect(state.sky == nil)
  }

  @Test func satellitesAreSortedByUseAndSignal() throws {
    let sorted = SkyTable.sorted(try Samples.sky(6).satellites)
    #expect(sorted.map(\.prn) == [6, 4, 2, 5, 3, 1])
  }

  @Test(arguments: [(0, 0), (2.4, 0), (2.5, 1), (25, 5), (47, 9), (50, 10), (99, 10)])
  func drawsBars(strength: Double, filled: Int) {
    #expect(SkyTable.bar(strength) == filled)
  }

  @Test func drawsInASCIIWithoutUTF8() throws {
    let lines = WatchTable(glyphs: .ascii).lines(try Self.full(satellites: 8), now: .zero)
    #expect(lines.allSatisfy { $0.text(color: false).utf8.allSatisfy { $0 < 0x80 } })
  }

  private static func full(satellites: Int) throws -> WatchState {
    var state = WatchState(source: "gpsd localhost:2947")
    state.record(Samples.connected, at: .zero)
    state.record(try Samples.location(), at: .zero)
    state.record(try Samples.sky(satellites))
    return state
  }

  private func text(_ state: WatchState, now: Duration = .seconds(2)) -> String {
    WatchTable(width: 100, height: 40).lines(state, now: now).map { $0.text(color: false) }
      .joined(separator: "\n")
  }
}

@Suite(.inTurn) struct PainterTests {
  @Test func aFrameIsPaintedOverThePreviousFrame() {
    var painter = Painter(color: false)
    let lines = [StyledLine("one"), StyledLine("two", .bad)]
    #expect(
      painter.paint(lines, width: 80, height: 24)
        == "\u{1B}[?25l\rone\u{1B}[K\r\ntwo\u{1B}[J")
    #expect(painter.paint(lines, width: 80, height: 24) == "\r\u{1B}[1Aone\u{1B}[K\r\ntwo\u{1B}[J")
    #expect(painter.leave() == "\r\n\u{1B}[?25h")
    #expect(painter.leave().isEmpty)
  }

  @Test func aNarrowerWindowIsPaintedFromTheFirstRow() {
    var painter = Painter(color: false)
    let lines = [StyledLine(String(repeating: "x", count: 70)), StyledLine(), StyledLine("end")]
    _ = painter.paint(lines, width: 80, height: 24)
    // 70 columns wrap into three rows of 30: five rows in all.
    #expect(painter.paint(lines, width: 30, height: 24).hasPrefix("\r\u{1B}[4A"))
  }

  @Test func redrawsAfterASuspension() {
    var painter = Painter(color: false)
    _ = painter.paint([StyledLine("a"), StyledLine("b")], width: 80, height: 24)
    painter.forget()
    #expect(painter.paint([StyledLine("a")], width: 80, height: 24) == "\u{1B}[?25l\ra\u{1B}[J")
  }

  @Test func styledLinesHaveColorsOnRequest() {
    #expect(StyledLine("x", .bad).text(color: true) == "\u{1B}[31mx\u{1B}[0m")
    #expect(StyledLine("x", .plain).text(color: true) == "x")
  }

  @Test func cutsLines() {
    var line = StyledLine("abc")
    line.append("def", .bad)
    #expect(line.cut(to: 6, ellipsis: "…") == line)
    #expect(line.cut(to: 5, ellipsis: "…").text(color: false) == "abcd…")
    #expect(line.cut(to: 0, ellipsis: "…").text(color: false) == "")
  }
}
