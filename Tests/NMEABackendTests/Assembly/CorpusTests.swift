import AsyncLocation
import Foundation
import TestSupport
import Testing

@testable import NMEABackend

/// Compares locations from recordings of real receivers with gpsd 3.22's reports of the same bytes.
@Suite(.inTurn) struct CorpusTests {
  @Test(.longWork, .needsCorpus) func locationsMatchGPSD() throws {
    var (compared, recordings) = (0, 0)
    for (name, log, reports) in try Corpus.recordings() {
      var bench = ReaderBench()
      var locations: [Location] = []
      // As a port delivers them.
      for start in stride(from: 0, to: log.count, by: 64) {
        locations += bench.receive(Array(log[start..<min(start + 64, log.count)])).locations
      }
      locations += bench.endConnection().locations
      guard !locations.isEmpty else { continue }
      let positions = try Self.positions(reports)
      var times: Set<Date> = []
      var found = 0
      for location in locations where location.sourceInformation?.timeSource != .host {
        // Each instant once.
        #expect(times.insert(location.timestamp).inserted, "\(name): \(location)")
        guard let theirs = positions[Self.key(location.timestamp)] else { continue }
        found += 1
        // Both round to nine decimal places.
        #expect(
          theirs.contains {
            abs($0.latitude - location.latitude) <= 1.5e-9
              && abs($0.longitude - location.longitude) <= 1.5e-9
          }, "\(name): \(location), gpsd: \(theirs)")
      }
      compared += found
      if found > 0 { recordings += 1 }
      // A recording begins before its first date.
      #expect(found >= positions.count - 2, "\(name): \(found) of \(positions.count)")
    }
    #expect(compared > 400)
    #expect(recordings >= 12)
  }

  /// The milliseconds since the beginning of an era of 1,024 weeks. The era itself is left out,
  /// because gpsd moves old dates to a later one.
  private static func key(_ date: Date) -> Int {
    let era = 1024 * 7 * 86_400_000
    return Int((date.timeIntervalSince1970 * 1000).rounded()) % era
  }

  /// gpsd's positions by time.
  private static func positions(
    _ reports: [UInt8]
  ) throws -> [Int: [(latitude: Double, longitude: Double)]] {
    var positions: [Int: [(latitude: Double, longitude: Double)]] = [:]
    for line in reports.split(separator: 10) where line.first == UInt8(ascii: "{") {
      guard let report = try? JSONSerialization.jsonObject(with: Data(line)) as? [String: Any],
        report["class"] as? String == "TPV", let text = report["time"] as? String,
        let date = try? Date(
          text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true)),
        let latitude = report["lat"] as? Double, let longitude = report["lon"] as? Double
      else { continue }
      positions[key(date), default: []].append((latitude, longitude))
    }
    return positions
  }
}
