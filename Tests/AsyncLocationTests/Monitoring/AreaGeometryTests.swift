import Foundation
import MockBackend
import TestSupport
import Testing

@testable import AsyncLocation

/// Compares areas with slower computations on the ellipsoid.
@Suite(.inTurn) struct AreaGeometryTests {
  /// The winding number: the sum of the differences between the azimuths of successive vertices,
  /// divided by 360°.
  private func windingNumber(of ring: [Coordinate], around point: Coordinate) -> Int {
    let azimuths = ring.map { InverseGeodesic.solve(from: point, to: $0).azimuth }
    let sum = azimuths.indices.reduce(0) {
      $0 + (azimuths[($1 + 1) % azimuths.count] - azimuths[$1]).degrees
    }
    return Int((sum / 360).rounded())
  }

  private func coordinate(_ random: inout SplitMix64) -> Coordinate {
    let north = Double.random(in: -1...1, using: &random)
    return Coordinate(
      checkedLatitude: Angle(y: north, x: (1 - north * north).squareRoot()).degrees,
      longitude: .random(in: -180...180, using: &random))
  }

  private func point(
    _ distance: Double, _ bearing: Double, from start: Coordinate
  ) -> Coordinate {
    try! start.coordinate(atDistance: distance, bearing: bearing)
  }

  /// A ring of 3 to 40 vertices, each at 0.2 to 1 times the size (in metres) from the centre.
  private func ring(
    around center: Coordinate, size: Double, _ random: inout SplitMix64
  ) -> [Coordinate] {
    let count = Int.random(in: 3...40, using: &random)
    return (0..<count).map { index in
      point(
        size * Double.random(in: 0.2...1, using: &random), 360 / Double(count) * Double(index),
        from: center)
    }
  }

