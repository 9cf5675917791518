package import AsyncLocation

/// Locations of a device in ascending order of time, packed to fill a page of a database.
package struct PackedChunk: Sendable {
  /// The number of unpacked locations of a device from which on they are packed.
  package static var length: Int { 384 }
  /// The number of bytes that fill a page, together with the other columns of the row. A PostgreSQL
  /// page of 8,192 bytes has two rows, a SQLite page of 4,096 bytes one (SQLite's file format,
  /// section 1.6).
  private static var pageBytes: Int { 3_950 }
  /// The maximum number of locations in an attempt to fill a page: this many locations never fit in
  /// a page, whatever their values are.
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

  /// The minimum and maximum latitude and longitude, in degrees.
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

  /// Packs a prefix of the locations that fits in a page: approximately the longest one, and at
  /// least one location.
  package static func first(of locations: ArraySlice<Location>) throws -> Self {
    var count = min(locations.count, longestAttempt)
    while true {
      let chunk = try Self(Array(locations.prefix(count)))
      guard chunk.bytes.count > pageBytes, count > 1 else { return chunk }
      count = max(1, min(count - 1, count * pageBytes / chunk.bytes.count))
    }
  }

  /// Packs all locations, in as many chunks as they need.
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
