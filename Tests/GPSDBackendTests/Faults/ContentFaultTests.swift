import AsyncLocation
import Foundation
import Glibc
import TestSupport
import Testing

@testable import GPSDBackend

/// Rows 6 to 11 and 17 to 20 of Documentation/Faults.md: contents of gpsd's reports, over a socket
/// and mostly through a manager.
@Suite(.serialized, .inTurn) struct ContentFaultTests {
  struct Script: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let lines: [String]
    /// The number of delivered locations.
    var delivered = 0
  }

  private static func tpv(_ members: String) -> String {
    #"{"class":"TPV","device":"/dev/ttyUSB0",\#(members)}"#
  }
  private static let place = #""lat":10,"lon":20"#

  static let scripts = [
    Script(
      testDescription: "F8: mode 0, 1 or none is no fix, whatever the other values",
      lines: [
        tpv(#""mode":0,"time":"2026-05-04T03:02:00.000Z",\#(place)"#),
        tpv(#""mode":1,"time":"2026-05-04T03:02:00.000Z",\#(place)"#),
        tpv(#""time":"2026-05-04T03:02:00.000Z",\#(place)"#), tpv(#""mode":1"#),
      ]),
    Script(
      testDescription: "F9: one coordinate alone is no fix",
      lines: [
        tpv(#""mode":3,"lon":20"#), tpv(#""mode":3,"lat":10"#),
        tpv(#""mode":3,"lat":null,"lon":20"#), tpv(#""mode":3,"lat":nan,"lon":20"#),
        tpv(#""mode":3,"lat":"10","lon":20"#), tpv(#""mode":3,"lat":1e999,"lon":20"#),
      ]),
    Script(
      testDescription: "F10: an invalid time is replaced by the host's",
      lines: [
        tpv(#""mode":3,\#(place)"#), tpv(#""mode":3,"time":"garbage",\#(place)"#),
        tpv(#""mode":3,"time":"2026-99-04T03:02:00.000Z",\#(place)"#),
        tpv(#""mode":3,"time":1e300,\#(place)"#), tpv(#""mode":3,"time":[],\#(place)"#),
      ], delivered: 5),
    Script(
      testDescription: "F11: time that jumps by a week counter, back or to a 61st second",
      lines: [
        tpv(#""mode":3,"time":"2026-05-04T03:02:00.000Z",\#(place)"#),
        tpv(#""mode":3,"time":"2006-09-18T03:02:00.000Z",\#(place)"#),
        tpv(#""mode":3,"time":"2045-12-18T03:02:00.000Z",\#(place)"#),
        tpv(#""mode":3,"time":"2026-05-04T03:02:60.000Z",\#(place)"#),
      ], delivered: 4),
    Script(
      testDescription: "F18: no out-of-range number becomes a position",
      lines: [
        tpv(#""mode":3,"lat":91,"lon":20"#), tpv(#""mode":3,"lat":10,"lon":-180.5"#),
        tpv(#""mode":1e14,\#(place)"#), tpv(#""mode":-5,\#(place)"#),
        tpv(#""mode":2.5,\#(place)"#), tpv(#""mode":3,"lat":-1e309,"lon":20"#),
      ]),
    Script(
      testDescription: "F19: null, unknown and nested values drop only their field",
      lines: [
        tpv(#""mode":3,\#(place),"speed":null,"track":[1,[2]],"x":{"class":"SKY","lat":99}"#),
        tpv(#""x":{"mode":1,"lat":0,"lon":0},"mode":3,\#(place),"altHAE":{"a":1},"eph":"3""#),
      ], delivered: 2),
    Script(
      testDescription: "F17: a line that is not text is skipped",
      lines: ["\"\\ud800\"", "\u{0}", "{\"class\":\"TPV\",\"device\":\"\u{0}\",\"mode\":3}"]),
  ]

  @Test(
    "F8 F9 F10 F11 F17 F18 F19: only fixes are delivered", arguments: scripts)
  func script(_ script: Script) async throws {
    let text = script.lines.map { $0 + "\r\n" }.joined()
    let server = FakeGPSD([
      .send(FakeGPSD.greeting + text + Self.tpv(#""mode":3,"lat":59,"lon":20"#) + "\r\n"), .hold,
    ])
    let manager = LocationManager(backend: GPSDBackend(.local(server.port)))
    var delivered = 0
    for try await location in manager.updates(UpdateOptions()) {
      if location.latitude == 59 { break }
      delivered += 1
      #expect(location.latitude == 10)
      #expect(location.longitude == 20)
      // Reports without a plausible time get the host's time.
      let hasHostTime = location.sourceInformation?.timeSource == .host
      let expected = hasHostTime ? Date() : Date(timeIntervalSince1970: 1_777_863_720)
      #expect(abs(location.timestamp.timeIntervalSince(expected)) < 86_400)
      #expect(location.speed == nil)
      #expect(location.course == nil)
    }
    #expect(delivered == script.delivered)
    await manager.shutdown()
  }

  @Test("F17: a line that is not UTF-8 is dropped and counted")
  func badText() async throws {
    let bad: [[UInt8]] = [
      [0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0],
    ]
    let lines = bad.flatMap { text -> [UInt8] in
      Array(#"{"class":"TPV","device":""#.utf8) + text
        + Array(#"","mode":3,"lat":1,"lon":2}"#.utf8) + [10]
    }
    let server = FakeGPSD([
      .send(FakeGPSD.greeting), .sendBytes(lines), .send(FakeGPSD.fix(1)), .hold,
    ])
    let backend = GPSDBackend(.local(server.port))
    let run = BackendRun(backend)
    #expect(await run.nextLocation()?.latitude == 60.25)
    await run.finish()
    #expect(backend.statistics.malformedLines == bad.count)
  }

  @Test("F20: deep and wide lines take at most ten milliseconds, and the next line is read")
  func deepAndWide() async throws {
    let keys = (0..<100_000).map { "\"k\($0)\":\($0)" }.joined(separator: ",")
    let lines = [
      "{\"class\":\"TPV\",\(keys),\"mode\":3,\"lat\":1,\"lon\":2}\n",
      "{\"class\":\"TPV\",\"x\":" + String(repeating: "[", count: 60_000) + "\n",
      "{\"class\":\"TPV\",\"x\":" + String(repeating: "{\"a\":", count: 12_000) + "\n",
    ]
    let server = FakeGPSD([
      .send(FakeGPSD.greeting + lines.joined() + FakeGPSD.fix(1)), .hold,
    ])
    let backend = GPSDBackend(.local(server.port))
    let run = BackendRun(backend)
    #expect(await run.nextLocation()?.latitude == 60.25)
    await run.finish()
    #expect(backend.statistics.overlongLines == 1)
    #expect(backend.statistics.malformedLines == 2)
    for line in lines.dropFirst() {
      var reader = ReportReader(maximumLineLength: 1 << 20)
      let cpuTimeBefore = FaultRun.cpuTime()
      reader.read(line.utf8.span) { _ in }
      FaultRun.expect(
        FaultRun.cpuTime() - cpuTimeBefore, atMost: .milliseconds(10), "F20 a deep line")
    }
  }

  @Test("F7: reports of several receivers are not mixed", arguments: [0, 1, 5, 64])
  func receivers(count: Int) async throws {
    let list = (0..<count).map { #"{"class":"DEVICE","path":"/dev/ttyUSB\#($0)"}"# }
    let devices = #"{"class":"DEVICES","devices":[\#(list.joined(separator: ","))]}"# + "\r\n"
    let epochs = (1...3).flatMap { second in (0..<count).map { FakeGPSD.fix(second, of: $0) } }
    let end = FakeGPSD.fix(59, of: 80)
    let server = FakeGPSD([
      .send(FakeGPSD.banner + devices + epochs.joined() + end), .hold,
    ])
    let run = BackendRun(GPSDBackend(.local(server.port)))
    var locationCounts: [String: Int] = [:]
    while let location = await run.nextLocation() {
      let device = try #require(location.sourceInformation?.device)
      #expect(device == "/dev/ttyUSB\(Int(location.latitude))")
      if device == "/dev/ttyUSB80" { break }
      locationCounts[device, default: 0] += 1
    }
    #expect(locationCounts.count == count)
    #expect(locationCounts.values.allSatisfy { $0 == 3 })
    await run.finish()
    let backend = GPSDBackend(.local(server.port))
    #expect(try await backend.devices().count == count)
  }

  @Test("F6: an unplugged receiver is detected in time, every time", .needsGPSD)
  func unplugged() async throws {
    let clock = FaultRun.clock
    for round in 0..<FaultRun.repetitions(full: 20) {
      let gpsd = try RealGPSD()
      var configuration = GPSDConfiguration.local(gpsd.port)
      configuration.fixTimeout = .milliseconds(300)
      configuration.silenceTimeout = .milliseconds(300)
      configuration.handshakeTimeout = .milliseconds(300)
      let run = BackendRun(GPSDBackend(configuration))
      #expect(await run.nextState(.connected) != nil)
      let line = try #require(SerialLine())
      #expect(try await gpsd.control("+", line.path).hasPrefix("OK"))
      let writer = line.talk(from: round * 1000)
      let fix = await run.first { event -> Location? in
        guard case .location(let location) = event,
          location.sourceInformation?.device == line.path
        else { return nil }
        return location
      }
      #expect(fix != nil)
      writer.stop()
      let unpluggedAt = clock.now
      line.pull()
      let loss = await run.first { event -> Bool? in
        switch event {
        case .unavailable: true
        case .connection(let state) where state.problem != nil: true
        default: nil
        }
      }
      #expect(loss == true)
      FaultRun.expect(
        clock.now - unpluggedAt, atMost: .milliseconds(600) + .seconds(1), "F6 unplugged noticed")
      await run.finish()
    }
  }
}
