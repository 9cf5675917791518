import AsyncLocation
import Foundation
import MockBackend
import Testing

@testable import LocationStorage

/// A folder with the file of a geocoding cache, which runs of a program open one after the other.
struct CacheFolder {
  /// The time of the first run.
  static let start = Date(timeIntervalSince1970: 1_800_000_000)

  let folder: StorageFolder
  var path: String { folder("places.sqlite") }

  init() throws { folder = try StorageFolder(isInMemory: true) }

  /// Opens the cache for a run.
  ///
  /// - Parameters:
  ///   - seconds: The time of the system's clock, in seconds after ``start``.
  ///   - clock: The clock that measures ages.
  func open(
    _ server: any Geocoder = MockGeocoder.failing { Issue.record("\($0)") },
    at seconds: Double = 0, limit: Int = 1_000, clock: any Clock<Duration> = ManualClock()
  ) async throws -> CachingGeocoder {
    try await CachingGeocoder(
      server, storage: SQLiteGeocodingStorage(file: path), configuration: .init(limit: limit),
      clock: clock, date: { Self.start + seconds })
  }
}

/// A geocoder that finds a place of the requested name, or at the requested point.
func server() -> MockGeocoder {
  MockGeocoder { request in
    switch request {
    case .reverseGeocode(let point, _): .placemarks(place("At a point", point))
    case .geocode(let name, let near, _):
      .placemarks(place(name, near ?? point(47.14, 9.52)))
    }
  }
}

func place(_ name: String, _ point: Coordinate) -> Placemark {
  var place = Placemark(coordinate: point)
  (place.name, place.source, place.attribution) = (name, "Test", "© Test contributors, ODbL")
  return place
}

func point(_ latitude: Double, _ longitude: Double) -> Coordinate {
  guard let point = try? Coordinate(latitude: latitude, longitude: longitude) else {
    preconditionFailure("\(latitude), \(longitude) is no coordinate.")
  }
  return point
}