  @Test(.longWork) func polygonContainmentMatchesWindingNumber() throws {
    var random = SplitMix64(seed: 14)
    var inside = 0
    for _ in 0..<400 {
      let center = coordinate(&random)
      let size = exp(.random(in: 2.3...15.2, using: &random))
      let ring = ring(around: center, size: size, &random)
      let condition = try Condition.polygon(ring)
      let geometry = try #require(prepare(condition))
      for _ in 0..<10 {
        let point = point(
          .random(in: 0...1.5, using: &random) * size, .random(in: 0...360, using: &random),
          from: center)
        let isInside = windingNumber(of: ring, around: point) != 0
        inside += isInside ? 1 : 0
        #expect(
          (geometry.side(of: AreaPoint(point), margin: 0).side == .inside) == isInside,
          "\(point) \(ring)")
      }
    }
    #expect((500...3_500).contains(inside), "both sides are tested")
  }

  @Test(arguments: [1e3, 1e5, 1e6, 5e6])
  func pointsTwoMillimetresFromALongEdgeAreOnItsSide(length: Double) throws {
    var random = SplitMix64(seed: UInt64(length))
    for _ in 0..<100 {
      let start = coordinate(&random)
      let bearing = Double.random(in: 0...360, using: &random)
      let end = point(length, bearing, from: start)
      let apex = point(length / 2, bearing + 60, from: start)
      let geometry = try #require(prepare(try .polygon([start, end, apex])))
      let along = length * .random(in: 0.05...0.95, using: &random)
      let foot = DirectGeodesic.end(
        from: start, azimuth: Angle(degrees: bearing), distance: along)
      let base = Coordinate(checkedLatitude: foot.latitude, longitude: foot.longitude)
      for (turn, side) in [(90.0, AreaSide.inside), (-90, .outside)] {
        let point = point(0.002, foot.azimuth.degrees + turn, from: base)
        #expect(
          geometry.side(of: AreaPoint(point), margin: 0.001) == (side, true),
          "\(start) \(bearing) \(along)")
        #expect(geometry.side(of: AreaPoint(point), margin: 0.003) == (side, false))
        if side == .inside {
          let angle = geometry.cap.center.angle(to: SphericalPoint(point))
          #expect(angle <= geometry.cap.angle, "the index finds it")
        }
      }
    }
  }

  @Test(.longWork) func theNearestPointOfASegmentIsNearerThanItsNeighbours() {
    var random = SplitMix64(seed: 2)
    for _ in 0..<300 {
      let start = coordinate(&random)
      let length = exp(.random(in: 1...15.8, using: &random))
      let bearing = Double.random(in: 0...360, using: &random)
      let end = point(length, bearing, from: start)
      let target = point(
        length * .random(in: 0...1, using: &random), .random(in: 0...360, using: &random),
        from: point(length * .random(in: 0...1, using: &random), bearing, from: start))
      let nearest = GeodesicSegment(from: start, to: end).nearest(to: target)
      let sampled = (0...400).map { step in
        point(length * Double(step) / 400, bearing, from: start).distance(to: target)
      }.min()!
      #expect(nearest.distance <= sampled + 1e-6)
      #expect(sampled - nearest.distance < length / 400, "\(start) \(end) \(target)")
    }
  }

  @Test(.longWork) func aSearchFindsTheNearestEdge() throws {
    var random = SplitMix64(seed: 3)
    for _ in 0..<200 {
      let center = coordinate(&random)
      let size = exp(.random(in: 2.3...15.9, using: &random))
      let ring = ring(around: center, size: size, &random)
      let target = AreaPoint(
        point(
          .random(in: 0...2, using: &random) * size, .random(in: 0...360, using: &random),
          from: center))
      let exact = ring.indices.map {
        GeodesicSegment(from: ring[$0], to: ring[($0 + 1) % ring.count])
          .nearest(to: target.coordinate).distance
      }.min()!
      var search = EdgeSearch(EdgeTree(chains: [ring + [ring[0]]]), near: target)
      let isWithin = [-1e-6, 1e-6].map { search.isWithin(exact + $0) }
      #expect(isWithin == [false, true])
      let level = exact * .random(in: 0...2, using: &random)
      for level in [0, level] {
        let (clearance, difference) = (search.clearance(from: level), abs(exact - level))
        // A lower bound of the difference, and at least about half of it.
        #expect(clearance <= difference + 1e-6, "\(level) \(exact)")
        #expect(clearance >= difference * 0.49 - 1e-6, "\(level) \(exact)")
      }
    }
  }

  /// All edges of a regular ring are equally far from its centre, the worst case of a search.
  @Test(.longWork, arguments: [0, 990, 999, 1_001.0])
  func searchCostGrowsSlowlyWithTheVertices(margin: Double) {
    let comparisons = [2_000, 4_000, 8_000].map { count in
      let center = at(60, 24)
      let ring = (0...count).map {
        point(1_000, 360 * Double($0 % count) / Double(count), from: center)
      }
      var search = EdgeSearch(EdgeTree(chains: [ring]), near: AreaPoint(center))
      let isWithin = search.isWithin(margin)
      #expect(isWithin == (margin > 1_000))
      _ = search.clearance(from: 0)
      return search.comparisons
    }
    #expect(comparisons[0] < 500)
    #expect(comparisons[2] < comparisons[0] * 3 / 2, "\(comparisons)")
  }

  @Test(.longWork) func aLargePolygonMatchesItsWindingNumber() throws {
    var random = SplitMix64(seed: 5)
    for center in [coordinate(&random), Coordinate(checkedLatitude: 89, longitude: 20)] {
      let ring = (0..<2_000).map { index in
        point(
          200_000 * Double.random(in: 0.8...1, using: &random), 360 / 2_000 * Double(index),
          from: center)
      }
      let geometry = try #require(prepare(try .polygon(ring)))
      for _ in 0..<60 {
        let point = point(
          .random(in: 150_000...210_000, using: &random), .random(in: 0...360, using: &random),
          from: center)
        let isInside = windingNumber(of: ring, around: point) != 0
        #expect((geometry.side(of: AreaPoint(point), margin: 0).side == .inside) == isInside)
      }
    }
  }

  struct Case: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let condition: Condition
    let inside: [(Double, Double)]
    let outside: [(Double, Double)]
  }

  static let cases = [
    Case(
      testDescription: "a hole",
      condition: try! .polygon(
        box(0, 0, 3, 3), holes: [box(1, 1, 2, 2)]),
      inside: [(0.5, 0.5), (2.5, 1.5), (1.5, 0.99)], outside: [(1.5, 1.5), (3.5, 1), (-1, -1)]),
    Case(
      testDescription: "holes that overlap, and one outside",
      condition: try! .polygon(
        box(0, 0, 3, 3), holes: [box(1, 1, 2, 2), box(1.5, 1.5, 2.5, 2.5), box(5, 5, 6, 6)]),
      inside: [(0.5, 0.5), (2.7, 2.7)],
      outside: [(1.2, 1.2), (1.7, 1.7), (2.2, 2.2), (5.5, 5.5), (4, 4)]),
    Case(
      testDescription: "across the antimeridian",
      condition: try! .polygon(
        box(-10, 170, 10, -170)),
      inside: [(0, 180), (0, -180), (5, 175), (5, -175)], outside: [(0, 0), (0, 165), (0, -165)]),
    Case(
      testDescription: "around the north pole",
      condition: try! .polygon(
        [at(80, 0), at(80, 120), at(80, -120)]),
      inside: [(90, 0), (90, 77), (85, 180), (86, 60)], outside: [(79, 0), (0, 0), (-90, 0)]),
    Case(
      testDescription: "a pole on the boundary is no obstacle",
      condition: try! .polygon(
        [at(90, 0), at(60, 0), at(60, 60)]),
      inside: [(75, 30), (89.9, 30)], outside: [(75, -30), (75, 90), (89.9, -90)]),
    Case(
      testDescription: "clockwise as well", condition: try! .polygon(box(0, 0, 1, 1).reversed()),
      inside: [(0.5, 0.5)], outside: [(1.5, 0.5)]),
    Case(
      testDescription: "the first vertex repeated",
      condition: try! .polygon(
        box(0, 0, 1, 1) + [at(0, 0)]),
      inside: [(0.5, 0.5)], outside: [(1.5, 0.5)]),
    Case(
      testDescription: "a corridor around a corner",
      condition: try! .corridor(
        along: [at(60, 24), at(60, 25), at(61, 25)], width: 2_000),
      inside: [(60.002, 24.5), (60.5, 25.015), (59.995, 24.1)],
      outside: [(60.5, 24.5), (60.02, 24.3), (60, 23.98)]),
    Case(
      testDescription: "a circle at the pole",
      condition: try! .circle(
        center: at(90, 0), radius: 100_000),
      inside: [(89.2, 10), (90, 50)], outside: [(89, 10), (-90, 0)]),
  ]

  @Test(arguments: cases)
  func areasContainTheirPoints(_ scenario: Case) throws {
    let geometry = try #require(prepare(scenario.condition))
    for (latitude, longitude) in scenario.inside {
      let point = AreaPoint(at(latitude, longitude))
      #expect(geometry.side(of: point, margin: 0).side == .inside, "\(point.coordinate)")
      #expect(geometry.cap.center.angle(to: point.spherical) <= geometry.cap.angle)
    }
    for (latitude, longitude) in scenario.outside {
      let point = AreaPoint(at(latitude, longitude))
      #expect(geometry.side(of: point, margin: 0).side == .outside, "\(point.coordinate)")
    }
  }

  @Test func certaintyDependsOnTheDistanceFromTheBoundary() throws {
    let circle = try #require(prepare(try .circle(center: at(60, 24), radius: 100)))
    let corridor = try #require(
      prepare(try .corridor(along: [at(59, 24), at(60, 24)], width: 200)))
    for (area, start) in [(circle, at(60, 24)), (corridor, at(59.5, 24))] {
      func side(_ metres: Double, _ margin: Double) -> (side: AreaSide, isCertain: Bool) {
        area.side(of: AreaPoint(point(metres, 90, from: start)), margin: margin)
      }
      #expect(side(89.999, 10) == (.inside, true))
      #expect(side(90.001, 10) == (.inside, false))
      #expect(side(99.999, 10) == (.inside, false))
      #expect(side(100.001, 10) == (.outside, false))
      #expect(side(109.999, 10) == (.outside, false))
      #expect(side(110.001, 10) == (.outside, true))
    }
  }

  /// One hole is outside the ring, the other one partly outside.
  @Test func holesOutsideTheRingHaveNoEffect() throws {
    let ring = box(0, 0, 1, 1)
    let area = try #require(
      prepare(
        try .polygon(ring, holes: [box(0.4, 1.1, 0.6, 1.3), box(0.4, 0.8, 0.6, 1.05)])))
    let plain = try #require(prepare(try .polygon(ring)))
    for longitude in stride(from: 1.0005, through: 1.4, by: 0.0025) {
      let point = AreaPoint(at(0.5, longitude))
      for margin in [10.0, 1_000, 20_000] {
        #expect(area.side(of: point, margin: margin) == plain.side(of: point, margin: margin))
      }
    }
    #expect(area.side(of: AreaPoint(at(0.5, 0.81)), margin: 1_000) == (.outside, true))
    #expect(area.side(of: AreaPoint(at(0.5, 0.99)), margin: 1_200) == (.outside, false))
    #expect(area.side(of: AreaPoint(at(0.5, 0.795)), margin: 1_000) == (.inside, false))
  }

  @Test func badAreasAreRefused() {
    func expectRefusal(_ text: String, _ make: () throws -> Condition) {
      let error = #expect(throws: LocationError.self) { try make() }
      #expect(error?.code == .invalidValue)
      #expect(error?.message.contains(text) == true, "\(String(describing: error))")
    }
    for radius in [0, -1, .nan, .infinity, 9e6] {
      expectRefusal("radius") { try .circle(center: at(0, 0), radius: radius) }
    }
    for width in [0, -1, .nan, .infinity, 1e7] {
      expectRefusal("width") { try .corridor(along: [at(0, 0), at(0, 1)], width: width) }
    }
    expectRefusal("3 different vertices; got 2") { try .polygon([at(0, 0), at(0, 1), at(0, 0)]) }
    expectRefusal("hole 2") { try .polygon(box(0, 0, 9, 9), holes: [box(1, 1, 2, 2), [at(3, 3)]]) }
    expectRefusal("split it") { try .polygon([at(0, 0), at(0, 120), at(0, -120)]) }
    expectRefusal("split it") { try .corridor(along: [at(0, 0), at(0, 90), at(0, 179)], width: 9) }
    expectRefusal("2 different vertices; got 1") {
      try .corridor(along: [at(0, 0), at(0, 0)], width: 9)
    }
    expectRefusal("dwell") {
      try Condition.circle(center: at(0, 0), radius: 1).dwelling(.seconds(-1))
    }
  }

  private func prepare(_ condition: Condition) -> AreaGeometry? {
    AreaGeometry(condition.subject)
  }
}

func at(_ latitude: Double, _ longitude: Double) -> Coordinate {
  try! Coordinate(latitude: latitude, longitude: longitude)
}

/// The corners of a box, counterclockwise.
func box(_ south: Double, _ west: Double, _ north: Double, _ east: Double) -> [Coordinate] {
  [at(south, west), at(south, east), at(north, east), at(north, west)]
}
