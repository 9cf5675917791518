import TestSupport
import Testing

@testable import AsyncLocation

@Suite(.inTurn) struct AccuracyChoiceTests {
  @Test(
    arguments: [
      (DesiredAccuracy.best, nil, true), (.best, 1e9, true), (.nearestTenMeters, nil, false),
      (.nearestTenMeters, 9.5, true), (.nearestTenMeters, 10, true),
      (.nearestTenMeters, 10.5, false), (.meters(2.5), 2.5, true), (.meters(2.5), 2.6, false),
      (.meters(0), nil, true), (.meters(-5), 1e9, true), (.meters(.nan), nil, true),
      (.meters(.infinity), nil, true),
    ] as [(DesiredAccuracy, Double?, Bool)])
  func isMetByEqualOrBetterAccuracy(_ accuracy: DesiredAccuracy, _ meters: Double?, _ isMet: Bool) {
    #expect(accuracy.isMet(by: Sample.location(accuracy: meters)) == isMet)
  }

  @Test(
    arguments: [
      (DesiredAccuracy.best, DesiredAccuracy.kilometer, DesiredAccuracy.best),
      (.nearestTenMeters, .kilometer, .nearestTenMeters),
      (.threeKilometers, .hundredMeters, .hundredMeters), (.meters(7), .meters(7), .meters(7)),
      (.best, .best, .best), (.meters(-1), .meters(3), .best),
    ])
  func stricterOfTwo(_ one: DesiredAccuracy, _ other: DesiredAccuracy, _ stricter: DesiredAccuracy)
  {
    #expect(one.stricter(other) == stricter)
    #expect(other.stricter(one) == stricter)
  }

  @Test func namedAccuraciesHaveTheirMeters() {
    #expect(DesiredAccuracy.best.meters == nil)
    #expect(DesiredAccuracy.nearestTenMeters.meters == 10)
    #expect(DesiredAccuracy.hundredMeters.meters == 100)
    #expect(DesiredAccuracy.kilometer.meters == 1_000)
    #expect(DesiredAccuracy.threeKilometers.meters == 3_000)
  }
}
