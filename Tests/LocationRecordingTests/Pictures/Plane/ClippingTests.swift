import MockBackend
import TestSupport
import Testing

@testable import LocationRecording

@Suite(.inTurn) struct ClippingTests {
  private static let box = PlaneBox(left: 0, top: 0, right: 10, bottom: 10)

  private static func points(_ numbers: [(Double, Double)]) -> [PlanePoint] {
    numbers.map { PlanePoint($0.0, $0.1) }
  }

  @Test(
    arguments: [
      ([(1.0, 1.0), (9, 9)], [[(1.0, 1.0), (9, 9)]]), ([(-5, 5), (15, 5)], [[(0, 5), (10, 5)]]),
      ([(-5, 5), (-1, 5)], []), ([(5, -5), (5, 5), (5, 15)], [[(5, 0), (5, 5), (5, 10)]]),
      ([(5, 5), (15, 5), (15, 8), (5, 8)], [[(5, 5), (10, 5)], [(10, 8), (5, 8)]]),
      ([(-5, 5), (5, 20)], []),
    ] as [([(Double, Double)], [[(Double, Double)]])])
  func linesEndAtTheBox(_ line: [(Double, Double)], _ expected: [[(Double, Double)]]) {
    #expect(Clipping.line(Self.points(line), to: Self.box) == expected.map(Self.points))
  }

  @Test(
    arguments: [
      ([(2.0, 2.0), (8, 2), (8, 8)], 18.0), ([(-5, -5), (15, -5), (15, 15), (-5, 15)], 100),
      ([(5, 5), (25, 5), (25, 8), (5, 8)], 15), ([(20, 20), (30, 20), (30, 30)], 0),
    ] as [([(Double, Double)], Double)])
  func ringsKeepTheirAreaWithinTheBox(_ ring: [(Double, Double)], _ area: Double) {
    let clipped = Clipping.ring(Self.points(ring), to: Self.box)
    let sum = zip(clipped, clipped.dropFirst() + clipped.prefix(1)).reduce(0.0) {
      $0 + $1.0.x * $1.1.y - $1.1.x * $1.0.y
    }
    #expect(abs(sum.magnitude / 2 - area) < 1e-9)
    #expect(clipped.allSatisfy(Self.box.contains))
  }

  /// No omitted point is farther from the line than the tolerance.
  @Test(.longWork, arguments: 0..<20) func reducedLinesKeepTheirShape(_ seed: Int) {
    var random = SplitMix64(seed: UInt64(seed))
    var place = PlanePoint(0, 0)
    let points = (0..<400).map { _ in
      place.x += Double.random(in: -1...2, using: &random)
      place.y += Double.random(in: -1...1, using: &random)
      return place
    }
    let reduced = LineReduction.reduced(points, tolerance: 0.5)
    #expect(reduced.first == points.first)
    #expect(reduced.last == points.last)
    #expect(reduced.count < points.count)
    for point in points {
      let distance = zip(reduced, reduced.dropFirst()).map {
        point.distance(toLineFrom: $0, to: $1)
      }.min()
      #expect(distance ?? 0 <= 0.5)
    }
  }

  @Test func returningLineKeepsItsTurn() {
    let points = Self.points([(0, 0), (9, 0), (0, 0)])
    #expect(LineReduction.reduced(points, tolerance: 1) == points)
    let dots = Self.points([(3, 3), (3, 3), (3, 3)])
    #expect(LineReduction.reduced(dots, tolerance: 1) == Self.points([(3, 3), (3, 3)]))
  }
}
