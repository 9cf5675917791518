import AsyncLocation

/// Invariants of the manager, checked from outside.
extension World {
  // MARK: At every step

  /// Checks the invariants that hold after every step.
  func check() {
    guard violation == nil, let now = inspect() else { return }
    let machine = now.machine
    let isWanted = now.holders > 0 && machine.permitsDelivery && !now.isClosed
    switch now.run {
    case .running:
      require(isWanted, "2 runs if and only if", "it runs, \(now.holders) want it: \(machine)")
    case .idle:
      require(!isWanted, "2 runs if and only if", "it does not run, \(now.holders) want it")
      require(
        !backend.isRunning, "2 runs if and only if", "the backend runs without a known run")
    case .stopping: break
    }
    require(
      now.longestQueue <= max(scenario.limit, 1) || hasDiagnostics, "4 bounds",
      "\(now.longestQueue) elements are buffered, the limit is \(scenario.limit)")
    require(
      !now.hasLastPosition || machine.permitsDelivery, "O3 permission",
      "the last position is kept without permission")
    if machine.permitsDelivery, !now.isClosed {
      require(policy.hasGranted, "O3 permission", "it delivers what the policy refuses")
    }
    if backend.unrequestedEnds > observedEnds {
      // A separate job reports the end to the manager, so expectations are uncertain from here on.
      observedEnds = backend.unrequestedEnds
      endIsPending = true
    }
    if endIsPending {
      for subscriber in subscribers { (subscriber.isCertain, subscriber.mayBeOver) = (false, true) }
    }
    if machine.fullAccuracyPurpose == nil {
      fullAccuracyEnds = nil
    } else {
      fullAccuracyEnds = fullAccuracyEnds ?? clock.now.offset + fullAccuracyGranted
    }
    recordState(now)
    if scenario.preemptions == 0 { checkStatistics(now) }
  }

  /// Records state that may change again before the end of the step.
  func recordState(_ now: Inspection) {
    checkClosing(now)
    let machine = now.machine
    noteWithdrawal(now)
    checkLostPermission(now)
    if machine.decision.permission != .whenInUseOnce {
      onceWasUsed = false
    } else if now.holders > 0 || now.sessions > 0 {
      onceWasUsed = true
    }
    // Streams end when permission is refused or the manager is closed.
    guard machine.status == .denied || machine.status == .restricted || now.isClosed else {
      return
    }
    for subscriber in subscribers
    where subscriber.closedAt == nil && (subscriber.isReport || now.isClosed) {
      subscriber.closedAt = emissions.count
    }
  }

  /// Records a withdrawal of buffered elements, which occurs when permission is lost or accuracy is
  /// reduced. When `whenInUseOnce` lapses after its last use, nothing is withdrawn.
  private func noteWithdrawal(_ now: Inspection) {
    let (permits, isReduced) = (now.machine.permitsDelivery, now.isReduced)
    defer { (permitted, wasReduced) = (permits, isReduced) }
    // If the application goes out of use and back within one job, the checks do not observe the
    // withdrawal.
    if let last = lastObservation, last.useEndsCompleted != useEndsCompleted {
      becomeUncertain()
      comparedFrom = emissions.count
    }
    let hasLapsed =
      lastObservation?.permission == .whenInUseOnce && now.machine.status == .notDetermined
      && now.holders == 0 && now.sessions == 0
    if (permitted && !permits && !hasLapsed) || (!wasReduced && isReduced) { withdraw() }
  }

  /// Requires that permission is lost only through a change by the policy. `whenInUseOnce` may also
  /// lapse when demand ends or the application goes out of use.
  private func checkLostPermission(_ now: Inspection) {
    let observation = Observation(now, changes: policy.changes, useEndsCompleted: useEndsCompleted)
    defer { lastObservation = observation }
    guard let last = lastObservation, !now.isClosed, !policy.isReporting,
      last.changes == observation.changes,
      last.permission.status.isAuthorized, !observation.permission.status.isAuthorized
    else { return }
    guard last.permission == .whenInUseOnce else {
      return fail(
        Violation("permission kept", "\(last.permission) was revoked without the policy"))
    }
    // The manager's actor may process several calls in one job.
    let mayHaveLeftUse =
      useEndsBegun > useEndsCompleted || observation.useEndsCompleted > last.useEndsCompleted
    // A call that was cancelled in one of the last steps while it started may have held demand only
    // between two checks.
    let wasCancelled = callers.contains { caller in
      caller.cancelledAt.map { !caller.isOver || $0 >= steps - 8 } ?? false
    }
    require(
      (last.isHeld && !observation.isHeld) || wasCancelled || mayHaveLeftUse, "once",
      "permission for once lapsed, and no demand ended")
  }

