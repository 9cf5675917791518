import FoundationEssentials
import MockBackend
import TestSupport
import Testing

@testable import LocationRecording

/// Time zone files that are built byte by byte, including damaged ones.
@Suite(.inTurn) struct LocalTimeFileTests {
  private typealias LocalTime = TZifBytes.LocalTime

  private static let types = [
    LocalTime(offset: 600, abbreviation: "LMT"), LocalTime(offset: 3600, abbreviation: "AAA"),
    LocalTime(offset: -7200, abbreviation: "-02"),
  ]

  private func zone(_ bytes: [UInt8]) throws -> LocalTimeZone {
    try LocalTimeZone(identifier: "Test/Zone", contents: bytes)
  }

  private func error(_ bytes: [UInt8]) -> RecordingError? {
    #expect(throws: RecordingError.self) { try zone(bytes) }
  }

  /// The offsets in seconds and the abbreviations at times.
  private func localTimes(_ zone: LocalTimeZone, _ times: [Double]) -> [String] {
    times.map { time in
      let date = Date(timeIntervalSince1970: time)
      return "\(zone.offset(at: date).components.seconds) \(zone.abbreviation(at: date))"
    }
  }

  @Test func readsVersion1() throws {
    let data = TZifBytes.Data(
      transitions: [(-1000, 1), (2000, 2)], types: Self.types, standardFlags: [0, 1, 0],
      universalFlags: [0, 0, 0])
    let zone = try zone(TZifBytes.version1(data))
    #expect(
      localTimes(zone, [-1e12, -1001, -1000, 1999, 1999.999_999, 2000, 1e12])
        == ["600 LMT", "600 LMT", "3600 AAA", "3600 AAA", "3600 AAA", "-7200 -02", "-7200 -02"])
    #expect(zone.identifier == "Test/Zone")
    #expect("\(zone)" == "Test/Zone")
  }

  /// Version 2 has its own data, with times beyond 32 bits; the data for version 1 is skipped.
  @Test(arguments: ["2", "3", "4"] as [Unicode.Scalar]) func readsLaterVersions(
    _ version: Unicode.Scalar
  ) throws {
    var file = TZifBytes(version: UInt8(ascii: version))
    file.oldData.transitions = [(0, 0)]
    file.data = .init(transitions: [(-1 << 40, 1), (1 << 40, 2)], types: Self.types)
    let zone = try zone(file.bytes)
    let edge = Double(1 << 40)
    #expect(
      localTimes(zone, [-edge - 1, -edge, edge - 1, edge, edge * 2])
        == ["600 LMT", "3600 AAA", "3600 AAA", "-7200 -02", "-7200 -02"])
  }

  /// Without transitions and without a rule, the first local time is always in force.
  @Test func readsOneLocalTime() throws {
    var file = TZifBytes()
    file.data.types = [Self.types[1]]
    #expect(
      localTimes(try zone(file.bytes), [-1e12, 0, 1e12]) == ["3600 AAA", "3600 AAA", "3600 AAA"])
  }

  /// Without transitions, the rule of the footer applies to all times.
  @Test func aRuleWithoutTransitionsIsRead() throws {
    var file = TZifBytes()
    file.data.types = [Self.types[0]]
    file.footer = "\n<-02>2<-01>,M3.5.0/-1,M10.5.0/0\n"
    #expect(
      localTimes(
        try zone(file.bytes), [-5_349_024_000, 2_216_249_999, 2_216_250_000, 2_234_998_800])
        == ["-3600 -01", "-7200 -02", "-3600 -01", "-7200 -02"])
  }

  /// The rule begins after the last transition, at which the data determines the local time.
  @Test func followsTheRuleAfterTheLastTransition() throws {
    var file = TZifBytes()
    file.data = .init(transitions: [(1000, 1)], types: Self.types)
    file.footer = "\nBBB-5\n"
    #expect(
      localTimes(try zone(file.bytes), [999, 1000, 1000.5, 1001])
        == ["600 LMT", "3600 AAA", "3600 AAA", "18000 BBB"])
  }

  /// The times in the files of the zones `right/…` include the leap seconds since 1972.
  @Test func convertsTimesWithLeapSeconds() throws {
    var file = TZifBytes()
    file.data = .init(
      transitions: [(50, 1), (102, 2), (1003, 1), (2001, 2)], types: Self.types,
      leapSeconds: [(100, 1), (1000, 2), (2000, 1)])
    #expect(
      try zone(file.bytes).schedule.transitions.map(\.time) == [50, 101, 1001, 2000])
  }

  /// A transition beyond the limits of a number is refused; one at the limits is not.
  @Test func readsTheLimitsOfTimes() throws {
    var file = TZifBytes()
    file.data = .init(transitions: [(.min, 1), (.max, 2)], types: Self.types)
    #expect(localTimes(try zone(file.bytes), [-.infinity, .nan, .infinity]).count == 3)
    file.data.leapSeconds = [(.min, 1)]
    #expect(error(file.bytes)?.code == .malformed)
  }

  struct Damage: CustomTestStringConvertible, Sendable {
    /// Also a part of the expected message.
    let testDescription: String
    let change: @Sendable (inout TZifBytes) -> Void
  }

  private static let damages = [
    Damage(testDescription: "its version is none of 1 to 4") { $0.version = UInt8(ascii: "5") },
    Damage(testDescription: "it has no local time") { $0.data = .init() },
    Damage(testDescription: "its transitions are not in order") {
      $0.data.transitions.swapAt(0, 1)
    },
    Damage(testDescription: "its transitions are not in order") {
      $0.data.transitions[1] = $0.data.transitions[0]
    },
    Damage(testDescription: "a transition names a local time that it does not have") {
      $0.data.transitions[1].type = 3
    },
    Damage(testDescription: "the offset or the abbreviation of a local time is not a valid one") {
      $0.data.types[2].offset = -90_000
    },
    Damage(testDescription: "the offset or the abbreviation of a local time is not a valid one") {
      $0.data.types[2].offset = 93_600
    },
    Damage(testDescription: "the offset or the abbreviation of a local time is not a valid one") {
      $0.data.types[2].offset = .min
    },
    Damage(testDescription: "the offset or the abbreviation of a local time is not a valid one") {
      $0.data.types[1].abbreviation = "<b>"
    },
    Damage(testDescription: "the offset or the abbreviation of a local time is not a valid one") {
      $0.data.types[1].abbreviation = ""
    },
    Damage(testDescription: "the offset or the abbreviation of a local time is not a valid one") {
      $0.data.types[1].abbreviation = String(repeating: "A", count: 33)
    },
    Damage(testDescription: "the offset or the abbreviation of a local time is not a valid one") {
      $0.data.abbreviationIndex = 200
    },
    Damage(testDescription: "the offset or the abbreviation of a local time is not a valid one") {
      $0.data.characters = [65, 65, 65]
      $0.data.abbreviationIndex = 13
    },
    Damage(testDescription: "its leap seconds are not in order") {
      $0.data.leapSeconds = [(5, 1), (5, 2)]
    },
    Damage(testDescription: "its footer is missing or cut") { $0.footer = "" },
    Damage(testDescription: "its footer is missing or cut") { $0.footer = "\nCET-1" },
    Damage(testDescription: "its footer is missing or cut") { $0.footer = "CET-1\n" },
    Damage(testDescription: "the rule in its footer is not one of POSIX") {
      $0.footer = "\nnonsense\n"
    },
    Damage(testDescription: "the rule in its footer is not one of POSIX") {
      $0.footer = "\n" + String(repeating: "9", count: 60_000) + "\n"
    },
    Damage(testDescription: "it ends too early") {
      $0.data.counts = [UInt32](repeating: .max, count: 6)
    },
    Damage(testDescription: "it ends too early") {
      $0.oldData.counts = [UInt32](repeating: .max, count: 6)
    },
    Damage(testDescription: "it ends too early") { $0.data.counts = [0, 0, .max, 0, 1, 4] },
    Damage(testDescription: "it has no header of TZif") {
      $0.oldData.counts = [0, 0, 0, 0, 0, 0]
    },
  ]

  @Test(arguments: damages) func damagedFilesAreRefused(_ damage: Damage) throws {
    var file = TZifBytes.full
    _ = try zone(file.bytes)
    damage.change(&file)
    let error = self.error(file.bytes)
    #expect(error?.code == .malformed)
    #expect(error?.message.contains(damage.testDescription) == true, "\(error as Any)")
    #expect(error?.message.hasPrefix("the data of the time zone \"Test/Zone\" ") == true)
  }

  @Test func refusesOversizedFiles() throws {
    let bytes = TZifBytes.full.bytes
    let padding = [UInt8](repeating: 0, count: TZifReader.maximumSize - bytes.count)
    _ = try zone(bytes + padding)
    #expect(error(bytes + padding + [0])?.code == .tooLarge)
  }

  @Test(.longWork) func everyPrefixOfAFileIsRefused() {
    for bytes in [TZifBytes.full.bytes, TZifBytes.version1(TZifBytes.full.oldData)] {
      for count in bytes.indices { #expect(error(Array(bytes[..<count]))?.code == .malformed) }
    }
  }

  /// Random bytes are an error, or a zone whose offsets are within the limits.
  @Test(.longWork) func survivesRandomBytes() {
    var random = SplitMix64(seed: 8536)
    let intact = TZifBytes.full.bytes
    var zoneCount = 0
    for round in 0..<1000 {
      var bytes = intact
      if round % 4 == 0 {
        for index in 5..<bytes.count { bytes[index] = .random(in: 0...255, using: &random) }
      } else {
        for _ in 0..<Int.random(in: 1...4, using: &random) {
          bytes[Int.random(in: bytes.indices, using: &random)] =
            .random(in: 0...255, using: &random)
        }
      }
      guard let zone = try? zone(bytes) else { continue }
      zoneCount += 1
      for time in [-1e30, -1e9, 0, 1.8e9, 4e9, 1e14, .infinity, .nan] {
        let date = Date(timeIntervalSince1970: time)
        #expect(abs(zone.offset(at: date).components.seconds) < 26 * 3600)
        #expect((1...32).contains(zone.abbreviation(at: date).utf8.count))
      }
    }
    #expect((100...900).contains(zoneCount))
  }

  @Test(.longWork) func readsTheLargestFiles() throws {
    let local = LocalTime(offset: 0, abbreviation: String(repeating: "A", count: 32))
    var data = TZifBytes.Data(types: [local])
    data.transitions = (0..<13_000).map { (Int64($0) * 1000, 0) }
    #expect(try zone(TZifBytes.version1(data)).schedule.transitions.count == 13_000)
    let other = LocalTime(offset: 0, abbreviation: "")
    data = .init(types: [local] + [LocalTime](repeating: other, count: 9000))
    data.abbreviationIndex = 0
    #expect(try zone(TZifBytes.version1(data)).schedule.first.abbreviation == local.abbreviation)
  }
}
