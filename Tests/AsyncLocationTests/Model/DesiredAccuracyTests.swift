import TestSupport
import Testing

@testable import AsyncLocation

@Suite(.inTurn) struct AccuracyTests {
  static let radii: [(DesiredAccuracy, Double?)] = [
    (.best, nil), (.nearestTenMeters, 10), (.hundredMeters, 100), (.kilometer, 1_000),
    (.threeKilometers, 3_000), (.meters(2.5), 2.5), (.meters(0), nil), (.meters(-0.0), nil),
    (.meters(-1), nil), (.meters(.nan), nil), (.meters(.infinity), nil),
    (.meters(.leastNonzeroMagnitude), .leastNonzeroMagnitude),
  ]

  @Test func eachAccuracyHasItsRadius() {
    for (accuracy, meters) in Self.radii { #expect(accuracy.meters == meters) }
  }

  static let judgements: [(DesiredAccuracy, Double?, Bool)] = [
    (.best, nil, true), (.best, 1e9, true), (.hundredMeters, 100, true),
    (.hundredMeters, 100.0.nextUp, false), (.hundredMeters, 0, true),
    (.hundredMeters, nil, false),
  ]

  @Test func aLocationMeetsAnAccuracyByItsRadius() throws {
    for (accuracy, radius, isMet) in Self.judgements {
      let location = try Location(latitude: 0, longitude: 0, horizontalAccuracy: radius)
      #expect(accuracy.isMet(by: location) == isMet, "\(accuracy) \(String(describing: radius))")
    }
  }

  @Test func returnsTheStricterAccuracy() {
    #expect(DesiredAccuracy.best.stricter(.kilometer) == .best)
    #expect(DesiredAccuracy.kilometer.stricter(.best) == .best)
    #expect(DesiredAccuracy.kilometer.stricter(.hundredMeters) == .hundredMeters)
    #expect(DesiredAccuracy.nearestTenMeters.stricter(.hundredMeters) == .nearestTenMeters)
  }
}
