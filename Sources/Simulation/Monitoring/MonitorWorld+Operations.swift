import AsyncLocation
import FoundationEssentials

/// Operations of the world.
extension MonitorWorld {
  func perform(_ operation: Operation) {
    switch operation {
    case .monitor(let operation): perform(operation)
    case .advance(let seconds): clock.advance(to: clock.now.offset + .seconds(seconds))
    case .decide(let new): decide(World.decision(new))
    case .shutdown: shutDown()
    case .open, .cancelReader, .dropStream, .call, .cancelCall, .emit, .answer, .answerAccuracy,
      .services, .use, .openSession, .endSession, .finishRun, .failRun, .network, .dropManager:
      break  // Only in a `World`.
    }
  }

  private func perform(_ operation: Operation.Monitoring) {
    switch operation {
    case .open: open()
    case .close: close()
    case .release:
      // A monitor that is being opened is owned only by the opening task.
      guard let instance, instance.phase == .open else { return }
      self.instance = nil
      model.streamsChanged()
      instance.drop()
    case .crash: kill()
    case .add(let index, let shape, let assumption):
      add([Self.identifier(index): condition(shape)], assumption)
    case .addAll(let assumption):
      add(
        ["0": condition(.small), "1": condition(.wide), "2": condition(.distant)], assumption)
    case .remove(let index): remove([Self.identifier(index)])
    case .removeAll: remove((0..<3).map(Self.identifier))
    case .fix(let place):
      lastPlace = place
      report(place, after: 1)
    case .stay(let seconds): report(lastPlace, after: seconds)
    case .consume: consume()
    case .leaveLoop(let index): consumer(index)?.leavesNext = true
    case .cancelConsumer(let index):
      guard let consumer = consumer(index) else { return }
      consumer.isCancelled = true
      cancel(consumer.task)
    case .storage(let works): disk.works = works
    }
  }

  private func consumer(_ index: Int) -> MonitorConsumer? {
    let live = consumers.filter { !$0.isOver && !$0.process.isDead }
    return live.isEmpty ? nil : live[index % live.count]
  }

  /// Starts a task of the user.
  private func start(_ body: @escaping @Sendable () async -> Void) {
    let member = Census.Member(census)
    tasks.append(
      Task(executorPreference: executor) {
        defer { withExtendedLifetime(member) {} }
        await body()
      })
  }

  // MARK: Processes

  func open() {
    if let instance, instance.phase != .closed { return }
    if process?.isShutDown == true { leaveProcess() }
    let process = process ?? newProcess()
    guard let manager = process.manager else { return }
    let instance = MonitorInstance(process)
    self.instance = instance
    reductionIsInEffect = false
    start { [self] in
      do {
        let monitor = try await Monitor(
          "simulated", manager: manager, storage: Reopening(process.storage, self),
          options: MonitorModel.options, eventLimit: scenario.limit, now: { [self] in now })
        guard !process.isDead else { return }
        note("the monitor is open")
        instance.monitor = monitor
        instance.phase = .open
      } catch {
        note("the monitor cannot be opened: \(error)")
        instance.phase = .closed
        guard (error as? LocationError)?.code == .monitorInUse else { return }
        require(process.isDead || disk.isOpen, "M8 sessions", "\(error)")
      }
    }
  }

  private func newProcess() -> SimulatedProcess {
    let new = LockWatch.withoutPreemption {
      SimulatedProcess(
        disk, decision, clock: clock, executor: executor, limit: scenario.limit
      ) { [weak self] in self?.fail($0) }
    }
    process = new
    processes.append(new)
    return new
  }

  /// Kills the process. Its remaining jobs run without effect.
  func kill() {
    guard let process else { return }
    process.storage.kill()
    leaveProcess()
  }

  /// Cancels the consumers of the process and releases its objects.
  func leaveProcess() {
    guard let process else { return }
    let instance = instance
    (self.process, self.instance) = (nil, nil)
    model.streamsChanged()
    for consumer in consumers where consumer.process === process {
      consumer.isCancelled = true
      cancel(consumer.task)
    }
    instance?.drop()
    let manager = process.manager
    process.manager = nil
    withExtendedLifetime(manager) {}
  }

  private func shutDown() {
    guard let process, let manager = process.manager else { return }
    process.isShutDown = true
    model.streamsChanged()
    start { await manager.shutdown() }
  }

  private func close() {
    guard let instance, instance.phase == .open, let monitor = instance.monitor else { return }
    instance.phase = .closing
    model.streamsChanged()
    instance.drop()
    start { [self] in
      await monitor.close()
      note("the monitor is closed")
      instance.phase = .closed
      require(
        instance.process.isDead || instance.process.storage.openSessions == 0, "M8 sessions",
        "the session is open after close()")
    }
  }

  private func decide(_ new: AuthorizationDecision) {
    // A policy reports one change at a time.
    guard new != decision, process?.policy.isReporting != true else { return }
    decision = new
    (reductionIsInEffect, decisionIsNew) = (false, true)
    model.streamsChanged()
    guard let process else { return }
    process.policy.initial = new
    process.policy.prompt = new
    process.policy.change(.decision(new))
  }

  /// Whether locations are permitted with full accuracy.
  var isPermitted: Bool { decision == .authorizedAlways }
  var isReduced: Bool { decision == World.decision(.reduced) }
  /// Whether conditions must be unmonitored at rest. A reduction takes effect with the next
  /// location.
  var isSuspended: Bool { decision == .denied || reductionIsInEffect }

  // MARK: Conditions