  /// Requires that the manager closes only after `shutdown()` or when nothing holds it open any
  /// more.
  private func checkClosing(_ now: Inspection) {
    guard now.isClosed, !isKnownToBeClosed else { return }
    isKnownToBeClosed = true
    guard !wasShutDown else { return }
    require(manager == nil, "F24 held open", "it closed while the manager exists")
    for subscriber in subscribers where holdsOpen(subscriber) {
      fail(Violation("F24 held open", "it closed while \(subscriber.stream) is open"))
    }
    require(
      !sessions.contains { $0.isOpen }, "F24 held open", "it closed while a session is open")
    require(
      callers.allSatisfy { $0.isOver || $0.cancelledAt != nil }, "F24 held open",
      "it closed while a call waits")
  }

  /// Whether a stream is certainly open, with or without a reader.
  private func holdsOpen(_ subscriber: Subscriber) -> Bool {
    // An ended session and its streams hold nothing open.
    if let session = subscriber.session,
      !sessions.indices.contains(session) || !sessions[session].isOpen
    {
      return false
    }
    if subscriber.isUnread { return subscriber.unreadStream != nil }
    return subscriber.task != nil && subscriber.phase != .over && subscriber.cancelledAt == nil
      && !subscriber.leavesNext && !subscriber.hasLeft && !subscriber.mayBeOver
      && subscriber.closedAt == nil
  }

  private var hasDiagnostics: Bool { subscribers.contains { $0.stream == .diagnostics } }

  /// Checks the manager's statistics in the scenario `accounting`. Without preemptions, they are
  /// known exactly.
  private func checkStatistics(_ now: Inspection) {
    guard scenario.name == "accounting",
      subscribers.allSatisfy({ $0.stream == .updates && $0.isCertain })
    else { return }
    let delivered = subscribers.reduce(0) { $0 + $1.due.count }
    let dropped = subscribers.reduce(0) { $0 + $1.dropped }
    require(
      now.statistics.elementsDelivered == delivered, "5 counts",
      "\(now.statistics.elementsDelivered) counted, \(delivered) delivered")
    require(
      now.statistics.elementsDropped == dropped, "5 counts",
      "\(now.statistics.elementsDropped) counted, \(dropped) dropped")
  }

  // MARK: At rest

  /// Checks the invariants that hold when no job is ready.
  func checkAtRest() {
    guard violation == nil, let now = inspect() else { return }
    note("at rest")
    checkEpochs()
    let machine = now.machine
    let open = subscribers.filter { !$0.hasLeft && $0.closedAt == nil }
    let waiting = callers.filter { !$0.isOver }
    let calls = waiting.filter(\.isLocation)
    require(
      !waiting.contains { $0.call == .facts }, "hang", "a call for known values waits")
    let isWanted = now.holders > 0 && machine.permitsDelivery && !now.isClosed
    require(
      backend.isRunning == isWanted, "2 runs if and only if",
      "at rest the backend \(backend.isRunning ? "runs" : "rests"), \(now.holders) want it")
    require(
      now.locationCalls == calls.count, "O5 exactly once",
      "\(calls.count) wait for a location, \(now.locationCalls) are known")
    require(
      now.authorizationCalls == waiting.count - calls.count, "O5 exactly once",
      "\(waiting.count - calls.count) wait for permission, \(now.authorizationCalls) are known")
    let wanting = open.filter { $0.demandedKinds != nil }
    require(
      now.holders <= wanting.count + calls.count, "demand leaks",
      "\(now.holders) demands of \(wanting.count) streams and \(calls.count) calls")
    let readers = subscribers.filter { $0.task != nil && $0.phase == .waiting }
    for reader in readers {
      if reader.isCertain, reader.receivesEveryLocation, reader.cancelledAt == nil {
        require(
          reader.head >= reader.due.count, "lost wake",
          "\(reader.stream) waits while \(reader.due[reader.head...]) is there")
      }
      require(reader.cancelledAt == nil, "hang", "a cancelled loop over \(reader.stream) waits")
      if reader.closedAt != nil, reader.isReport || now.isClosed {
        fail(Violation("lost wake", "\(reader.stream) waits after its end"))
      }
    }
    for caller in waiting {
      require(caller.cancelledAt == nil, "O5 exactly once", "\(caller.call) waits, cancelled")
    }
    require(
      !now.isClosed || waiting.isEmpty, "O5 exactly once", "a call waits after the end")
    require(
      clock.sleeperCount >= calls.count, "O5 exactly once",
      "\(calls.count) calls wait, \(clock.sleeperCount) deadlines are pending")
    checkPermissionAtRest(now, waiting)
    endIsPending = false
    if !open.contains(where: \.mayBeOver) { checkDemandAtRest(open, calls, isWanted) }
  }

