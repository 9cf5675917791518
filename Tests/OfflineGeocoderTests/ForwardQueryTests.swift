import AsyncLocation
import OfflineGeocoder
import TestSupport
import Testing

/// Most queries find the intended place first.
@Suite(.inTurn) struct ForwardQueryTests {
  struct Query: Sendable {
    let text: Substring
    let country: Substring
    let division: Substring
  }

  /// Reads lines such as "US Maine: Portland, ME; Portland Maine". A line continues if it is
  /// followed by an indented one.
  static func queries(_ lines: String) -> [Query] {
    var queries: [Query] = []
    for line in lines.replacing("\n  ", with: " ").split(separator: "\n") {
      let parts = line.split(separator: ": ", maxSplits: 1)
      let place = parts[0].split(separator: " ", maxSplits: 1)
      queries += parts[1].split(separator: "; ").map {
        Query(text: $0, country: place[0], division: place.count > 1 ? place[1] : "")
      }
    }
    return queries
  }

  @Test(
    .longWork,
    arguments: [
      (ForwardQueries.names, 340, 0.97), (ForwardQueries.qualified, 140, 0.99),
      (ForwardQueries.unpunctuated, 10, 1),
    ])
  func queriesFindTheirPlaces(
    _ lines: String, moreThan count: Int, share: Double
  ) async throws {
    let geocoder = OfflineGeocoder()
    let queries = Self.queries(lines)
    #expect(queries.count > count)
    var wrong: [String] = []
    for query in queries {
      let found = try? await geocoder.geocode(String(query.text)).first
      let isRight =
        found?.isoCountryCode == String(query.country)
        && (query.division.isEmpty || found?.administrativeArea == String(query.division))
      guard !isRight else { continue }
      let place = [found?.name, found?.administrativeArea, found?.isoCountryCode]
      wrong.append("\(query.text): \(place.compactMap(\.self))")
    }
    #expect(Double(wrong.count) <= (1 - share) * Double(queries.count), "\(wrong)")
  }
}
