/// A world of two or three tasks, small enough to run in all possible orders.
public struct SmallWorld: Sendable {
  public let name: String
  /// The maximum number of times that something other than the oldest ready item runs next; nil for
  /// no limit.
  public let deviations: Int?
  /// True if the world has more orders than most others together.
  public let isLarge: Bool
  let operations: [Operation]
  let scenario: Scenario

  init(
    _ name: String, requestsImplicitly: Bool = true, prompt: Operation.Decision? = nil,
    initial: Operation.Decision? = .always, isSlow: Bool = false, preemptions: Int = 1,
    deviations: Int? = nil, isLarge: Bool = false, hasMonitor: Bool = false,
    after prelude: [Operation] = [],
    _ operations: [Operation]
  ) {
    (self.name, self.operations) = (name, prelude + operations)
    (self.deviations, self.isLarge) = (deviations, isLarge)
    scenario = Scenario(
      name, requestsImplicitly: requestsImplicitly, prompt: prompt, initial: initial,
      isSlow: isSlow,
      preemptions: preemptions == 0 ? 0 : 2, maximumPreemptions: preemptions, isExplored: true,
      maximumDeviations: deviations ?? .max, hasMonitor: hasMonitor, prelude: prelude.count, [])
  }

  public static func named(_ name: String) -> SmallWorld? { all.first { $0.name == name } }

  /// All worlds except the large ones, and one large world that the number selects.
  public static func turn(_ number: Int) -> [SmallWorld] {
    let large = all.filter(\.isLarge)
    return all.filter { !$0.isLarge || $0.name == large[number % large.count].name }
  }

  private static let reader = Operation.open(.updates, isUnread: false)
  private static let unread = Operation.open(.updates, isUnread: true)

  public static let all: [SmallWorld] = [
    SmallWorld("cancel a reader", [reader, .emit(.fix), .cancelReader(0)]),
    SmallWorld("drop a stream", [unread, .emit(.fixes), .dropStream(0), .emit(.fix)]),
    SmallWorld(
      "two readers", preemptions: 0, isLarge: true, [reader, reader, .emit(.fixes), .emit(.fix)]),
    SmallWorld("revoke", isLarge: true, [reader, .emit(.fix), .decide(.denied), .emit(.fix)]),
    SmallWorld("refusal amidst", [reader, .emit(.refusalAmidst)]),
    SmallWorld("one call", preemptions: 0, [.call(.location), .emit(.fix)]),
    SmallWorld(
      "cancel a call", preemptions: 0, deviations: 5, after: [.call(.location)],
      [.cancelCall(0), .emit(.fix)]),
    SmallWorld("cancel a call in between", after: [.call(.location)], [.cancelCall(0)]),
    SmallWorld(
      "two calls", preemptions: 0, deviations: 5, after: [.call(.location), .call(.location)],
      [.emit(.fix)]),
    SmallWorld(
      "deadline", preemptions: 0, deviations: 5, after: [.call(.quickLocation)],
      [.emit(.fixes), .advance(seconds: 2)]),
    SmallWorld(
      "shared question", initial: nil, preemptions: 0, after: [.call(.whenInUse)],
      [.call(.whenInUse), .answer(.whenInUse)]),
    SmallWorld(
      "stronger question", initial: nil, preemptions: 0,
      after: [.call(.whenInUse), .call(.always)], [.answer(.whenInUse), .answer(.always)]),
    SmallWorld(
      "cancel a question", initial: nil, isLarge: true,
      [.call(.whenInUse), .cancelCall(0), .answer(.denied)]),
    SmallWorld(
      "start, stop, start", isSlow: true, preemptions: 0, [unread, .dropStream(0), unread]),
    SmallWorld("start, stop, start in between", [unread, .dropStream(0), unread]),
    SmallWorld("change of demand", [.open(.headings, isUnread: true), unread, .dropStream(0)]),
    SmallWorld("the run ends", [reader, .emit(.fix), .finishRun, unread]),
    SmallWorld("the run fails", [reader, .failRun, .emit(.late)]),
    SmallWorld("shut down", preemptions: 0, [reader, .emit(.fix), .shutdown]),
    SmallWorld(
      "shut down a call", preemptions: 0, deviations: 5, after: [.call(.location)], [.shutdown]),
    SmallWorld(
      "open after the end", preemptions: 0, deviations: 5, after: [reader], [.shutdown, reader]),
    SmallWorld(
      "drop the manager", preemptions: 0, after: [reader],
      [.dropManager, .emit(.fix), .cancelReader(0)]),
    SmallWorld("drop the manager in between", after: [reader], [.dropManager, .cancelReader(0)]),
    SmallWorld(
      "once", initial: nil, preemptions: 0, deviations: 5, after: [.call(.location)],
      [.answer(.once), .emit(.fix)]),
    SmallWorld(
      "session", initial: nil,
      [
        .openSession(always: false, purpose: false), .open(.diagnostics, isUnread: false),
        .answer(.denied), .endSession(0),
      ]),
    SmallWorld(
      "full accuracy", initial: .reduced, preemptions: 0, isLarge: true,
      [.call(.fullAccuracy), .answerAccuracy(seconds: 3), .advance(seconds: 3)]),
    SmallWorld("reconnection", [reader, .emit(.fixes), .emit(.repeated), .emit(.fix)]),
    monitor("a crossing", deviations: 4, after: [add, consume], [.fix(.center)]),
    monitor(
      "killed at a crossing", deviations: 2, after: [add, consume], [.fix(.center), .crash]),
    monitor("killed while adding", deviations: 2, after: [consume], [add, .crash]),
    monitor("closed with events", deviations: 2, after: [add], [.fix(.center), .consume, .close]),
    monitor(
      "replaced after a restart", deviations: 2,
      after: [.add(0, .dwelling, .unsatisfied), .fix(.center), .crash, .open],
      [.remove(0), .add(0, .dwelling, .unsatisfied), .stay(seconds: 8)]),
    // A fix that does not count arrives 31 s after the first, and a fix that counts 32 s later.
    SmallWorld(
      "monitor: resumed after a restart", preemptions: 0, deviations: 2, hasMonitor: true,
      after: [
        .monitor(.open), .monitor(.add(0, .small, .unknown)), .monitor(.fix(.innerEdge)),
        .monitor(.crash), .monitor(.open), .advance(seconds: 30), .monitor(.fix(.coarse)),
        .advance(seconds: 31),
      ],
      [.monitor(.fix(.innerEdge))]),
    monitor(
      "removed at a crossing", deviations: 2, after: [add, consume], [.fix(.center), .remove(0)]),
    monitor(
      "a loop is left", deviations: 2, after: [add, consume],
      [.leaveLoop(0), .fix(.center), .consume]),
    monitor(
      "two loops", deviations: 2, after: [.addAll(.unknown), .consume, .consume],
      [.fix(.center), .cancelConsumer(0)]),
    SmallWorld(
      "monitor: revoked", preemptions: 0, deviations: 2, hasMonitor: true,
      after: [.monitor(.open), .monitor(add), .monitor(.consume)],
      [.monitor(.fix(.center)), .decide(.denied)]),
  ]

