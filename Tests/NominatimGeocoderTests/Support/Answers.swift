import AsyncLocation
import Foundation
import MockBackend
import TestSupport

@testable import NominatimGeocoder

/// Answers of a correct server.
enum Answers {
  static let vaduz = #"""
    {"place_id":1,"licence":"Data © OpenStreetMap contributors, ODbL 1.0. http://osm.org/copyright",
    "osm_type":"relation","osm_id":1155956,"lat":"47.1392862","lon":"9.5227962",
    "category":"boundary","type":"administrative","place_rank":16,"importance":0.18,
    "addresstype":"town","name":"Vaduz","display_name":"Vaduz, Oberland, 9490, Liechtenstein",
    "address":{"town":"Vaduz","ISO3166-2-lvl8":"LI-11","county":"Oberland","postcode":"9490",
    "country":"Liechtenstein","country_code":"li"},"extratags":{"population":"5696"},
    "boundingbox":["47.0870567","47.1940393","9.4950763","9.6116778"]}
    """#
  static let nothing = #"{"error":"Unable to geocode"}"#

  static let point = Coordinate(checkedLatitude: 47.141, longitude: 9.521)
}

extension NominatimGeocoder {
  /// A geocoder for a test's server. Its clock stands still, so that only the server ends a
  /// request.
  convenience init(
    _ server: LocalServer, _ configuration: Configuration = Configuration(),
    clock: any Clock<Duration> = ManualClock()
  ) throws {
    try self.init(server: server.address, configuration: configuration, clock: clock)
  }
}

/// Sends a request and returns its error; nil if it succeeds.
func error(of geocoder: NominatimGeocoder) async -> (any Error)? {
  do {
    _ = try await geocoder.reverseGeocode(Answers.point)
    return nil
  } catch { return error }
}
