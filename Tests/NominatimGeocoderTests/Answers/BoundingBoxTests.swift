import AsyncLocation
import MockBackend
import TestSupport
import Testing

@testable import NominatimGeocoder

@Suite(.inTurn) struct BoundingBoxTests {
  @Test func circlesContainTheirBounds() throws {
    var generator = SplitMix64(seed: 7)
    for _ in 0..<300 {
      let south = Double.random(in: -90...89, using: &generator)
      let north = Double.random(in: south...90, using: &generator)
      let west = Double.random(in: -180...180, using: &generator)
      let width = Double.random(in: 0...180, using: &generator)
      let east = west + width > 180 ? west + width - 360 : west + width
      let box = try #require(BoundingBox(south: south, north: north, west: west, east: east))
      let circle = try #require(box.circle(named: "x"))
      for _ in 0..<20 {
        let longitude = west + Double.random(in: 0...width, using: &generator)
        let point = try Coordinate(
          latitude: Double.random(in: south...north, using: &generator),
          longitude: longitude > 180 ? longitude - 360 : longitude)
        let excess = circle.center.distance(to: point) - circle.radius
        // Far from the centre, points on the sides may be slightly farther away than the corners.
        #expect(excess <= circle.radius * 1e-3, "\(box), \(point), \(excess)")
      }
    }
  }

  @Test func aBoxAcrossTheAntimeridianIsSmall() throws {
    let box = try #require(BoundingBox(south: -20, north: -15, west: 177, east: -178))
    let circle = try #require(box.circle(named: "Fiji"))
    #expect(circle.center.longitude == 179.5)
    #expect(circle.radius < 400_000)
    #expect(circle.identifier == "Fiji")
  }

  @Test func boundsAroundTheGlobeHaveNoCircle() throws {
    let box = try #require(BoundingBox(south: 41, north: 82, west: -180, east: 180))
    #expect(box.circle(named: "x") == nil)
  }

  @Test(
    arguments: [
      (1, 0, 0, 1), (-91, 0, 0, 1), (0, 91, 0, 1), (0, 1, -181, 0), (0, 1, 0, 181),
      (.nan, 1, 0, 1), (0, .nan, 0, 1), (0, 1, .infinity, 1), (0, 1, 0, .nan),
    ] as [(Double, Double, Double, Double)])
  func invalidBoundsAreRejected(south: Double, north: Double, west: Double, east: Double) {
    #expect(BoundingBox(south: south, north: north, west: west, east: east) == nil)
  }

  @Test func aPointHasACircleOfOneMetre() throws {
    let box = try #require(BoundingBox(south: 1, north: 1, west: 2, east: 2))
    #expect(box.circle(named: "x")?.radius == 1)
  }
}
