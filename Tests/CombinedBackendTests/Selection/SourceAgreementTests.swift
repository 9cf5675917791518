import AsyncLocation
import FoundationEssentials
import TestSupport
import Testing

@testable import CombinedBackend

@Suite(.inTurn) struct SourceAgreementTests {
  private func fix(
    _ metres: Double, at second: Double, accuracy: Double? = 5, speed: Double? = 0
  ) -> SourceAgreement.Fix {
    let location = try! Location(
      coordinate: Coordinate(latitude: 50 + metres / 111_229, longitude: 8),
      timestamp: Date(timeIntervalSince1970: 1_800_000_000), horizontalAccuracy: accuracy,
      speed: speed)
    return SourceAgreement.Fix(location, at: .seconds(second))
  }

  private func isNear(_ value: Double, _ expected: Double) -> Bool {
    abs(value - expected) < 0.5
  }

  /// Metres and seconds between two fixes, the greater speed, and whether movement explains them.
  @Test(arguments: [
    (9.0, 0.0, 0.0, true), (11, 0, 0, false), (59, 10, 0, true), (61, 10, 0, false),
    (59, 1_000, 0, true), (61, 1_000, 0, false), (370, 12, 30, true), (500, 12, 30, false),
  ])
  func movementExplains(
    _ metres: Double, _ seconds: Double, _ speed: Double, _ isExplained: Bool
  ) {
    let contradiction = fix(metres, at: seconds, speed: speed)
      .contradiction(of: fix(0, at: 0, speed: nil))
    #expect(isNear(contradiction, isExplained ? 0 : metres + 10))
  }

  @Test func uncertaintyLastsUntilTheReturn() {
    var agreement = SourceAgreement()
    #expect(agreement.located(fix(0, at: 0), by: 0) == 0)
    #expect(isNear(agreement.located(fix(300, at: 1), by: 1), 310))
    #expect(isNear(agreement.located(fix(300, at: 500), by: 1), 310))
    #expect(agreement.located(fix(0, at: 501), by: 0) == 0)
    #expect(isNear(agreement.located(fix(300, at: 502), by: 1), 310))
    // A third source that agrees with the second contradicts the first as well.
    #expect(isNear(agreement.located(fix(300, at: 503), by: 2), 310))
    // Each is compared with the position that was known last, not with one that is uncertain.
    #expect(isNear(agreement.located(fix(600, at: 504), by: 3), 610))
    // A third source can agree with it.
    #expect(agreement.located(fix(0, at: 505), by: 4) == 0)
    #expect(isNear(agreement.located(fix(300, at: 506), by: 1), 310))
    #expect(agreement.located(fix(0, at: 505), by: 0) == 0)
  }

  @Test func agreementEndsTheUncertainty() {
    var agreement = SourceAgreement()
    _ = agreement.located(fix(0, at: 0), by: 0)
    #expect(agreement.located(fix(300, at: 1), by: 1) > 0)
    agreement.observed(fix(299, at: 10), of: 0)
    #expect(agreement.located(fix(300, at: 13), by: 1) > 0)  // Not at one time.
    agreement.observed(fix(299, at: 13), of: 0)
    #expect(agreement.located(fix(300, at: 14), by: 1) == 0)
    #expect(agreement.located(fix(300, at: 15), by: 0) == 0)
  }

  /// Two sources outside of the frame that take turns for hours.
  @Test func uncertaintyIsBounded() {
    var agreement = SourceAgreement()
    _ = agreement.located(fix(0, at: 0), by: 0)
    for turn in 1...1_000 {
      let second = Double(turn) * 20
      #expect(isNear(agreement.located(fix(300, at: second), by: 1), 310))
      #expect(isNear(agreement.located(fix(700, at: second + 10), by: 2), 710))
    }
    // One that strays is uncertain by as much.
    #expect(isNear(agreement.located(fix(5_000, at: 30_000), by: 1), 5_010))
    #expect(agreement.located(fix(0, at: 30_010), by: 0) == 0)
  }

