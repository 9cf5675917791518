import AsyncLocation
import TestSupport
import Testing

@testable import LocationRecording

@Suite(.inTurn, .enabled(if: GroundFile.embedded != nil, "Built without borders."))
struct GroundFileTests {
  private static func tile(_ latitude: Double, _ longitude: Double) throws -> GroundTile {
    try #require(GroundFile.embedded).tile(
      row: min(Int((latitude + 90) / 5), 35), column: min(Int((longitude + 180) / 5), 71))
  }

  /// The winding number of rings around a point.
  private static func windingNumber(
    of rings: [[GroundTile.Point]], latitude: Double, longitude: Double
  ) -> Int {
    rings.reduce(0) { sum, ring in
      zip(ring, ring.dropFirst() + ring.prefix(1)).reduce(sum) { number, edge in
        let (start, end) = edge
        guard (start.latitude <= latitude) != (end.latitude <= latitude) else { return number }
        let part = (latitude - start.latitude) / (end.latitude - start.latitude)
        let crossing = start.longitude + part * (end.longitude - start.longitude)
        guard crossing > longitude else { return number }
        return number + (end.latitude > start.latitude ? 1 : -1)
      }
    }
  }

  @Test(
    arguments: [
      ("Munich", 48.137, 11.575, true), ("Paris", 48.86, 2.35, true), ("Sahara", 23, 5, true),
      ("Honshu", 36.2, 138.5, true), ("Tasmania", -42, 146.6, true), ("Siberia", 65, 100, true),
      ("Chukotka, beyond 180°", 66.5, -175, true), ("Viti Levu", -17.8, 178, true),
      ("the South Pole", -89.9, 0, true), ("Antarctica at 180°", -85, 179.9, true),
      ("an island in Lake Huron", 45.75, -82.2, true), ("a corner of tiles", 50, 10, true),
      ("the Atlantic", 30, -40, false), ("the North Pole", 89, 0, false),
      ("the North Sea", 56, 3, false), ("Lake Victoria", -1, 33, false),
      ("the Caspian Sea", 42, 50.5, false), ("Lake Geneva", 46.42, 6.6, false),
      ("Lake Superior", 47.7, -87.5, false), ("the Pacific at 180°", 20, 179.9, false),
    ] as [(String, Double, Double, Bool)])
  func knownPointsAreOnLandOrWater(
    name: String, latitude: Double, longitude: Double, isLand: Bool
  ) throws {
    let tile = try Self.tile(latitude, longitude)
    let number = Self.windingNumber(of: tile.areas, latitude: latitude, longitude: longitude)
    #expect((number != 0) == isLand, "\(name)")
  }

  @Test(arguments: [
    ("Munich", 48.137, 11.575), ("Quito", -0.2, -78.5), ("Nasinu", -18.07, 178.51),
    ("Reykjavík", 64.13, -21.9),
  ])
  func hasTheLargestPlaces(name: String, latitude: Double, longitude: Double) throws {
    let places = try Self.tile(latitude, longitude).places
    let place = try #require(places.first { $0.name == name })
    #expect(abs(place.point.latitude - latitude) < 0.05)
    #expect(abs(place.point.longitude - longitude) < 0.05)
    #expect(places.map(\.population) == places.map(\.population).sorted(by: >))
  }

  /// The border between Germany and Austria near Salzburg.
  @Test func hasBorders() throws {
    let points = try Self.tile(47.8, 12.95).borders.joined()
    #expect(points.contains { abs($0.latitude - 47.8) < 0.1 && abs($0.longitude - 12.95) < 0.1 })
  }

  /// Every tile is readable, and more than 98 % of the places of more than 100,000 people are on
  /// land.
  @Test(.longWork) func everyTileIsValid() throws {
    let file = try #require(GroundFile.embedded)
    var (placeCount, waterCount) = (0, 0)
    for row in 0..<GroundFile.rowCount {
      for column in 0..<GroundFile.columnCount {
        let tile = file.tile(row: row, column: column)
        let (south, west) = (Double(row * 5 - 90), Double(column * 5 - 180))
        #expect(tile.tolerance > 0)
        #expect(tile.tolerance < 2000)
        let (latitudes, longitudes) = (south - 0.02...south + 5.02, west - 0.02...west + 5.02)
        let areInside = (tile.areas + tile.borders).joined().allSatisfy { point in
          latitudes.contains(point.latitude) && longitudes.contains(point.longitude)
        }
        #expect(areInside, "row \(row), column \(column)")
        #expect(tile.areas.allSatisfy { $0.count > 2 })
        #expect(tile.borders.allSatisfy { $0.count > 1 })
        for place in tile.places where place.population > 100_000 {
          placeCount += 1
          let number = Self.windingNumber(
            of: tile.areas, latitude: place.point.latitude, longitude: place.point.longitude)
          if number == 0 { waterCount += 1 }
        }
      }
    }
    #expect(placeCount > 2000)
    #expect(waterCount * 50 < placeCount, "\(waterCount) of \(placeCount)")
  }

  @Test(
    arguments: [
      [], [0x90], [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], [1, 0xFF, 0xFF, 3, 0xFF, 1],
      [1, 0, 0, 9, 2, 4, 6, 200, 65],
    ] as [[UInt8]])
  func invalidBytesEndATile(_ bytes: [UInt8]) {
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
    defer { memory.deallocate() }
    memory.copyBytes(from: bytes)
    var cursor = GroundCursor(
      ConstantBytes(UnsafeRawBufferPointer(memory)), 0..<bytes.count, south: 0, west: 0)
    let tile = cursor.tile()
    #expect(tile.areas.count + tile.borders.count + tile.places.count <= 3 * bytes.count)
    #expect(
      GroundFile(ConstantBytes(UnsafeRawBufferPointer(memory))).tile(row: 0, column: 0)
        .places.isEmpty)
  }
}
