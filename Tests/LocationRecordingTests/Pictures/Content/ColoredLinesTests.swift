import MockBackend
import TestSupport
import Testing

@testable import LocationRecording

@Suite(.inTurn) struct ColoredLinesTests {
  private static func point(_ x: Double, _ y: Double, _ color: Int?) -> ColoredLines.Point {
    ColoredLines.Point(place: PlanePoint(x, y), color: color)
  }

  @Test func linesAreDividedWhereTheColorChanges() {
    let lines = ColoredLines([
      [
        Self.point(0, 0, 1), Self.point(10, 0, 1), Self.point(20, 0, 1), Self.point(30, 0, 2),
        Self.point(40, 0, nil),
      ]
    ])
    #expect(lines.lines[1] == [[PlanePoint(0, 0), PlanePoint(20, 0)]])
    #expect(lines.lines[2] == [[PlanePoint(20, 0), PlanePoint(30, 0)]])
    let unknown: Int? = nil
    #expect(lines.lines[unknown] == [[PlanePoint(30, 0), PlanePoint(40, 0)]])
    #expect(lines.outline == [[PlanePoint(0, 0), PlanePoint(40, 0)]])
  }

  @Test func shortPartsHaveNoColorOfTheirOwn() {
    let points = (0..<400).map { Self.point(Double($0) * 0.1, 0, $0 % 2) }
    let lines = ColoredLines([points])
    #expect(lines.lines.values.joined().count <= 22)
    let length = lines.lines.values.joined().reduce(0.0) {
      $0 + $1[0].distance(to: $1[$1.count - 1])
    }
    #expect(abs(length - 39.9) < 1e-9)
  }

  @Test func aSinglePointIsADot() {
    let lines = ColoredLines([[Self.point(3, 4, 0)]])
    #expect(lines.lines[0] == [[PlanePoint(3, 4)]])
    #expect(ColoredLines([]).vertexCount == 0)
  }

  /// Random noise has too many points even after simplification with the coarsest tolerance.
  @Test(.longWork) func theNumberOfPointsIsBounded() {
    var random = SplitMix64(seed: 1)
    let points = (0..<60_000).map { _ in
      Self.point(
        .random(in: 0...800, using: &random), .random(in: 0...600, using: &random),
        .random(in: 0...6, using: &random))
    }
    #expect(ColoredLines([points]).vertexCount <= ColoredLines.vertexLimit)
    #expect(ColoredLines(points.map { [$0] }).vertexCount <= ColoredLines.vertexLimit)
  }
}
