import MockBackend
import TestSupport
import Testing

@testable import LocationRecording

@Suite(.inTurn) struct ProfileTests {
  /// Each column of pixels keeps its first, lowest, highest and last value.
  @Test(arguments: 0..<10) func eachColumnKeepsItsExtremesAndEnds(_ seed: Int) throws {
    var random = SplitMix64(seed: UInt64(seed))
    let samples = (0..<5000).map { index in
      (position: Double(index), value: Double.random(in: 0...100, using: &random) as Double?)
    }
    let profile = Profile([samples], span: 0...4999, columns: 100)
    let part = try #require(profile.parts.first)
    #expect(profile.parts.count == 1)
    #expect(part.count <= 4 * 101)
    #expect(zip(part, part.dropFirst()).allSatisfy { $0.position < $1.position })
    for column in 0..<100 {
      let range = Double(column) * 49.99..<Double(column + 1) * 49.99
      let all = samples.filter { range.contains($0.position) }.compactMap(\.value)
      let kept = part.filter { range.contains($0.position) }.map(\.value)
      #expect(kept.min() == all.min())
      #expect(kept.max() == all.max())
      #expect(kept.first == all.first)
      #expect(kept.last == all.last)
    }
  }

  @Test func gapsAndMissingValuesSeparateParts() {
    let profile = Profile(
      [[(0, 1), (1, nil), (2, 3), (3, 4)], [(8, 5)], [(9, nil)]], span: 0...10, columns: 10)
    #expect(profile.parts.map { $0.map(\.value) } == [[1], [3, 4], [5]])
    #expect(profile.range == 1...5)
    #expect(Profile([[(0, nil)]], span: 0...1, columns: 10).range == nil)
  }

  @Test func anEmptySpanHasOneColumn() {
    let profile = Profile([[(0, 1), (0, 2)]], span: 0...0, columns: 10)
    #expect(profile.parts.map { $0.map(\.value) } == [[1, 2]])
  }

  @Test(
    arguments: [
      (0.0...63.0, TrackPicture.Coloring.speed, [0.0, 50, 100]), (0...0, .speed, [0, 2, 4, 6]),
      (481...495, .altitude, [480, 490, 500, 510]), (-3...4, .altitude, [-10, 0, 10, 20]),
    ] as [(ClosedRange<Double>, TrackPicture.Coloring, [Double])])
  func axisMarksAreRoundNumbers(
    range: ClosedRange<Double>, coloring: TrackPicture.Coloring, marks: [Double]
  ) {
    let axis = ValueAxis(range, coloring, rows: 3)
    #expect(axis.marks == marks)
    #expect(axis.fraction(of: range.lowerBound) >= 0)
    #expect(axis.fraction(of: range.upperBound) <= 1)
  }
}
