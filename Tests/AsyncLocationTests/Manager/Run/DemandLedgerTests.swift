import MockBackend
import TestSupport
import Testing

@testable import AsyncLocation

@Suite(.inTurn) struct DemandLedgerTests {
  private static let near = BackendDemand(kinds: .locations, desiredAccuracy: .nearestTenMeters)
  private static let far = BackendDemand(kinds: .locations, desiredAccuracy: .kilometer)

  @Test func withoutHoldersThereIsNoDemand() {
    var ledger = DemandLedger()
    #expect(ledger.merged == nil)
    ledger.remove(1)
    #expect(ledger.merged == nil)
  }

  @Test func theDemandFollowsJoiningAndLeavingHolders() {
    var ledger = DemandLedger()
    ledger.add(Self.far, holder: 1)
    #expect(ledger.merged == Self.far)
    ledger.add(Self.near, holder: 2)
    #expect(ledger.merged == Self.near)
    ledger.remove(2)
    #expect(ledger.merged == Self.far)
    ledger.remove(2)
    #expect(ledger.merged == Self.far)
    ledger.remove(1)
    #expect(ledger.merged == nil)
  }

  @Test func equalDemandsAreCountedSeparately() {
    var ledger = DemandLedger()
    ledger.add(Self.near, holder: 1)
    ledger.add(Self.near, holder: 2)
    ledger.add(Self.far, holder: 3)
    ledger.remove(1)
    #expect(ledger.merged == Self.near)
    ledger.remove(2)
    #expect(ledger.merged == Self.far)
  }

  @Test func aHolderOfEveryReceiverDemandsAllReceivers() {
    var ledger = DemandLedger()
    ledger.add(BackendDemand(kinds: .locations, devices: ["a"]), holder: 1)
    ledger.add(BackendDemand(kinds: .locations, devices: ["b"]), holder: 2)
    #expect(ledger.merged?.devices == ["a", "b"])
    ledger.add(BackendDemand(kinds: .locations), holder: 3)
    #expect(ledger.merged?.devices == nil)
    ledger.remove(3)
    #expect(ledger.merged?.devices == ["a", "b"])
  }

  @Test func theDemandIsPausedOnceEveryHolderIsPaused() {
    var ledger = DemandLedger()
    ledger.add(BackendDemand(kinds: .locations, devices: ["a"]), holder: 1)
    ledger.add(BackendDemand(kinds: .locations, devices: ["b"]), holder: 2)
    ledger.add(BackendDemand(kinds: .locations, devices: ["a"]), holder: 3)
    ledger.add(BackendDemand(kinds: .headings, devices: []), holder: 4)
    for holder in [1, 2] as [UInt64] {
      ledger.setPaused(holder, true)
      #expect(ledger.merged?.isPaused == false)
    }
    ledger.setPaused(3, true)
    ledger.setPaused(3, true)
    ledger.setPaused(5, true)  // The holder has left.
    #expect(ledger.merged?.isPaused == true)
    #expect(ledger.devices == ["a", "b"])
    ledger.setPaused(2, false)
    #expect(ledger.merged?.isPaused == false)
    ledger.remove(2)
    #expect(ledger.merged?.isPaused == true)
    #expect(ledger.devices == ["a"])
  }

  /// Holders are added and removed at random; the ledger equals merging all demands.
  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func agreesWithMergingAllDemands(_ seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var ledger = DemandLedger()
    var holders: [UInt64: BackendDemand] = [:]
    for holder in 1...400 as ClosedRange<UInt64> {
      if Bool.random(using: &random),
        let leaver = holders.keys.sorted().randomElement(using: &random)
      {
        ledger.remove(leaver)
        holders[leaver] = nil
      } else {
        let demand = Self.demand(&random)
        ledger.add(demand, holder: holder)
        holders[holder] = demand
      }
      let all = holders.values
      #expect(ledger.merged == all.dropFirst().reduce(all.first) { $0?.merged(with: $1) })
    }
  }

  private static func demand(_ random: inout SplitMix64) -> BackendDemand {
    BackendDemand(
      kinds: BackendCapabilities(rawValue: .random(in: 1...7, using: &random)),
      desiredAccuracy: [.best, .nearestTenMeters, .kilometer].randomElement(using: &random)
        ?? .best,
      minimumInterval: .seconds(Int.random(in: 0...2, using: &random)),
      devices: [nil, ["a"], ["b"], ["a", "b"]].randomElement(using: &random) ?? nil)
  }
}
