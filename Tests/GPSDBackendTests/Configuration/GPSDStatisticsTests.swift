import AsyncLocation
import Foundation
import TestSupport
import Testing

@testable import GPSDBackend

@Suite(.inTurn) struct GPSDStatisticsTests {
  static let time = Date(timeIntervalSinceReferenceDate: 799_556_521.25)

  @Test func statisticsRoundTrip() throws {
    var statistics = GPSDStatistics()
    statistics.phase = .waiting
    statistics.phaseDate = Self.time
    statistics.daemon = GPSDVersion(release: "3.22", protocolMajor: 3, protocolMinor: 14)
    statistics.preferredReceiver = "/dev/a"
    (statistics.receiverChanges, statistics.bytes, statistics.reports) = (1, 2, 3)
    (statistics.malformedLines, statistics.overlongLines) = (4, 5)
    (statistics.attempts, statistics.connections) = (6, 7)
    statistics.repeatedPositions = 10
    statistics.classes.positions = 8
    statistics.classes.others = 9
    statistics.lastError = LocationError(.connectionLost, "Gone.")
    let data = try JSONEncoder().encode(statistics)
    #expect(try JSONDecoder().decode(GPSDStatistics.self, from: data) == statistics)
    let object = try JSONSerialization.jsonObject(with: data) as? [String: Any]
    #expect(object?["phaseDate"] as? String == "2026-05-04T03:02:01.250Z")
    #expect(object?["malformedLines"] as? Int == 4)
    #expect((object?["classes"] as? [String: Any])?["others"] as? Int == 9)
    // An instant has no meaning in another process, so it is not encoded.
    statistics.phaseInstant = .now
    let decoded = try JSONDecoder().decode(
      GPSDStatistics.self, from: JSONEncoder().encode(statistics))
    #expect(decoded.phaseInstant == nil)
  }

  @Test func absentCountsAreZeroAndAnUnknownPhaseIsConnecting() throws {
    let text = #"{"phase":"warmingUp"}"#
    let statistics = try JSONDecoder().decode(GPSDStatistics.self, from: Data(text.utf8))
    var expected = GPSDStatistics()
    expected.phase = .connecting
    #expect(statistics == expected)
  }

  @Test func everyCountIsEncoded() {
    // A new property must be added to the members. All counts of `Classes` have eight bytes.
    let names = Set(GPSDStatistics().members.map(\.name))
    #expect(names.count == 15)
    #expect(
      MemoryLayout<GPSDStatistics.Classes>.size == GPSDStatistics.Classes().members.count * 8)
  }
}
