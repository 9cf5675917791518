import AsyncLocation
import TestSupport
import Testing

@testable import GeoClueBackend

/// Maps the manager's demand to GeoClue's properties.
@Suite(.inTurn) struct GeoClueDemandTests {
  static let levels: [(DesiredAccuracy, AccuracyLevel)] = [
    (.best, .exact), (.nearestTenMeters, .exact), (.meters(99), .exact), (.hundredMeters, .street),
    (.meters(999), .street), (.kilometer, .neighborhood), (.threeKilometers, .city),
    (.meters(.greatestFiniteMagnitude), .city),
  ]

  @Test(arguments: levels)
  func theAccuracySelectsALevel(_ accuracy: DesiredAccuracy, _ level: AccuracyLevel) {
    let demand = BackendDemand(kinds: .locations, desiredAccuracy: accuracy)
    #expect(GeoClueDemand(demand).level == level)
  }

  static let intervals: [(Duration, UInt32)] = [
    (.zero, 0), (.milliseconds(500), 0), (.seconds(1), 0), (.seconds(60), 59),
    (.milliseconds(2_999), 1), (.seconds(-5), 0),
    (.seconds(Int64.max), .max - 1), (.seconds(Int64.min), 0),
    (Duration(attoseconds: .max), .max - 1), (Duration(attoseconds: .min), 0),
  ]

  @Test(arguments: intervals)
  func theThresholdIsBelowTheInterval(_ interval: Duration, _ threshold: UInt32) {
    let demand = BackendDemand(kinds: .locations, minimumInterval: interval)
    #expect(GeoClueDemand(demand).timeThreshold == threshold)
  }

  @Test func twoDemandsAreSatisfiedTogether() {
    let coarse = GeoClueDemand(level: .city, timeThreshold: 10)
    let fine = GeoClueDemand(level: .street, timeThreshold: 30)
    #expect(coarse.merged(with: fine) == GeoClueDemand(level: .street, timeThreshold: 10))
    #expect(fine.merged(with: coarse) == GeoClueDemand(level: .street, timeThreshold: 10))
  }
}
