import TestSupport
import Testing

@testable import LocationRecording

@Suite(.inTurn) struct RoundStepsTests {
  @Test(
    arguments: [
      (10, 5, 2), (1, 5, 0.2), (0.7, 7, 0.1), (99, 10, 10), (101, 10, 20),
      (0.000_03, 3, 0.000_01), (40_000_000, 4, 10_000_000), (5, 1, 5), (6, 1, 10), (0, 3, 1),
    ] as [(Double, Int, Double)])
  func decimalStepsAreRound(span: Double, count: Int, step: Double) {
    let found = RoundSteps.decimal(span: span, maximumCount: count)
    #expect(abs(found - step) < step * 1e-9)
  }

  @Test(
    arguments: [
      (0.03, 0.05), (5, 5), (9, 10), (12, 15), (16, 30), (31, 45), (46, 90), (400, 90),
    ] as [(Double, Double)])
  func anglesDivideARightAngle(_ span: Double, _ step: Double) {
    let found = RoundSteps.angular(span: span, maximumCount: 1)
    #expect(abs(found - step) < 1e-9)
  }

  @Test(
    arguments: [
      (6, 1), (7, 2), (60, 10), (100, 30), (3600, 600), (3601, 900), (86_400, 21_600),
      (86_400 * 6, 86_400), (86_400 * 60, 86_400 * 14), (86_400 * 600, 86_400 * 100),
    ] as [(Double, Double)])
  func timesFollowTheClock(_ span: Double, _ step: Double) {
    #expect(RoundSteps.temporal(span: span, maximumCount: 6) == step)
  }

  @Test func multiplesIncludeTheEnds() {
    #expect(RoundSteps.multiples(of: 2, in: -4...5) == [-4, -2, 0, 2, 4])
    #expect(RoundSteps.multiples(of: 0.1, in: 0.3...0.3).count == 1)
    #expect(RoundSteps.multiples(of: 5, in: 1...4).isEmpty)
    #expect(RoundSteps.multiples(of: 1e-9, in: 0...1).isEmpty, "more than 1,000")
    #expect(RoundSteps.multiples(of: 1, in: -1...1).map { "\($0)" } == ["-1.0", "0.0", "1.0"])
  }

  @Test(
    arguments: [(1.0, 0), (0.5, 1), (0.2, 1), (0.1, 1), (0.05, 2), (0.000_2, 4), (20, 0)]
      as [(Double, Int)])
  func decimalPlacesDistinguishMultiples(_ step: Double, _ places: Int) {
    #expect(RoundSteps.decimalPlaces(of: step) == places)
  }
}
