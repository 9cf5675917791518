import TestSupport
import Testing

@testable import Simulation

/// Tests the simulator: its results are reproducible, and it detects bugs.
@Suite(.inTurn) struct SimulatorTests {
  @Test(.longWork, arguments: Scenario.all.map(\.name))
  func aSeedReplaysExactly(_ name: String) throws {
    let scenario = try #require(Scenario.named(name))
    for seed in 0..<3 as Range<UInt64> {
      let first = Simulator.run(scenario, seed: seed, isVerbose: true)
      let second = Simulator.run(scenario, seed: seed, isVerbose: true)
      #expect(first.log == second.log)
      #expect(first.hash == second.hash)
      // Replays the choices only, as a shrunk schedule is run.
      let replay = Simulator.run(scenario, first.schedule, isVerbose: true)
      #expect(replay.log == first.log)
      #expect(first.violation == nil, "seed \(seed)")
      #expect(first.steps > 10)
    }
  }

  @Test(.longWork) func schedulesDiffer() {
    let seeds = 0..<260 as Range<UInt64>
    let hashes = seeds.map { seed in
      Simulator.run(Scenario.all[Int(seed) % Scenario.all.count], seed: seed).hash
    }
    #expect(Double(Set(hashes).count) >= 0.95 * Double(hashes.count))
  }

  /// Without these events, a pass of a scenario would mean nothing.
  @Test(
    .longWork,
    arguments: [
      ("streams", "takes"), ("accounting", "takes"), ("calls", "gets success(Location"),
      ("permission", "is over: Optional(denied"), ("once", "gets success"),
      ("accuracy", "gets success"),
      ("backend", "is over"), ("reconnection", "takes"), ("end", "is over"), ("gpsd", "takes"),
      ("gpsd", "gpsd: halves"), ("everything", "takes"), ("explicit", "takes"),
      ("sessions", "is over"),
    ])
  func eventsOccurInEachScenario(_ name: String, _ event: String) throws {
    let scenario = try #require(Scenario.named(name))
    let count = (0..<40 as Range<UInt64>).count { seed in
      Simulator.run(scenario, seed: seed, isVerbose: true).log.contains { $0.contains(event) }
    }
    #expect(count > 0)
  }

  @Test(
    .longWork,
    arguments: [
      (Flaw.receivesTwice, "streams", "O2 one order"),
      (.ignoresCancellation, "streams", "2 runs if and only if"),
      (.leavesCallersWaiting, "calls", "O5 exactly once"),
      (.retainsStreams, "accounting", "demand leaks"),
    ])
  func aFlawIsFoundAndShrunk(
    _ flaw: Flaw, scenario name: String, violated: String
  ) throws {
    let scenario = try #require(Scenario.named(name)).with(flaw)
    let found = (0..<500 as Range<UInt64>).lazy
      .map { Simulator.run(scenario, seed: $0) }
      .first { $0.violation?.name == violated }
    let outcome = try #require(found)
    let shrunk = Simulator.shrink(scenario, outcome.schedule, violated)
    #expect(shrunk.violation?.name == violated)
    #expect(shrunk.schedule.operations.count <= outcome.schedule.operations.count)
    #expect(shrunk.schedule.operations.count <= 5)
    #expect(shrunk.schedule.choices.count <= outcome.schedule.choices.count)
    #expect(shrunk.log.contains { $0.contains(violated) })
    // No remaining operation can be removed.
    for index in shrunk.schedule.operations.indices {
      var smaller = shrunk.schedule
      smaller.operations.remove(at: index)
      #expect(Simulator.run(scenario, smaller).violation?.name != violated)
    }
  }
}

/// Explores small worlds in every order, but without preemptions: those need a build that observes
/// locks (`scripts/simulate --explore`).
@Suite(.inTurn) struct SmallWorldTests {
  @Test(
    .longWork,
    arguments: [
      ("cancel a reader", 10), ("drop a stream", 10), ("revoke", 10), ("refusal amidst", 1),
      ("cancel a call in between", 5), ("shared question", 100),
      ("start, stop, start in between", 5), ("change of demand", 2), ("the run ends", 10),
      ("the run fails", 5), ("session", 20), ("reconnection", 5),
    ])
  func invariantsHoldInEveryOrder(_ name: String, atLeast count: Int) throws {
    let world = try #require(SmallWorld.named(name))
    let result = Simulator.explore(world)
    #expect(result.failure?.violation == nil, "\(result.failure?.log ?? [])")
    #expect(result.schedules >= count)
    print("\(name): \(result.schedules) schedules")
  }

  @Test func fourTurnsCoverEverySmallWorld() {
    let turns = (1...4).map { SmallWorld.turn($0).map(\.name) }
    #expect(Set(turns.joined()) == Set(SmallWorld.all.map(\.name)))
    // A turn has one of the four large worlds.
    for turn in turns { #expect(turn.count == SmallWorld.all.count - 3) }
  }

  @Test func ordersWithTheSameEffectAreExploredOnce() throws {
    // Nobody reads the only stream, so the fixes can be interleaved with nothing.
    let world = SmallWorld(
      "test", preemptions: 0, after: [.open(.updates, isUnread: true)],
      [.emit(.fix), .emit(.fix)])
    let result = Simulator.explore(world)
    #expect(result.schedules == 1)
  }

  @Test func smallWorldsHaveUniqueNames() {
    #expect(Set(SmallWorld.all.map(\.name)).count == SmallWorld.all.count)
  }
}