  private static let add = Operation.Monitoring.add(0, .small, .unsatisfied)
  private static let consume = Operation.Monitoring.consume

  /// A small world with an open monitor.
  private static func monitor(
    _ name: String, deviations: Int, after prelude: [Operation.Monitoring],
    _ operations: [Operation.Monitoring]
  ) -> SmallWorld {
    SmallWorld(
      "monitor: \(name)", preemptions: 0, deviations: deviations, hasMonitor: true,
      after: [.monitor(.open)] + prelude.map { .monitor($0) }, operations.map { .monitor($0) })
  }
}

extension Simulator {
  /// The result of running a small world in all orders.
  public struct Exploration: Sendable {
    public let schedules: Int
    /// The first failing schedule, with its log; the search ends there.
    public let failure: Outcome?
  }

  /// Runs a small world in all orders up to its maximum number of deviations: every choice of the
  /// next job or operation, and every place for a preemption. The jobs of the start, of the prelude
  /// and of the final teardown run in one order.
  public static func explore(_ world: SmallWorld) -> Exploration {
    var (prefix, schedules) = ([UInt8](), 0)
    while true {
      let outcome = run(
        world.scenario, world.operations, Choices(given: prefix, recordsWidths: true),
        isVerbose: false)
      schedules += 1
      if outcome.violation != nil {
        return Exploration(
          schedules: schedules,
          failure: run(world.scenario, outcome.schedule, isVerbose: true))
      }
      // Continues with the next choices in lexicographic order.
      var choices = outcome.schedule.choices
      while let last = choices.last, last + 1 >= outcome.widths[choices.count - 1] {
        choices.removeLast()
      }
      guard let last = choices.last else {
        return Exploration(schedules: schedules, failure: nil)
      }
      choices[choices.count - 1] = last + 1
      prefix = choices
    }
  }
}
