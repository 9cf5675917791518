import TestSupport
import Testing

@testable import AsyncLocation

/// Every sequence of adding and removing three holders with three demands, up to a length.
@Suite(.inTurn) struct DemandLedgerExploration {
  static let length = 5

  private static let demands = [
    BackendDemand(kinds: .locations, desiredAccuracy: .kilometer, devices: ["a"]),
    BackendDemand(kinds: .locations, desiredAccuracy: .nearestTenMeters),
    BackendDemand(kinds: .headings, minimumInterval: .seconds(2), devices: ["b"]),
  ]

  @Test(.longWork) func equalsMergingAllDemandsInEverySequence() {
    var (sequences, problems) = (0, 0)
    func explore(_ ledger: DemandLedger, _ held: [UInt64: BackendDemand], _ length: Int) {
      guard length > 0, problems == 0 else { return }
      for holder in 1...3 as ClosedRange<UInt64> {
        let isHolding = held[holder] != nil
        // A holder with a demand releases it; a holder without a demand adds one of three.
        for demand in isHolding ? [nil] : Self.demands.map(Optional.some) {
          sequences += 1
          var (ledger, held) = (ledger, held)
          if let demand { ledger.add(demand, holder: holder) } else { ledger.remove(holder) }
          held[holder] = demand
          let all = held.values.reduce(nil) { $0?.merged(with: $1) ?? $1 }
          let named = held.values.reduce(Set()) { $0.union($1.devices ?? []) }
          if ledger.merged != all || ledger.count != held.count { problems += 1 }
          if Set(ledger.devices) != named || ledger.devices.count != named.count { problems += 1 }
          explore(ledger, held, length - 1)
        }
      }
    }
    explore(DemandLedger(), [:], Self.length)
    #expect(problems == 0)
    #expect(sequences > 5_000)
    print("Demand: \(sequences) sequences of 1 to \(Self.length) events, none wrong")
  }
}
