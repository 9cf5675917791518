import AsyncLocation
import FleetChecks
import Foundation
import LocationFleet
import MockBackend
import TestSupport
import Testing

@testable import PostgreSQLStorage

/// Compares a history with the same rows in a table, which SQL and PostGIS' `geography` functions
/// search.
@Suite(.needsDatabase, .enabled(if: RealDatabase.hasPostGIS, "PostGIS is not installed"), .inTurn)
struct HistoryJudgeTests {
  private static let devices = (0..<12).map { FleetDevice.ID("judge/\($0)")! }

  private static let count = 6_000

  @Test("a history answers as PostGIS does", .longWork)
  func areas() async throws {
    let connection = try await RealDatabase.shared().database()
    let (session, _) = try await PostgreSQLFleetStorage(connection).open()
    let locations = try Self.locations()
    try await Self.write(locations, connection)
    var random = SplitMix64(seed: 5)
    for batch in stride(from: 0, to: locations.count, by: 700) {
      let changes = locations[batch..<min(batch + 700, locations.count)].map {
        FleetStorageChange.location($0.0, $0.1, isLast: true)
      }
      try await session.commit(changes)
    }
    let history = FleetHistory(session)
    for area in try Self.areas() {
      var total = 0
      for _ in 0..<4 {
        let times = (0..<2).map { _ in Double(Int.random(in: 0...4_000, using: &random)) }.sorted()
        var found: [FleetDevice.ID: Int] = [:]
        let visits = history.devices(
          in: area.condition, from: Date(timeIntervalSinceReferenceDate: times[0]),
          to: Date(timeIntervalSinceReferenceDate: times[1]))
        for try await visit in visits { found[visit.device] = visit.count }
        total += found.values.reduce(0, +)
        let expectedCounts = try await Self.counts(
          in: area, from: times[0], to: times[1], connection)
        for device in Self.devices {
          let range = expectedCounts[device] ?? 0...0
          #expect(range.contains(found[device] ?? 0), "\(area.name), \(device), \(times)")
        }
      }
      #expect(total > 0, "\(area.name)")
    }
    for _ in 0..<200 {
      let device = Self.devices[Int.random(in: 0..<Self.devices.count, using: &random)]
      let time = Double(Int.random(in: -8...16_008, using: &random)) / 4
      let found = try await history.location(
        of: device, at: Date(timeIntervalSinceReferenceDate: time))
      #expect(
        try await found?.timestampSeconds == Self.lastTime(of: device, at: time, connection))
    }
    await session.close()
  }

  // MARK: Locations and areas

  /// Locations beside the antimeridian, around a pole and elsewhere, mostly in order for each
  /// device.
  private static func locations() throws -> [(FleetDevice.ID, Location)] {
    var random = SplitMix64(seed: 2)
    let places: [(Double, Double)] = [(47, 8), (0, 179.99), (89.9, 10), (-33, 151)]
    var locations = try (0..<count).map { index in
      let (latitude, longitude) = places[Int.random(in: 0..<places.count, using: &random)]
      let device = devices[index % devices.count]
      let east = longitude + .random(in: -0.1...0.1, using: &random)
      return (
        device,
        try Location(
          latitude: min(90, latitude + .random(in: -0.1...0.1, using: &random)),
          longitude: east > 180 ? east - 360 : east,
          timestamp: Date(timeIntervalSinceReferenceDate: Double(index) * 4_000 / Double(count)))
      )
    }
    // Swaps some locations, so that some arrive late.
    for _ in 0..<count / 10 {
      locations.swapAt(
        Int.random(in: 0..<locations.count, using: &random),
        Int.random(in: 0..<locations.count, using: &random))
    }
    return locations
  }

  private struct Area {
    let name: String
    let condition: Condition
    /// The area as well-known text, and the distance in metres within which a point belongs to it.
    let text: String
    let distance: Double
    /// The tolerance in metres at the boundary: PostGIS' edges are great circles, not geodesics.
    let tolerance: Double
  }

  private static func areas() throws -> [Area] {
    func point(_ latitude: Double, _ longitude: Double) throws -> Coordinate {
      try Coordinate(latitude: latitude, longitude: longitude)
    }
    var areas: [Area] = []
    for (latitude, longitude, radius) in [
      (47.0, 8.0, 3_000.0), (0, -179.999, 4_000), (0, 180, 9_000), (90, 0, 12_000),
      (-33, 151, 900),
    ] {
      areas.append(
        Area(
          name: "circle at \(latitude) \(longitude)",
          condition: try .circle(center: point(latitude, longitude), radius: radius),
          text: "POINT(\(longitude) \(latitude))", distance: radius, tolerance: 0.001))
    }
    areas.append(
      Area(
        name: "corridor",
        condition: try Condition(
          .corridor(
            Condition.Corridor(path: [point(46.95, 7.95), point(47.03, 8.06)], width: 2_000))),
        text: "LINESTRING(7.95 46.95, 8.06 47.03)", distance: 1_000, tolerance: 0.5))
    areas.append(
      Area(
        name: "polygon",
        condition: try Condition(
          .polygon(
            Condition.Polygon(
              exterior: [
                point(-33.05, 150.95), point(-33.05, 151.05), point(-32.96, 151.04),
                point(-32.96, 150.95),
              ],
              holes: [
                [
                  point(-33.02, 150.98), point(-33.02, 151.01), point(-32.99, 151.01),
                  point(-32.99, 150.98),
                ]
              ]))),
        text: """
          POLYGON((150.95 -33.05, 151.05 -33.05, 151.04 -32.96, 150.95 -32.96, 150.95 -33.05),
          (150.98 -33.02, 151.01 -33.02, 151.01 -32.99, 150.98 -32.99, 150.98 -33.02))
          """, distance: 0, tolerance: 0.5))
    return areas
  }

  // MARK: The judge

  private static func write(
    _ locations: [(FleetDevice.ID, Location)], _ connection: String
  ) async throws {
    try await onThread {
      let database = try Connection(connection, responseTimeout: .seconds(60))
      try database.script(
        """
        CREATE EXTENSION postgis;
        CREATE TABLE judged (device text, time double precision, place geography)
        """)
      var parameters = Parameters()
      parameters.add(locations.map(\.0.description))
      parameters.add(locations.map(\.1.timestampSeconds))
      parameters.add(locations.map(\.1.longitude))
      parameters.add(locations.map(\.1.latitude))
      try database.run(
        """
        INSERT INTO judged SELECT device, time, ST_MakePoint(longitude, latitude)::geography
        FROM unnest($1::text[], $2::float8[], $3::float8[], $4::float8[])
          AS row (device, time, longitude, latitude)
        """, parameters)
    }
  }

  /// The range of the number of locations in an area, by device: locations near the boundary may
  /// count or not.
  private static func counts(
    in area: Area, from start: Double, to end: Double, _ connection: String
  ) async throws -> [FleetDevice.ID: ClosedRange<Int>] {
    try await onThread {
      let database = try Connection(connection, responseTimeout: .seconds(60))
      var parameters = Parameters()
      parameters.add(area.text)
      parameters.add(area.distance)
      parameters.add(area.tolerance)
      parameters.add(start)
      parameters.add(end)
      // Points near the boundary of an area may be on either side.
      let edge = """
        CASE WHEN $2 > 0 THEN abs(ST_Distance(place, $1::text::geography) - $2)
          ELSE ST_Distance(place, ST_Boundary($1::text::geometry)::geography) END <= $3
        """
      var counts: [FleetDevice.ID: ClosedRange<Int>] = [:]
      try database.rows(
        """
        SELECT device,
          count(*) FILTER (WHERE ST_DWithin(place, $1::text::geography, $2) AND NOT \(edge)),
          count(*) FILTER (WHERE ST_DWithin(place, $1::text::geography, $2) OR \(edge))
        FROM judged WHERE time >= $4 AND time < $5 GROUP BY device
        """, parameters
      ) { (row) throws(PostgreSQLFailure) in
        let device = try row.deviceID()
        let least = Int(try row.integer())
        counts[device] = least...Int(try row.integer())
      }
      return counts
    }
  }

  /// The time of the last location up to a time; nil if there is none.
  private static func lastTime(
    of device: FleetDevice.ID, at time: Double, _ connection: String
  ) async throws -> Double? {
    try await onThread {
      let database = try Connection(connection, responseTimeout: .seconds(60))
      var parameters = Parameters()
      parameters.add(device.description)
      parameters.add(time)
      var last: Double?
      try database.rows(
        "SELECT max(time) FROM judged WHERE device = $1 AND time <= $2", parameters
      ) { (row) throws(PostgreSQLFailure) in last = row.skipNull() ? nil : try row.double() }
      return last
    }
  }
}
