import AsyncLocation

/// The operations and choices of one run, which suffice to repeat it.
public struct Schedule: Sendable {
  public var operations: [Operation]
  public var choices: [UInt8]
}

/// The result of a schedule.
public struct Outcome: Sendable {
  public let schedule: Schedule
  /// The hash of all operations and choices.
  public let hash: UInt64
  public let steps: Int
  /// The number of places to cancel at, if cancellation is tested.
  let boundaries: Int
  public let violation: Violation?
  /// The log of the run; empty unless requested.
  public let log: [String]
  /// The number of alternatives of each choice; empty unless requested.
  let widths: [UInt8]
}

/// Runs schedules.
public enum Simulator: Sendable {
  /// Turns on the observation of locks and the preemptions at them. No other code in the process
  /// may take locks. Returns false if this build does not support it.
  public static func watchLocks() -> Bool { LockWatch.turnOn() }

  /// Runs the schedule generated from a seed.
  public static func run(_ scenario: Scenario, seed: UInt64, isVerbose: Bool = false) -> Outcome {
    run(scenario, scenario.operations(seed: seed), Choices(seed: seed), isVerbose: isVerbose)
  }

  /// Repeats a schedule; every choice that it does not contain is 0.
  public static func run(
    _ scenario: Scenario, _ schedule: Schedule, isVerbose: Bool = false
  ) -> Outcome {
    run(scenario, schedule.operations, Choices(given: schedule.choices), isVerbose: isVerbose)
  }

  static func run(
    _ scenario: Scenario, _ operations: [Operation], _ choices: Choices, isVerbose: Bool,
    cancelsAfter: Int? = nil
  ) -> Outcome {
    var choices = choices
    for operation in operations { choices.fold(UInt64(truncatingIfNeeded: operation.code)) }
    if scenario.hasMonitor {
      let world = MonitorWorld(scenario, operations, choices, isVerbose: isVerbose)
      world.run()
      return Outcome(
        schedule: Schedule(operations: operations, choices: world.choices.made),
        hash: world.choices.hash, steps: world.steps, boundaries: 0,
        violation: world.violation, log: world.log, widths: world.choices.widths)
    }
    let world = World(
      scenario, operations, choices, isVerbose: isVerbose, cancelsAfter: cancelsAfter)
    world.run()
    return Outcome(
      schedule: Schedule(operations: operations, choices: world.choices.made),
      hash: world.choices.hash, steps: world.steps, boundaries: world.boundaries,
      violation: world.violation, log: world.log,
      widths: world.choices.widths)
  }

  /// Shrinks a schedule and returns the outcome of the smallest one found that violates the same
  /// guarantee.
  public static func shrink(_ scenario: Scenario, _ schedule: Schedule, _ name: String) -> Outcome {
    var best = schedule
    func fails(_ candidate: Schedule) -> Bool {
      run(scenario, candidate).violation?.name == name
    }
    var isSmaller = true
    while isSmaller {
      isSmaller = false
      // Removes operations.
      for index in best.operations.indices.reversed() {
        var candidate = best
        candidate.operations.remove(at: index)
        if fails(candidate) { (best, isSmaller) = (candidate, true) }
      }
      // Removes runs of choices or sets them to 0, from the longest runs to single choices.
      var length = max(1, best.choices.count / 2)
      while length >= 1 {
        var start = 0
        while start < best.choices.count {
          let end = min(start + length, best.choices.count)
          var candidate = best
          candidate.choices.removeSubrange(start..<end)
          if fails(candidate) {
            (best, isSmaller) = (candidate, true)
            continue
          }
          candidate = best
          for index in start..<end { candidate.choices[index] = 0 }
          if candidate.choices != best.choices, fails(candidate) {
            (best, isSmaller) = (candidate, true)
          }
          start = end
        }
        length /= 2
      }
      // Missing choices count as 0.
      while best.choices.last == 0 {
        var candidate = best
        candidate.choices.removeLast()
        guard fails(candidate) else { break }
        best = candidate
      }
    }
    return run(scenario, best, isVerbose: true)
  }
}

extension Operation {
  /// A unique number for each operation.
  var code: Int {
    func pair(_ kind: Int, _ value: Int) -> Int { kind * 1_000 + value }
    return switch self {
    case .open(let stream, let isUnread): pair(1, Int(stream.rawValue) * 2 + (isUnread ? 1 : 0))
    case .cancelReader(let index): pair(2, index)
    case .dropStream(let index): pair(3, index)
    case .call(let call): pair(4, Int(call.rawValue))
    case .cancelCall(let index): pair(5, index)
    case .emit(let events): pair(6, Int(events.rawValue))
    case .decide(let decision): pair(7, Int(decision.rawValue))
    case .answer(let decision): pair(8, Int(decision.rawValue))
    case .answerAccuracy(let seconds): pair(9, seconds)
    case .services(let enabled): pair(10, enabled ? 1 : 0)
    case .use(let isInUse): pair(11, isInUse ? 1 : 0)
    case .openSession(let always, let purpose): pair(12, (always ? 2 : 0) + (purpose ? 1 : 0))
    case .endSession(let index): pair(13, index)
    case .finishRun: pair(14, 0)
    case .failRun: pair(15, 0)
    case .advance(let seconds): pair(16, seconds)
    case .shutdown: pair(17, 0)
    case .dropManager: pair(18, 0)
    case .network(let operation): pair(19, Int(operation.rawValue))
    case .monitor(let operation): pair(20, operation.code)
    }
  }
}