  @Test func agreementIsNotForGood() {
    var agreement = SourceAgreement()
    #expect(agreement.located(fix(0, at: 0), by: 0) == 0)
    #expect(agreement.located(fix(5, at: 1), by: 1) == 0)
    #expect(agreement.located(fix(0, at: 2), by: 0) == 0)
    #expect(agreement.located(fix(300, at: 3), by: 2) > 0)
    var other = agreement
    #expect(isNear(agreement.located(fix(5_000, at: 20), by: 1), 5_010))
    #expect(other.located(fix(5, at: 20), by: 1) == 0)
  }

  /// As if it were the only source.
  @Test func sourceIsNotComparedWithItself() {
    var agreement = SourceAgreement()
    _ = agreement.located(fix(0, at: 0), by: 0)
    #expect(agreement.located(fix(300, at: 1), by: 1) > 0)
    #expect(agreement.located(fix(5_000, at: 20), by: 0) == 0)
  }

  /// What the spare reported beside the source in force shows the difference.
  @Test(arguments: [(40.0, 50.0), (9, 0)])
  func differenceIsMeasuredAtOneTime(_ metres: Double, _ uncertainty: Double) {
    var agreement = SourceAgreement()
    _ = agreement.located(fix(0, at: 0), by: 0)
    agreement.observed(fix(metres, at: 1), of: 1)
    _ = agreement.located(fix(0, at: 2), by: 0)
    #expect(isNear(agreement.located(fix(metres, at: 14), by: 1), uncertainty))
  }

  /// Without a fix of both at one time, the first difference of 40 m may be movement, and is known
  /// not to be when the source is back where it was.
  @Test func differenceIsKnownAfterOneReturn() {
    var agreement = SourceAgreement()
    var seen: [Double] = []
    for turn in 0..<6 {
      for second in [0.0, 30] {
        let fix = fix(turn.isMultiple(of: 2) ? 0 : 40, at: Double(turn) * 60 + second)
        seen.append(agreement.located(fix, by: turn % 2))
      }
    }
    let expected: [Double] = [0, 0, 0, 0, 50, 50, 0, 0, 50, 50, 0, 0]
    #expect(zip(seen, expected).allSatisfy(isNear), "\(seen)")
  }

  /// A source that was wrong and is right later.
  @Test(arguments: [(300.0, 0.0), (40, 50)])
  func knownDifferenceEndsIfMovementCannotHideIt(_ metres: Double, _ uncertainty: Double) {
    var agreement = SourceAgreement()
    _ = agreement.located(fix(0, at: 0), by: 0)
    #expect(isNear(agreement.located(fix(metres, at: 1), by: 1), metres + 10))
    _ = agreement.located(fix(0, at: 2), by: 0)
    #expect(isNear(agreement.located(fix(0, at: 20), by: 1), uncertainty))
  }

  /// A receiver that was carried 40 m while no source had a fix, and stays there.
  @Test func movementIsNotADifference() {
    var agreement = SourceAgreement()
    #expect(agreement.located(fix(0, at: 0), by: 0) == 0)
    #expect(agreement.located(fix(40, at: 60), by: 1) == 0)
    #expect(agreement.located(fix(40, at: 120), by: 0) == 0)
    #expect(agreement.located(fix(0, at: 180), by: 1) == 0)
  }

  @Test func movementEndsTheUncertainty() {
    var agreement = SourceAgreement()
    _ = agreement.located(fix(0, at: 0), by: 0)
    _ = agreement.located(fix(300, at: 1), by: 1)
    #expect(agreement.located(fix(3_300, at: 100), by: 1) > 0)
    #expect(agreement.located(fix(3_500, at: 110), by: 1) == 0)
    // The first source now contradicts the new frame.
    #expect(agreement.located(fix(3_200, at: 111), by: 0) > 0)
  }

  @Test func unknownAccuracyIsAssumed() {
    let earlier = fix(0, at: 0, accuracy: nil)
    #expect(fix(55, at: 0, accuracy: nil).contradiction(of: earlier) == 0)
    #expect(fix(65, at: 0, accuracy: nil).contradiction(of: earlier) > 0)
  }
}
