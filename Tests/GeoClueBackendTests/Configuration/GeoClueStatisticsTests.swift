import AsyncLocation
import Foundation
import GeoClueBackend
import TestSupport
import Testing

@Suite(.inTurn) struct GeoClueStatisticsTests {
  @Test func statisticsRoundTrip() throws {
    var statistics = GeoClueStatistics()
    (statistics.phase, statistics.phaseDate) = (.waiting, date(2026, 5, 4, 3, 2, 1.25))
    (statistics.attempts, statistics.connections, statistics.locations) = (1, 2, 3)
    (statistics.supersededLocations, statistics.vanishedLocations) = (4, 5)
    (statistics.malformedMessages, statistics.foreignSignals) = (6, 7)
    statistics.lastError = LocationError(.connectionLost, "Gone.")
    let data = try JSONEncoder().encode(statistics)
    #expect(try JSONDecoder().decode(GeoClueStatistics.self, from: data) == statistics)
    let object = try JSONSerialization.jsonObject(with: data) as? [String: Any]
    #expect(object?["phaseDate"] as? String == "2026-05-04T03:02:01.250Z")
    // A new property must be added to the table.
    #expect(object?.count == Mirror(reflecting: statistics).children.count)
  }

  @Test func absentCountsAreZeroAndAnUnknownPhaseIsConnecting() throws {
    let text = #"{"phase":"warmingUp","attempts":3}"#
    var expected = GeoClueStatistics()
    (expected.phase, expected.attempts) = (.connecting, 3)
    #expect(
      try JSONDecoder().decode(GeoClueStatistics.self, from: Data(text.utf8)) == expected)
  }
}
