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
    // One that contradicts all is uncertain by the sum.
    #expect(isNear(agreement.located(fix(600, at: 504), by: 3), 620))
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
