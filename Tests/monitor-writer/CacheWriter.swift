import AsyncLocation
import LocationStorage
import MockBackend

/// Fills the file of a geocoding cache, one answer after the other.
enum CacheWriter {
  /// Continues where the content ends, and prints the number of each answer that was stored.
  static func write(to file: String, count: Int) async throws {
    let server = MockGeocoder { request in
      guard case .geocode(let name, _, _) = request else { return .placemarks() }
      return .placemarks(place(name))
    }
    let cache = try await CachingGeocoder(server, storage: SQLiteGeocodingStorage(file: file))
    let done = cache.statistics.entries
    MonitorWriter.report("open \(done)")
    for number in done..<max(count, done) {
      _ = try await cache.geocode(name(number + 1))
      await cache.waitUntilStored()
      MonitorWriter.report("\(number + 1)")
    }
    await cache.close()
    MonitorWriter.report("closed")
  }

  static func name(_ number: Int) -> String { "place \(number)" }

  /// The placemark that the server finds for a name.
  static func place(_ name: String) -> Placemark {
    var place = Placemark(coordinate: .origin)
    place.name = name
    place.attribution = String(repeating: "© the people who \"mapped\" it. ", count: 20)
    return place
  }
}

extension Coordinate {
  fileprivate static var origin: Coordinate {
    guard let origin = try? Coordinate(latitude: 0, longitude: 0) else {
      preconditionFailure("Both numbers are in range.")
    }
    return origin
  }
}
