import MockBackend
import TestSupport
import Testing

@testable import AsyncLocation

@Suite(.inTurn) struct GeocodingIndexTests {
  /// Points at poles and on the antimeridian, where differences of degrees do not reflect
  /// distances, and ordinary points.
  private static let centers = [
    at(90, 0), at(-90, 33), at(0, 180), at(60.5, -180), at(0, 0), at(47.1, 9.5), at(89.9999, 12),
  ]

  /// Agrees with a linear search through all points.
  @Test(.longWork, arguments: [0.0, 0.4, 11, 250, 100_000])
  func theNearestEntryIsFound(_ radius: Double) throws {
    var random = SplitMix64(seed: 16)
    let reach = max(radius * 3, 2)
    for center in Self.centers {
      var index = GeocodingIndex(radius: radius)
      var points: [(id: UInt64, point: Coordinate)] = []
      for id in 1...60 as ClosedRange<UInt64> {
        let point = try center.coordinate(
          atDistance: .random(in: 0...reach, using: &random),
          bearing: .random(in: 0...360, using: &random))
        points.append((id, point))
        index.insert(id, GeocodingQuery(name: nil, point: point, locale: nil))
      }
      for id in stride(from: 1, through: 60, by: 4) as StrideThrough<UInt64> {
        let point = points.first { $0.id == id }!.point
        index.remove(id, GeocodingQuery(name: nil, point: point, locale: nil))
        points.removeAll { $0.id == id }
      }
      for _ in 0..<200 {
        let query = try center.coordinate(
          atDistance: .random(in: 0...reach, using: &random),
          bearing: .random(in: 0...360, using: &random))
        let expected = points.map { ($0.id, $0.point.distance(to: query)) }
          .filter { $0.1 <= radius }.min { $0.1 < $1.1 }?.0
        let found = index.nearest(to: GeocodingQuery(name: nil, point: query, locale: nil))
        try #require(found == expected, "around \(center), \(radius) m")
      }
    }
  }

  @Test func entriesAcrossTheAntimeridianAreFound() {
    var index = GeocodingIndex(radius: 11)
    index.insert(1, GeocodingQuery(name: nil, point: at(10, 179.99999), locale: nil))
    index.insert(2, GeocodingQuery(name: nil, point: at(90, 5), locale: nil))
    #expect(
      index.nearest(to: GeocodingQuery(name: nil, point: at(10, -179.99999), locale: nil)) == 1)
    #expect(index.nearest(to: GeocodingQuery(name: nil, point: at(90, -170), locale: nil)) == 2)
    #expect(index.nearest(to: GeocodingQuery(name: nil, point: at(10, 179.9), locale: nil)) == nil)
  }

  @Test func entriesMatchByNameAndLocale() {
    var index = GeocodingIndex(radius: 11)
    let point = at(10, 20)
    index.insert(1, GeocodingQuery(name: "Paris", point: nil, locale: nil))
    index.insert(2, GeocodingQuery(name: "Paris", point: point, locale: nil))
    index.insert(3, GeocodingQuery(name: nil, point: point, locale: "de"))
    #expect(index.nearest(to: GeocodingQuery(name: "Paris", point: nil, locale: nil)) == 1)
    #expect(index.nearest(to: GeocodingQuery(name: "Paris", point: point, locale: nil)) == 2)
    #expect(index.nearest(to: GeocodingQuery(name: nil, point: point, locale: "de")) == 3)
    #expect(index.nearest(to: GeocodingQuery(name: nil, point: point, locale: nil)) == nil)
    #expect(index.nearest(to: GeocodingQuery(name: "paris", point: nil, locale: nil)) == nil)
  }
}

@Suite(.inTurn) struct RecencyListTests {
  /// Compares the list with an array of identifiers, the least recently used one first.
  @Test func agreesWithAnArray() {
    var random = SplitMix64(seed: 3)
    var list = RecencyList<Int>()
    var model: [Int] = []
    for _ in 0..<5_000 {
      let id = Int.random(in: 0..<20, using: &random)
      model.removeAll { $0 == id }
      if Bool.random(using: &random) {
        list.use(id)
        model.append(id)
      } else {
        list.remove(id)
      }
      #expect(list.oldest == model.first)
      #expect(list.count == model.count)
    }
    while let oldest = list.oldest {
      #expect(oldest == model.removeFirst())
      list.remove(oldest)
    }
    #expect(model.isEmpty)
  }
}
