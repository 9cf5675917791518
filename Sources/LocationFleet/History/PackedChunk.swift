package import AsyncLocation

/// Locations of a device in ascending order of their times, packed so that they fill a page of a database.
package struct PackedChunk: Sendable {
  /// The number of locations of a device at which they are packed.
  package static var length: Int { 384 }
  /// The bytes that fill a page with the other columns of their row: two rows in PostgreSQL's 8,192 bytes,
  /// one in SQLite's 4,096 (its file format, section 1.6).
  private static var pageBytes: Int { 3_950 }
  /// The number of locations beyond which they do not fit in a page, whatever they are.
  private static var longestAttempt: Int { 4 * length }

  package let locations: [Location]
  package let bytes: [UInt8]

  /// - Parameter locations: At least one, at most ``PackedLocations/limit``.
  package init(_ locations: [Location]) throws {
    self.locations = locations
    bytes = try PackedLocations.pack(locations)
  }

  package var start: Double { locations[0].timestampSeconds }
  package var end: Double { locations[locations.count - 1].timestampSeconds }

  /// The least and the greatest latitude and longitude, in degrees.
  package var bounds: (south: Double, north: Double, west: Double, east: Double) {
    locations.dropFirst().reduce(
      into: (
        locations[0].latitude, locations[0].latitude, locations[0].longitude, locations[0].longitude
      )
    ) { bounds, location in
      bounds.0 = min(bounds.0, location.latitude)
      bounds.1 = max(bounds.1, location.latitude)
      bounds.2 = min(bounds.2, location.longitude)
      bounds.3 = max(bounds.3, location.longitude)
    }
  }

  /// The longest beginning of locations that fits in a page, about.
  package static func first(of locations: ArraySlice<Location>) throws -> Self {
    var count = min(locations.count, longestAttempt)
    while true {
      let chunk = try Self(Array(locations.prefix(count)))
      guard chunk.bytes.count > pageBytes, count > 1 else { return chunk }
      count = max(1, min(count - 1, count * pageBytes / chunk.bytes.count))
    }
  }

  /// All locations, in as many chunks as they need.
  package static func all(of locations: [Location]) throws -> [Self] {
    guard !locations.isEmpty else { return [] }
    if locations.count <= longestAttempt {
      let chunk = try Self(locations)
      if chunk.bytes.count <= pageBytes || locations.count == 1 { return [chunk] }
    }
    let middle = locations.count / 2
    return try all(of: Array(locations[..<middle])) + all(of: Array(locations[middle...]))
  }
}