  private func checkPermissionAtRest(_ now: Inspection, _ waiting: [Caller]) {
    let machine = now.machine
    let isAsked = policy.permissionIsPending
    if waiting.contains(where: { !$0.isLocation }) {
      require(
        policy.hasPendingQuestion, "O7 not lost", "a call waits for permission without a question")
    }
    if !now.isClosed {
      require(
        isAsked == (machine.question != nil)
          || (policy.accuracyIsPending && !isAsked), "O7 not lost",
        "asked: \(isAsked), expected: \(String(describing: machine.question))")
    }
    if machine.decision.permission == .whenInUseOnce, onceWasUsed, !now.isClosed {
      require(
        now.holders > 0 || now.sessions > 0, "once", "permission for once outlives its use")
    }
    let openSessions = sessions.count { $0.isOpen }
    require(
      now.isClosed || now.sessions <= openSessions, "session leaks",
      "\(now.sessions) sessions, \(openSessions) open")
    if machine.fullAccuracyPurpose != nil, let fullAccuracyEnds, !now.isClosed {
      require(
        clock.now.offset < fullAccuracyEnds, "accuracy", "full accuracy outlives its time")
    }
  }

  /// Requires that the backend has the merged demand.
  private func checkDemandAtRest(_ open: [Subscriber], _ calls: [Caller], _ isWanted: Bool) {
    guard isWanted, let demand = backend.demand else { return }
    var kinds = BackendCapabilities()
    var interval: Duration?
    var devices: Set<String>? = []
    for subscriber in open {
      guard let kind = subscriber.demandedKinds else { continue }
      kinds.formUnion(kind)
      let requested: Duration = subscriber.stream == .seldom ? .seconds(2) : .zero
      interval = min(interval ?? requested, requested)
      if subscriber.stream == .elsewhere { devices?.insert("elsewhere") } else { devices = nil }
    }
    if !calls.isEmpty {
      kinds.insert(.locations)
      (interval, devices) = (.zero, nil)
    }
    guard kinds != [] else { return }
    require(demand.kinds == kinds, "O4 demand", "applied \(demand.kinds), expected \(kinds)")
    require(
      demand.minimumInterval == interval, "O4 demand",
      "applied \(demand.minimumInterval), expected \(String(describing: interval))")
    require(
      demand.devices == devices, "O4 demand", "applied \(String(describing: demand.devices))")
  }
}

/// The state at one check, for comparison with the next.
struct Observation {
  let permission: AuthorizationDecision.Permission
  /// Whether streams, calls or sessions held demand.
  let isHeld: Bool
  /// The number of decisions that the policy had reported.
  let changes: Int
  /// The number of times that the application had gone out of use.
  let useEndsCompleted: Int

  init(_ now: Inspection, changes: Int, useEndsCompleted: Int) {
    permission = now.machine.decision.permission
    isHeld = now.holders > 0 || now.sessions > 0
    (self.changes, self.useEndsCompleted) = (changes, useEndsCompleted)
  }
}
