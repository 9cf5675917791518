import Simulation

/// The parsed command line.
enum Arguments: Equatable {
  case help
  case scenarios
  /// Run schedules, divided among processes.
  case run(Span, workers: Int)
  /// Run one share of the schedules and report to the parent process.
  case work(Span, share: Int, of: Int, report: String)
  /// Run one seed and print its log.
  case replay(seed: UInt64, scenario: String?)
  /// Cancel every suspending call and stream at every possible place.
  case cancel
  /// Run small worlds in all orders: the named one, or the worlds of a turn.
  case explore(world: String?, turn: Int?)
  /// Print the noise tables of the documentation.
  case noise(days: Int, seed: UInt64)
  /// Print the table of attacks of the documentation.
  case integrity(hours: Int, seed: UInt64)
  /// Print how many trips of labelled days are found.
  case trips(days: Int, seed: UInt64)
  /// Print labelled days: their planned trips and their locations, in the named row of the table.
  case tripLocations(String, days: Int, seed: UInt64)

  /// Schedules with consecutive seeds.
  struct Span: Equatable {
    var schedules = 100_000
    var seed: UInt64 = 0
    var scenario: String?
    var stopsAtFirst = false
  }

  /// An error in a command line; the message states what to change.
  struct ArgumentError: Error, Equatable { let message: String }

  static let usage = """
    usage: scripts/simulate [--schedules N] [--seed S] [--scenario NAME] [--workers N] [--first]
           scripts/simulate --replay SEED [--scenario NAME]
           scripts/simulate --explore [NAME | --turn N]
           scripts/simulate --cancel
           scripts/simulate --noise [DAYS] [--seed S]
           scripts/simulate --integrity [HOURS] [--seed S]
           scripts/simulate --trips [DAYS] [--seed S] [--locations INTERVAL]
           scripts/simulate --scenarios

      --schedules N    how many to run (100000)
      --seed S         the seed of the first; the others follow (0)
      --scenario NAME  only this scenario; by default they alternate
      --workers N      the number of processes (one per processor)
      --first          stop at the first violation
      --replay SEED    run one schedule and print every step
      --explore        run all small worlds, or the named one, in every order
      --turn N         of the four largest small worlds only one, another for each N in turn
      --cancel         cancel every function and stream at every suspension
      --noise [DAYS]   print the events that errors of position cause in a day, the mean of DAYS (5)
      --integrity [HOURS]
                       print the attacks that are detected, and the false alarms in HOURS (100)
      --trips [DAYS]   print how many trips of DAYS (1000) labelled days are found
      --locations NAME print the days instead, in CSV, in one row of the table, such as "60 s"
      --scenarios      list the scenarios and the small worlds

    Exits with 0 without a violation, 1 with a violation, 2 on a usage error.

    """

  /// Parses arguments without the program's name.
  init(_ arguments: [String], processors: Int) throws(ArgumentError) {
    var span = Span()
    var (workers, replay, explores, world) = (max(1, processors), UInt64?.none, false, String?.none)
    var (share, shares, report) = (0, 0, "")
    var (noiseDays, tripDays, hours, turn) = (Int?.none, Int?.none, Int?.none, Int?.none)
    var trial: String?
    var rest = arguments[...]
    while let option = rest.popFirst() {
      switch option {
      case "--help", "-h":
        self = .help
        return
      case "--scenarios":
        self = .scenarios
        return
      case "--cancel":
        self = .cancel
        return
      case "--schedules":
        span.schedules = try Self.value(of: option, &rest, "a number from 1") { Self.count($0) }
      case "--seed": span.seed = try Self.value(of: option, &rest, "a whole number", UInt64.init)
      case "--scenario":
        span.scenario = try Self.value(of: option, &rest, "one of --scenarios") { name in
          Scenario.named(name)?.name
        }
      case "--workers":
        workers = try Self.value(of: option, &rest, "1 to 256") { Self.count($0, most: 256) }
      case "--first": span.stopsAtFirst = true
      case "--replay": replay = try Self.value(of: option, &rest, "a seed", UInt64.init)
      case "--explore":
        explores = true
        if let name = rest.first, !name.hasPrefix("-") {
          world = try Self.value(of: option, &rest, "one of --scenarios") { name in
            SmallWorld.named(name)?.name
          }
        }
      case "--turn": turn = try Self.value(of: option, &rest, "a number from 1") { Self.count($0) }
      case "--noise":
        noiseDays = try Self.optionalCount(of: option, &rest, default: 5, most: 365)
      case "--trips":
        tripDays = try Self.optionalCount(of: option, &rest, default: 1_000, most: 100_000)
      case "--locations":
        trial = try Self.value(of: option, &rest, "an interval of the table of --trips") { name in
          TripTrial.all.first { $0.name == name }?.name
        }
      case "--integrity":
        hours = try Self.optionalCount(of: option, &rest, default: 100, most: 100_000)
      case "--share": share = try Self.value(of: option, &rest, "a number", Int.init)
      case "--shares": shares = try Self.value(of: option, &rest, "a number") { Self.count($0) }
      case "--report": report = try Self.value(of: option, &rest, "a file") { $0 }
      default: throw ArgumentError(message: "unknown option '\(option)'")
      }
    }
    guard turn == nil || explores && world == nil else {
      throw ArgumentError(message: "--turn is for --explore without a name")
    }
    guard trial == nil || tripDays != nil else {
      throw ArgumentError(message: "--locations is for --trips")
    }
    self =
      if let replay {
        .replay(seed: replay, scenario: span.scenario)
      } else if let noiseDays {
        .noise(days: noiseDays, seed: span.seed)
      } else if let hours {
        .integrity(hours: hours, seed: span.seed)
      } else if let tripDays {
        trial.map { .tripLocations($0, days: tripDays, seed: span.seed) }
          ?? .trips(days: tripDays, seed: span.seed)
      } else if explores {
        .explore(world: world, turn: turn)
      } else if shares > 0 {
        .work(span, share: share, of: shares, report: report)
      } else {
        .run(span, workers: min(workers, span.schedules))
      }
  }

  /// The number after an option; the default if none follows.
  private static func optionalCount(
    of option: String, _ rest: inout ArraySlice<String>, default number: Int, most: Int
  ) throws(ArgumentError) -> Int {
    guard let next = rest.first, !next.hasPrefix("-") else { return number }
    return try value(of: option, &rest, "1 to \(most)") { count($0, most: most) }
  }

  private static func count(_ text: String, most: Int = 1_000_000_000) -> Int? {
    Int(text).flatMap { (1...most).contains($0) ? $0 : nil }
  }

  private static func value<Value>(
    of option: String, _ rest: inout ArraySlice<String>, _ expected: String,
    _ read: (String) -> Value?
  ) throws(ArgumentError) -> Value {
    guard let text = rest.popFirst(), let value = read(text) else {
      throw ArgumentError(message: "\(option) takes \(expected)")
    }
    return value
  }
}
