import Foundation
import Simulation

/// Searches for orders of events in which a location manager violates its guarantees.
@main struct Simulate {
  static func main() {
    do {
      let arguments = try Arguments(
        Array(CommandLine.arguments.dropFirst()),
        processors: ProcessInfo.processInfo.activeProcessorCount)
      exit(try run(arguments) ? 0 : 1)
    } catch let error as Arguments.ArgumentError {
      printError("simulate: \(error.message)\n\n\(Arguments.usage)")
      exit(2)
    } catch {
      printError("simulate: \(error)\n")
      exit(1)
    }
  }

  /// Returns true if there are no violations.
  private static func run(_ arguments: Arguments) throws -> Bool {
    switch arguments {
    case .help: print(Arguments.usage, terminator: "")
    case .scenarios:
      print("scenarios: \(Scenario.all.map(\.name).joined(separator: " "))")
      print("small worlds: \(SmallWorld.all.map(\.name).joined(separator: " "))")
    case .run(let span, let workers):
      watchLocks()
      return try Team(span: span, workers: workers).run()
    case .work(let span, let share, let shares, let report):
      // The parent process prints the warning.
      _ = Simulator.watchLocks()
      try Worker(span: span, share: share, shares: shares, url: URL(fileURLWithPath: report)).work()
    case .replay(let seed, let name):
      watchLocks()
      return replay(seed, name)
    case .cancel:
      watchLocks()
      return cancel()
    case .noise(let days, let seed):
      for line in NoiseTable(days: days, seed: seed).lines { print(line) }
    case .integrity(let hours, let seed):
      for line in IntegrityTable(hours: hours, seed: seed).lines { print(line) }
    case .trips(let days, let seed):
      let table = TripTable(days: days, seed: seed)
      for line in TripTable.heading { print(line) }
      for trial in TripTrial.all { print(table.line(trial)) }
    case .tripLocations(let name, let days, let seed):
      for trial in TripTrial.all where trial.name == name {
        for day in 0..<UInt64(days) {
          for line in trial.lines(day: seed &+ day) { print(line) }
        }
      }
    case .explore(let world, let turn):
      watchLocks()
      if let world = world.flatMap(SmallWorld.named) { return explore([world]) }
      return explore(turn.map(SmallWorld.turn) ?? SmallWorld.all)
    }
    return true
  }

  private static func replay(_ seed: UInt64, _ name: String?) -> Bool {
    let scenario =
      name.flatMap(Scenario.named) ?? Scenario.all[Int(seed % UInt64(Scenario.all.count))]
    let outcome = Simulator.run(scenario, seed: seed, isVerbose: true)
    print("scenario \(scenario.name), seed \(seed)")
    for line in outcome.log { print(line) }
    guard let violation = outcome.violation else {
      print("no violation in \(outcome.steps) steps")
      return true
    }
    print("VIOLATION \(violation.name): \(violation.details)")
    return false
  }

  private static func explore(_ worlds: [SmallWorld]) -> Bool {
    let start = ContinuousClock.now
    var (total, isSound) = (0, true)
    for world in worlds {
      let result = Simulator.explore(world)
      total += result.schedules
      let bound = world.deviations.map { "with at most \($0) deviations" } ?? "without a bound"
      print("\(world.name): \(result.schedules) schedules, all orders \(bound)")
      fflush(nil)
      guard let outcome = result.failure, let violation = outcome.violation else { continue }
      isSound = false
      print("VIOLATION \(violation.name): \(violation.details)")
      for line in outcome.log { print("  \(line)") }
    }
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    print(
      "total: \(worlds.count) small worlds, \(total) schedules, \((seconds * 10).rounded() / 10) s")
    return isSound
  }

  private static func cancel() -> Bool {
    let sweeps = Simulator.sweepCancellations()
    var isSound = true
    for sweep in sweeps {
      print("\(sweep.name): cancelled at each of \(sweep.places) places")
      guard let outcome = sweep.failure, let violation = outcome.violation else { continue }
      isSound = false
      print("VIOLATION \(violation.name): \(violation.details)")
      for line in outcome.log { print("  \(line)") }
    }
    let total = sweeps.reduce(0) { $0 + $1.places }
    print("total: \(sweeps.count) functions and streams, cancelled at \(total) places")
    return isSound
  }

  private static func watchLocks() {
    if !Simulator.watchLocks() {
      printError("simulate: a release build does not watch locks; see scripts/simulate\n")
    }
  }

  private static func printError(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
}