  private static func identifier(_ index: Int) -> String { "\(index % 3)" }

  private func condition(_ shape: Operation.Monitoring.Shape) -> Condition {
    let (near, far) = (Self.coordinate(0), Self.coordinate(1_100))
    return switch shape {
    case .small: try! .circle(center: near, radius: 100)
    case .wide: try! .circle(center: near, radius: 300)
    case .distant: try! .circle(center: far, radius: 200)
    case .dwelling: try! .circle(center: near, radius: 100).dwelling(.seconds(8))
    case .expiring:
      try! .circle(center: near, radius: 300).expiring(at: now.addingTimeInterval(12))
    }
  }

  private func add(
    _ conditions: [String: Condition], _ assumption: Operation.Monitoring.Assumption
  ) {
    guard let instance, let monitor = instance.monitor else { return }
    let state: Monitor.State =
      switch assumption {
      case .unknown: .unknown
      case .satisfied: .satisfied
      case .unsatisfied: .unsatisfied
      }
    start { [self] in
      do {
        try await monitor.add(contentsOf: conditions, assuming: state)
        // Nothing is required here: the conditions may already be removed or replaced, and a
        // storage that fails has not stored them.
        note("added \(conditions.keys.sorted())")
      } catch {
        require((error as? LocationError)?.code == .shutDown, "M8 sessions", "\(error)")
      }
    }
  }

  private func remove(_ identifiers: [String]) {
    guard let monitor = instance?.monitor else { return }
    start { await monitor.remove(contentsOf: identifiers) }
  }

  // MARK: Fixes

  private static func coordinate(_ metres: Double) -> Coordinate {
    try! Coordinate(latitude: metres / 110_574, longitude: 0)
  }

  private func report(_ place: Operation.Monitoring.Place, after seconds: Int) {
    let (metres, accuracy): (Double, Double?) =
      switch place {
      case .center: (0, 5)
      case .innerEdge: (80, nil)
      case .sharpInnerEdge: (99, 0.5)
      case .outerEdge: (120, 30)
      case .between: (200, 10)
      case .wideEdge: (290, 40)
      case .away: (600, 10)
      case .distant: (1_100, 20)
      case .coarse: (20, 150)
      }
    clock.advance(to: clock.now.offset + .seconds(seconds))
    guard let process, let emit = process.backend.emit, !isReporting else { return }
    isReporting = true
    defer { isReporting = false }
    let before = inspect(process)
    let step = steps
    let isCertain =
      depth == 0 && instance?.phase == .open && isPermitted
      && before?.machine.permitsDelivery == true
      && before?.isReduced == false && before?.run == .running
    let coordinate = Self.coordinate(metres)
    let number = model.fixes.count
    model.reported(
      SimulatedFix(
        coordinate: coordinate, accuracy: accuracy, instant: clock.now.offset,
        isForbidden: !isPermitted, mayBeLost: !isCertain))
    emit([
      .location(
        try! Location(
          coordinate: coordinate, timestamp: now, horizontalAccuracy: accuracy))
    ])
    if steps != step { model.becameUncertain(number, isForbidden: !isPermitted) }
  }

  // MARK: Consumers

  func consume() {
    guard let instance, let monitor = instance.monitor,
      consumers.count(where: { !$0.isOver && $0.process === instance.process }) < 2
    else { return }
    let consumer = MonitorConsumer(consumers.count, instance.process)
    consumers.append(consumer)
    consumer.process.consumerCount += 1
    let events = monitor.events
    let member = Census.Member(census)
    consumer.task = Task(executorPreference: executor) { [self] in
      defer { withExtendedLifetime(member) {} }
      var iterator = events.makeAsyncIterator()
      var last: UInt64?
      while true {
        consumer.isWaiting = true
        if let last, !consumer.process.isDead { model.finished(last) }
        let event = await iterator.next()
        consumer.isWaiting = false
        guard let event else { break }
        receive(event, consumer)
        last = event.number
        for _ in 0..<(consumer.number % 3) { await Task.yield() }
        if consumer.leavesNext { break }
      }
      note("consumer \(consumer.number) is over")
      consumer.isOver = true
    }
  }

  private func receive(_ event: Monitor.Event, _ consumer: MonitorConsumer) {
    guard !consumer.process.isDead else { return }
    note(
      "consumer \(consumer.number) takes \(event.number) \(event.identifier) \(event.state)"
        + (event.isRepeated ? ", again" : ""))
    // Uses the permission at the beginning of the job, because permission may be withdrawn in the
    // same job after the monitor has checked it.
    let isPermitted = permitted.contains { $0 === consumer.process }
    model.delivered(
      event, disk.content, isHealthy: disk.isHealthy, isAlone: consumer.process.consumerCount == 1,
      isPermitted: isPermitted)
    collectViolations()
  }
}

/// A storage that reports to the world the content that a monitor reads when it opens.
private struct Reopening: MonitorStorage {
  private let storage: SimulatedStorage
  private let world: MonitorWorld

  init(_ storage: SimulatedStorage, _ world: MonitorWorld) {
    (self.storage, self.world) = (storage, world)
  }

  func open(
    _ name: String
  ) async throws(LocationError) -> (any MonitorSession, StoredMonitor) {
    let (session, content) = try await storage.open(name)
    guard !storage.isDead else { return (session, content) }
    world.note("read up to \(content.lastNumber), \(content.events.count) unfinished")
    world.model.opened(content, at: world.now)
    world.collectViolations()
    return (session, content)
  }
}
