/// A world's operations and the choices of one run: enough to run it again.
public struct Schedule: Sendable {
  public var operations: [Operation]
  public var choices: [UInt8]
}

/// What came of a schedule.
public struct Outcome: Sendable {
  public let schedule: Schedule
  /// Of everything that was chosen.
  public let hash: UInt64
  public let steps: Int
  /// How many places there were to cancel at, where that is what is tried.
  let boundaries: Int
  public let violation: Violation?
  /// What happened, line by line; empty unless it was asked for.
  public let log: [String]
  /// How many there were to choose from at each choice; empty unless it was asked for.
  let widths: [UInt8]
}

/// Runs schedules.
public enum Simulator: Sendable {
  /// Whether this build sees locks, and lets others come in between.
  public static var watchesLocks: Bool {
    #if SIMULATION
      true
    #else
      false
    #endif
  }

  /// Runs the schedule that a seed makes.
  public static func run(_ scenario: Scenario, seed: UInt64, isVerbose: Bool = false) -> Outcome {
    run(scenario, scenario.operations(seed: seed), Choices(seed: seed), isVerbose: isVerbose)
  }

  /// Runs a schedule anew; choices that it does not have are the first of each.
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
    let world = World(
      scenario, operations, choices, isVerbose: isVerbose, cancelsAfter: cancelsAfter)
    world.run()
    return Outcome(
      schedule: Schedule(operations: operations, choices: world.choices.made),
      hash: world.choices.hash, steps: world.steps, boundaries: world.boundaries,
      violation: world.violation, log: world.log,
      widths: world.choices.widths)
  }

  /// The smallest schedule found that breaks the same guarantee.
  public static func shrink(_ scenario: Scenario, _ schedule: Schedule, _ name: String) -> Outcome {
    var best = schedule
    func fails(_ candidate: Schedule) -> Bool {
      run(scenario, candidate).violation?.name == name
    }
    var isSmaller = true
    while isSmaller {
      isSmaller = false
      for index in best.operations.indices.reversed() {
        var candidate = best
        candidate.operations.remove(at: index)
        if fails(candidate) { (best, isSmaller) = (candidate, true) }
      }
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
  /// A number of its own for every operation.
  var code: Int {
    func pair(_ kind: Int, _ value: Int) -> Int { kind * 1_000 + value }
    return switch self {
    case .open(let stream, let isStuck): pair(1, Int(stream.rawValue) * 2 + (isStuck ? 1 : 0))
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
    case .network(let happening): pair(19, Int(happening.rawValue))
    }
  }
}
