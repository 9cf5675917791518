import AsyncLocation
import Foundation
import NMEABackend
import TestSupport
import Testing

@Suite(.inTurn) struct NMEASourceTests {
  static let texts: [(text: String, source: NMEASource)] = [
    ("/dev/ttyUSB0", .serial(path: "/dev/ttyUSB0")),
    ("/dev/ttyUSB0@4800", .serial(path: "/dev/ttyUSB0", speed: 4800)),
    ("/dev/serial/by-path/x@y", .serial(path: "/dev/serial/by-path/x@y")),
    ("tcp://plotter:2000", .tcp(host: "plotter", port: 2000)),
    ("tcp://192.0.2.7:10110", .tcp(host: "192.0.2.7")),
    ("tcp://[2001:db8::7]:10110", .tcp(host: "2001:db8::7")),
    ("udp://:10110", .udp()),
    ("udp://127.0.0.1:2000", .udp(port: 2000, address: "127.0.0.1")),
    ("udp://[::1]:2000", .udp(port: 2000, address: "::1")),
    ("udp://[::ffff:127.0.0.1]:2000", .udp(port: 2000, address: "::ffff:127.0.0.1")),
  ]

  @Test(arguments: texts.indices) func isReadAndWritten(_ index: Int) throws {
    let (text, source) = Self.texts[index]
    #expect(try NMEASource(text) == source)
    #expect(source.description == text)
  }

  @Test(arguments: [
    ("tcp://plotter", NMEASource.tcp(host: "plotter")), ("tcp://[::1]", .tcp(host: "::1")),
    ("udp://", .udp()),
  ])
  func aPortMayBeLeftOut(_ text: String, _ source: NMEASource) throws {
    #expect(try NMEASource(text) == source)
  }

  @Test(arguments: [
    ("TCP://Plotter:2000", NMEASource.tcp(host: "Plotter", port: 2000)),
    ("Udp://:2000", .udp(port: 2000)),
  ])
  func aSchemeMayBeInCapitals(_ text: String, _ source: NMEASource) throws {
    #expect(try NMEASource(text) == source)
  }

  @Test(arguments: [
    "", "ttyUSB0", "http://host", "tcp://", "tcp://:10110", "tcp://host:", "tcp://host:0",
    "tcp://host:65536", "tcp://host:1a", "tcp://host:+1", "tcp://host/path", "tcp://[::1",
    "tcp://[]:1",
    "tcp://[::1]1", "tcp://a:99999999999999999999", "udp://boat.local:1", "udp://:0",
    "udp://localhost:10110", "udp://LOCALHOST", "udp://1.localhost:1", "udp://[::.localhost]:1",
    "/dev/ttyUSB0@1", "tcp://a\0b:1", "\u{1b}[31m",
  ])
  func otherTextIsRefused(_ text: String) {
    #expect {
      try NMEASource(text)
    } throws: { error in
      let error = error as? LocationError
      #expect(error?.message.contains("\u{1b}") == false)
      return error?.code == .invalidValue
    }
  }

  @Test func statisticsAreCodable() throws {
    var statistics = NMEAStatistics()
    statistics.phase = .connected
    statistics.speed = 38_400
    statistics.bytes = 7
    statistics.wrongChecksums = 2
    statistics.lastError = LocationError(.timedOut, "late")
    let data = try JSONEncoder().encode(statistics)
    #expect(try JSONDecoder().decode(NMEAStatistics.self, from: data) == statistics)
    let least = try JSONDecoder().decode(
      NMEAStatistics.self, from: Data(#"{"phase":"connected"}"#.utf8))
    #expect(least.bytes == 0)
    #expect(least.speed == nil)
    #expect("\(statistics)".contains("wrongChecksums: 2"))
  }

  @Test func aConfigurationIsDescribed() {
    let text = "\(NMEAConfiguration(source: .serial(path: "/dev/tty\u{1b}", speed: 4800)))"
    #expect(text.contains("4800"))
    #expect(!text.contains("\u{1b}"))
  }
}
