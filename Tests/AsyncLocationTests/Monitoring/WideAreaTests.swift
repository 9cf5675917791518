import Foundation
import MockBackend
import TestSupport
import Testing

@testable import AsyncLocation

/// Areas up to the maximum width. Their edges deviate from great circles by up to 80 km.
@Suite(.inTurn) struct WideAreaTests {
  static let centers = [
    at(0, 0), at(12, 100), at(35, -60), at(-50, 179), at(89, 40), at(-90, 0),
  ]

  private func point(
    _ distance: Double, _ bearing: Double, from start: Coordinate
  ) -> Coordinate {
    try! start.coordinate(atDistance: distance, bearing: bearing)
  }

  /// Returns a point at a fraction of an edge, displaced to the right by a distance in metres.
  private func beside(
    _ start: Coordinate, _ end: Coordinate, at fraction: Double, by metres: Double
  ) -> Coordinate {
    let foot = DirectGeodesic.end(
      from: start, azimuth: Angle(degrees: start.bearing(to: end)),
      distance: start.distance(to: end) * fraction)
    return point(
      metres, foot.azimuth.degrees + 90,
      from: Coordinate(checkedLatitude: foot.latitude, longitude: foot.longitude))
  }

  private func side(_ geometry: AreaGeometry, _ point: Coordinate) -> AreaSide {
    geometry.side(of: AreaPoint(point), margin: 0).side
  }

  struct Triangle: CustomTestStringConvertible, Sendable {
    let radius: Double
    /// Clockwise, so the inside is on the right of the edges.
    let bearings: [Double]

    var testDescription: String { "\(radius) \(bearings)" }
  }

  static let triangles = [
    Triangle(radius: 7_900_000, bearings: [0, 120, 240]),
    Triangle(radius: 7_900_000, bearings: [0, 90, 178]),
    // An edge of 17,560 km, beyond the bound of an arc's deviation.
    Triangle(radius: 8_780_000, bearings: [90, 180, 270]),
  ]

  @Test(.longWork, arguments: centers, triangles)
  func pointsBesideATrianglesEdgeAreOnTheirSides(center: Coordinate, triangle: Triangle) throws {
    let corners = triangle.bearings.map { point(triangle.radius, $0, from: center) }
    let geometry = try #require(AreaGeometry(Condition.polygon(corners).subject))
    var wrong = (inside: 0, outside: 0)
    for (index, start) in corners.enumerated() {
      let end = corners[(index + 1) % corners.count]
      for step in 0..<20 {
        let fraction = (Double(step) + 0.5) / 20
        for metres in [1, 500, 20_000.0] {
          if side(geometry, beside(start, end, at: fraction, by: metres)) != .inside {
            wrong.inside += 1
          }
          if side(geometry, beside(start, end, at: fraction, by: -metres)) != .outside {
            wrong.outside += 1
          }
        }
      }
    }
    #expect(wrong == (0, 0), "of 180 on each side")
  }

  /// With many vertices near the ends, the mean of a run's vertices is at one end of the long leg.
  @Test(.longWork, arguments: centers, [1, 9])
  func aCorridorContainsItsPath(center: Coordinate, vertices: Int) throws {
    func end(_ bearing: Double) -> [Coordinate] {
      (0..<vertices).map { point(7_078_000 + 1_000 * Double($0), bearing, from: center) }
    }
    let path = end(220).reversed() + end(40)
    let corridor = try Condition.corridor(along: path, width: 2_000)
    let geometry = try #require(AreaGeometry(corridor.subject))
    let (start, end) = (path[vertices - 1], path[vertices])
    let sides = (1..<200).map { side(geometry, beside(start, end, at: Double($0) / 200, by: 0)) }
    #expect(sides.count { $0 == .outside } == 0, "of 199 points on a leg of 14,156 km")
    for fraction in [0.01, 0.3, 0.5, 0.9] {
      #expect(side(geometry, beside(start, end, at: fraction, by: 999.9)) == .inside)
      #expect(side(geometry, beside(start, end, at: fraction, by: -1_000.1)) == .outside)
    }
    #expect(geometry.subject == corridor.subject)
  }

  /// The mean of the vertices is far from the center of the circle into which they fit.
  @Test(.longWork, arguments: centers)
  func areasWithinTheWidestCircleAreAccepted(center: Coordinate) throws {
    func ring(_ radius: Double) -> [Coordinate] {
      (Array(stride(from: 0, through: 20, by: 0.2)) + [120, 240]).map {
        point(radius, $0, from: center)
      }
    }
    let geometry = try #require(AreaGeometry(Condition.polygon(ring(8_799_000)).subject))
    #expect(side(geometry, center) == .inside)
    #expect(throws: LocationError.self) { try Condition.polygon(ring(8_831_000)) }
    let path = [0, 5, 10, 15, 20, 190].map { point(8_799_000, $0, from: center) }
    _ = try Condition.corridor(along: path, width: 1)
  }

  /// The winding number: the sum of the differences between the azimuths of successive points,
  /// divided by 360°. The edges of the ring are divided into short pieces.
  private func windingNumber(of pieces: [Coordinate], around point: Coordinate) -> Int {
    let azimuths = pieces.map { InverseGeodesic.solve(from: point, to: $0).azimuth }
    let sum = azimuths.indices.reduce(0) {
      $0 + (azimuths[($1 + 1) % azimuths.count] - azimuths[$1]).degrees
    }
    return Int((sum / 360).rounded())
  }

  private static let areaCount =
    ProcessInfo.processInfo.environment["ASYNC_LOCATION_WIDE_AREAS"].flatMap(Int.init) ?? 40

  @Test(.longWork) func polygonContainmentMatchesSampledWindingNumber() throws {
    var random = SplitMix64(seed: 4)
    var inside = 0
    for _ in 0..<Self.areaCount {
      let north = Double.random(in: -1...1, using: &random)
      let center = at(asin(north) * 180 / .pi, .random(in: -180...180, using: &random))
      let count = Int.random(in: 3...6, using: &random)
      let size = Double.random(in: 3e6...8.79e6, using: &random)
      let ring = (0..<count).map { index in
        point(
          size * .random(in: 0.6...1, using: &random),
          360 / Double(count) * (Double(index) + .random(in: -0.4...0.4, using: &random)),
          from: center)
      }
      let geometry = try #require(AreaGeometry(Condition.polygon(ring).subject))
      let edges = zip(ring, ring.dropFirst() + [ring[0]])
      let pieces = edges.flatMap { start, end in
        (0..<40).map { beside(start, end, at: Double($0) / 40, by: 0) }
      }
      for (start, end) in edges {
        let place = beside(
          start, end, at: .random(in: 0.001...0.999, using: &random),
          by: exp(.random(in: 1...12, using: &random)) * (Bool.random(using: &random) ? 1 : -1))
        let isInside = windingNumber(of: pieces, around: place) != 0
        inside += isInside ? 1 : 0
        #expect((side(geometry, place) == .inside) == isInside, "\(place) \(ring)")
      }
    }
    #expect((Self.areaCount...Self.areaCount * 4).contains(inside), "both sides are tested")
  }
}
