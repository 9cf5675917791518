import AsyncLocation
import SampleDrive
import TestSupport
import Testing

@testable import sample_drive

@Suite(.inTurn) struct ArgumentsTests {
  static let accepted: [(String, Arguments)] = [
    ("--help", .help),
    ("serve --rate nonsense -h", .help),
    ("nmea", .nmea(seed: Drive.standardSeed)),
    ("nmea --seed 7", .nmea(seed: 7)),
    ("serve", .serve(.init())),
    (
      "serve --host 0.0.0.0 --port 5000 --rate 2.5 --loop --seed 1",
      .serve(.init(host: "0.0.0.0", port: 5000, rate: 2.5, loops: true, seed: 1))
    ),
    // The last of several options counts.
    ("serve --loop --once", .serve(.init())),
  ]

  @Test(arguments: accepted)
  func reads(_ line: String, _ expected: Arguments) throws {
    #expect(try Arguments(line.split(separator: " ").map(String.init)) == expected)
  }

  @Test(arguments: [
    ("", "expected nmea or serve"), ("drive", "'drive'"), ("nmea --rate 2", "'--rate'"),
    ("serve --rate", "--rate takes"), ("serve --rate 0", "--rate takes"),
    ("serve --rate nan", "--rate takes"), ("serve --rate -1", "--rate takes"),
    ("serve --port 65536", "--port takes"), ("serve --seed x", "--seed takes"),
    ("serve now", "'now'"),
  ])
  func refuses(_ line: String, _ reason: String) {
    let error = #expect(throws: LocationError.self) {
      try Arguments(line.split(separator: " ").map(String.init))
    }
    #expect(error?.message.contains(reason) == true)
  }
}
