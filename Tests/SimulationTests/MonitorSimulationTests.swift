import TestSupport
import Testing

@testable import Simulation

/// Monitors in processes that are killed, with storages that fail; see `MonitorWorld`.
/// `scripts/simulate` runs more schedules, and explores the other worlds, in an optimized build.
@Suite(.inTurn) struct MonitorSimulationTests {
  @Test("F49 kill the process at any moment: nothing is lost, a repeated event is marked")
  func crashes() async throws { try await run("crashes", schedules: 40) }

  @Test func invariantsHoldForAdditionsRemovalsFixesAndRevocations() async throws {
    try await run("monitor", schedules: 40)
  }

  private func run(_ name: String, schedules: UInt64) async throws {
    try await withTaskExecutorPreference(LongWork.shared) {
      try search(name, schedules: schedules)
    }
  }

  private func search(_ name: String, schedules: UInt64) throws {
    let scenario = try #require(Scenario.named(name))
    for seed in 0..<schedules {
      let outcome = Simulator.run(scenario, seed: seed)
      guard let violation = outcome.violation else { continue }
      let shrunk = Simulator.shrink(scenario, outcome.schedule, violation.name)
      Issue.record(
        "scripts/simulate --scenario \(name) --replay \(seed): \(violation)\n\(shrunk.log)")
      return
    }
  }

  /// The events that must occur in each scenario, since otherwise a pass would mean nothing.
  @Test(arguments: [
    (
      "monitor",
      [
        "takes", "→ satisfied", "→ unmonitored", ", again", "candidate of",
        "the monitor is closed", "the policy decides denied",
      ]
    ),
    (
      "crashes",
      [
        "takes", ", again", "the process is killed", "everything is written", "monitorInUse",
        "storageUnavailable",
      ]
    ),
  ])
  func everyExpectedEventOccurs(_ name: String, _ events: [String]) async throws {
    let scenario = try #require(Scenario.named(name))
    let missing = await withTaskExecutorPreference(LongWork.shared) {
      var missing = events
      for seed in 0..<1_000 as Range<UInt64> where !missing.isEmpty {
        let log = Simulator.run(scenario, seed: seed, isVerbose: true).log
        missing.removeAll { event in log.contains { $0.contains(event) } }
      }
      return missing
    }
    #expect(missing.isEmpty)
  }

  @Test(arguments: [
    ("a crossing", 10), ("killed at a crossing", 100), ("resumed after a restart", 1),
  ])
  func invariantsHoldInEveryOrder(_ name: String, atLeast count: Int) async throws {
    let world = try #require(SmallWorld.named("monitor: \(name)"))
    let result = await withTaskExecutorPreference(LongWork.shared) { Simulator.explore(world) }
    #expect(result.failure?.violation == nil, "\(result.failure?.log ?? [])")
    #expect(result.schedules >= count)
  }
}
