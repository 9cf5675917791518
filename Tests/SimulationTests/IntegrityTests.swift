import AsyncLocation
import Simulation
import TestSupport
import Testing

/// The bounds of the table that `scripts/simulate --integrity` prints, for fixed seeds.
@Suite(.inTurn) struct IntegrityTests {
  /// The simulated hours without an attack, and the attacks of each kind.
  private static let hours = Rounds.environment("INTEGRITY_HOURS", otherwise: 100)
  private static let attacks = Rounds.environment("INTEGRITY_ATTACKS", otherwise: 200)

  @Test(.longWork) func journeysWithoutAnAttackAreNotSuspect() {
    for seed in 0..<Self.hours {
      let alarm = IntegrityTrial.falseAlarm(seconds: 3_600, seed: 20_000 + UInt64(seed))
      #expect(alarm == nil)
    }
  }

  @Test(.longWork) func attacksAreDetected() {
    var delays: [Double] = []
    for attack in Attack.detectable {
      let found = outcomes(of: attack).compactMap(\.delay)
      // A slow drag of a receiver that reports whole units may remain unnoticed.
      #expect(Double(found.count) >= 0.85 * Double(Self.attacks), "\(attack): \(found.count)")
      delays += found
    }
    let total = Double(Self.attacks * Attack.detectable.count)
    #expect(Double(delays.count) >= 0.96 * total)
    #expect(Double(delays.count { $0 <= 10 }) >= total / 2)
  }

  /// The converse: the checks find contradictions only.
  @Test(.longWork) func consistentAttacksAreNotDetected() {
    #expect(outcomes(of: .consistentDrag).allSatisfy { $0.delay == nil })
  }

  private func outcomes(of attack: Attack) -> [IntegrityTrial.Outcome] {
    (0..<Self.attacks).map { IntegrityTrial.outcome(of: attack, seed: UInt64($0)) }
  }
}
