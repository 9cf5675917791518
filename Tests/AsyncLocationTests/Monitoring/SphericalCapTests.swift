import MockBackend
import TestSupport
import Testing

@testable import AsyncLocation

@Suite(.inTurn) struct SphericalCapTests {
  private func direction(_ random: inout SplitMix64) -> SphericalPoint {
    while true {
      let point = SphericalPoint(
        x: .random(in: -1...1, using: &random), y: .random(in: -1...1, using: &random),
        z: .random(in: -1...1, using: &random))
      if (0.1...1).contains(point.length) { return point.normalized }
    }
  }

  /// Returns points within 1.3 radians of the first, most of them close together.
  private func points(_ random: inout SplitMix64) -> [SphericalPoint] {
    let middle = direction(&random)
    return [middle]
      + (0..<Int.random(in: 1...40, using: &random)).map { index in
        while true {
          let point = direction(&random)
          if middle.angle(to: point) > 1.3 { continue }
          return index < 5 ? point : (middle + point * 0.1).normalized
        }
      }
  }

  @Test func noSmallerCapContainsThePoints() {
    var random = SplitMix64(seed: 8)
    for _ in 0..<200 {
      let points = points(&random)
      let cap = SphericalCap(containing: points, sufficient: 0)
      func reach(_ center: SphericalPoint) -> Double {
        points.reduce(0) { max($0, center.angle(to: $1)) }
      }
      #expect(reach(cap.center) <= cap.angle)
      for _ in 0..<20 {
        let elsewhere = (cap.center + direction(&random) * 1e-3).normalized
        #expect(reach(elsewhere) > cap.angle - 1e-9)
      }
    }
  }

  @Test func aSufficientCapMayBeWider() {
    let points = [at(0, 0), at(0, 1), at(0, 2), at(0, 30)].map { SphericalPoint($0) }
    let smallest = SphericalCap(containing: points, sufficient: 0)
    let quick = SphericalCap(containing: points, sufficient: 1)
    #expect(abs(smallest.angle - 15 * .pi / 180) < 1e-9)
    #expect(quick.angle > smallest.angle)
    #expect(quick.angle <= 2 * smallest.angle)
  }

  /// Points around the globe are in no cap that is smaller than a hemisphere.
  @Test func pointsAroundTheGlobeNeedAHemisphere() {
    let points = [at(0, 0), at(0, 120), at(0, -120), at(0, 180)].map { SphericalPoint($0) }
    #expect(SphericalCap(containing: points, sufficient: 0).angle > 1.57)
    #expect(SphericalCap(containing: Array(points[..<1]), sufficient: 0).angle < 1e-9)
  }
}
