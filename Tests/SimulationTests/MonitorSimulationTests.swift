import TestSupport
import Testing

@testable import Simulation

/// Monitors in processes that are killed, with storages that fail; see `MonitorWorld`.
@Suite(.inTurn) struct MonitorSimulationTests {
  @Test("F49 kill the process at any moment: nothing is lost, a repeated event is marked")
  func crashes() async throws { try await run("crashes", schedules: 1_500) }

  @Test func additionsRemovalsFixesAndRevocations() async throws {
    try await run("monitor", schedules: 1_500)
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

  /// Events occur in each; otherwise a pass would mean nothing.
  @Test(arguments: [
    ("monitor", "takes"), ("monitor", "→ satisfied"), ("monitor", "→ unmonitored"),
    ("monitor", ", again"), ("monitor", "candidate of"), ("monitor", "the monitor is closed"),
    ("monitor", "the policy decides denied"), ("crashes", "takes"), ("crashes", ", again"),
    ("crashes", "the process is killed"), ("crashes", "everything is written"),
    ("crashes", "monitorInUse"), ("crashes", "storageUnavailable"),
  ])
  func somethingHappens(_ name: String, _ what: String) async throws {
    let scenario = try #require(Scenario.named(name))
    let isFound = await withTaskExecutorPreference(LongWork.shared) {
      (0..<1_000 as Range<UInt64>).contains { seed in
        Simulator.run(scenario, seed: seed, isVerbose: true).log.contains { $0.contains(what) }
      }
    }
    #expect(isFound)
  }

  /// `scripts/simulate --explore` explores the other worlds too, in an optimized build.
  @Test(arguments: [
    ("a crossing", 10), ("killed at a crossing", 100), ("removed at a crossing", 100),
    ("revoked", 100), ("resumed after a restart", 1),
  ])
  func holdsInEveryOrder(_ name: String, atLeast count: Int) async throws {
    let world = try #require(SmallWorld.named("monitor: \(name)"))
    let result = await withTaskExecutorPreference(LongWork.shared) { Simulator.explore(world) }
    #expect(result.failure?.violation == nil, "\(result.failure?.log ?? [])")
    #expect(result.schedules >= count)
  }
}
