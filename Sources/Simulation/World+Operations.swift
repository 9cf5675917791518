import AsyncLocation
import FoundationEssentials

/// Operations of the world.
extension World {
  func perform(_ operation: Operation) {
    if operation.mayWithdrawQuestions {
      policy.withdrawalReasons += 1
      policy.withdrawalReasonsInProgress += 1
    }
    defer {
      switch operation {
      case .shutdown, .dropManager: break  // Never complete: the manager may end later.
      case _ where operation.mayWithdrawQuestions: policy.withdrawalReasonsInProgress -= 1
      default: break
      }
    }
    switch operation {
    case .open(let stream, let isUnread): open(stream, isUnread: isUnread)
    case .cancelReader(let index): cancelReader(index)
    case .dropStream(let index): dropStream(index)
    case .call(let call): begin(call)
    case .cancelCall(let index):
      let waiting = callers.filter { !$0.isOver }
      guard !waiting.isEmpty else { return }
      let caller = waiting[index % waiting.count]
      caller.cancelledAt = caller.cancelledAt ?? steps
      cancel(caller.task)
    case .emit(let events): emit(events)
    case .decide(let decision):
      // `undetermined` withdraws earlier answers, but not the answer to a question that the manager
      // still regards as pending.
      policy.change(
        .decision(Self.decision(decision)),
        leavesAnswers: decision == .undetermined && inspect()?.machine.question != nil)
    case .answer(let decision): policy.answer(Self.decision(decision))
    case .answerAccuracy(let seconds):
      let duration = Duration.seconds(seconds)
      if policy.answerAccuracy(seconds > 0 ? duration : nil), seconds > 0 {
        fullAccuracyGranted = duration
      }
    case .services(let enabled): policy.change(.locationServices(enabled: enabled))
    case .use(let isInUse): setInUse(isInUse)
    case .openSession(let always, let purpose):
      guard let manager else { return }
      let session = ServiceSession(
        manager, authorization: always ? .always : .whenInUse,
        fullAccuracyPurposeKey: purpose ? "p" : nil)
      sessions.append((session, true))
    case .endSession(let index):
      let open = sessions.indices.filter { sessions[$0].isOpen }
      guard !open.isEmpty else { return }
      let chosen = open[index % open.count]
      sessions[chosen].isOpen = false
      sessions[chosen].session.invalidate()
    case .finishRun: backend.finish(.success(()))
    case .failRun:
      backend.finish(
        .failure(LocationError(.backendUnavailable, "It broke.", cause: lockCheckingError())))
    case .advance(let seconds): advanceTime(to: clock.now.offset + .seconds(seconds))
    case .shutdown:
      guard let manager else { return }
      wasShutDown = true
      let member = Census.Member(census)
      managerTasks.append(
        Task(executorPreference: executor) { [self, backend] in
          defer { withExtendedLifetime(member) {} }
          await manager.shutdown()
          wasClosed = true
          require(!backend.isRunning, "O6 shutdown", "it returned while the backend ran")
        })
    case .network(let operation): perform(operation)
    case .monitor: break  // Only in a `MonitorWorld`.
    case .dropManager: replace(\.manager, nil)
    }
  }

  func lockCheckingError() -> LockCheckingError {
    LockCheckingError { [weak self] in self?.fail($0) }
  }

  static func decision(_ decision: Operation.Decision) -> AuthorizationDecision {
    switch decision {
    case .whenInUse: .authorizedWhenInUse
    case .always: .authorizedAlways
    case .once: .authorizedOnce
    case .provisional: .provisionallyAuthorizedAlways
    case .denied: .denied
    case .restricted: .restricted
    case .undetermined: .notDetermined
    case .reduced: .authorizedWhenInUse.limited(to: .reduced)
    }
  }

  private func setInUse(_ isInUse: Bool) {
    guard let manager else { return }
    let member = Census.Member(census)
    if !isInUse { useEndsBegun += 1 }
    managerTasks.append(
      Task(executorPreference: executor) { [self] in
        defer { withExtendedLifetime(member) {} }
        await manager.setInUse(isInUse)
        if !isInUse { useEndsCompleted += 1 }
      })
  }

  // MARK: Streams

  private func open(_ stream: Operation.Stream, isUnread: Bool) {
    if stream == .diagnostics {
      guard let index = sessions.lastIndex(where: { $0.isOpen }) else { return }
      let diagnostics = sessions[index].session.diagnostics
      let subscriber = makeSubscriber(stream, isUnread: isUnread)
      subscriber.session = index
      read(diagnostics, subscriber)
      return
    }
    guard let manager else { return }
    let subscriber = makeSubscriber(stream, isUnread: isUnread)
    let (first, step) = (emissions.count, steps)
    let before = inspect()
    switch stream {
    case .updates: read(manager.updates, subscriber)
    case .options: read(manager.updates(options()), subscriber)
    case .distant:
      var options = options()
      (options.distanceFilter, options.desiredAccuracy) = (1_000, .hundredMeters)
      read(manager.updates(options), subscriber)
    case .seldom:
      var options = options()
      options.minimumInterval = .seconds(2)
      read(manager.updates(options), subscriber)
    case .elsewhere:
      var options = options()
      options.device = "elsewhere"
      read(manager.updates(options), subscriber)
    case .batched:
      var options = options()
      options.maximumAge = .seconds(2)
      read(manager.batches(options), subscriber)
    case .live: read(manager.liveUpdates, subscriber)
    case .headings: read(manager.headings, subscriber)
    case .satellites: read(manager.satellites, subscriber)
    case .connections: read(manager.connectionStates, subscriber)
    case .authorizations: read(manager.authorizationUpdates, subscriber)
    case .diagnostics: break
    case .events:
      let options = EventOptions(services: .locations, buffering: .newest(scenario.limit))
      read(manager.events(options), subscriber)
    }
    if emissions.count != first { subscriber.isCertain = false }
    if steps != step { subscriber.mayBeOver = true }
    guard steps == step, let before, let after = inspect() else { return }
    subscriber.openedAfterTheEnd = before.isClosed
    // No diagnostic is required if the manager may be about to start the next run, which begins
    // without one, or if the current emission may contain a fix.
    guard stream == .live, !isEmitting, runWithoutFix == backend.runs, backend.isRunning,
      before.run == .running
    else { return }
    require(
      after.statistics.elementsDelivered > before.statistics.elementsDelivered, "live updates",
      "a new subscriber gets no reason for the missing fix")
  }

  private func options() -> UpdateOptions { UpdateOptions(buffering: .newest(scenario.limit)) }

  /// Creates a subscriber; `read` adds it to the subscribers.
  private func makeSubscriber(_ stream: Operation.Stream, isUnread: Bool) -> Subscriber {
    let subscriber = Subscriber(
      number: subscribers.count, stream: stream, isUnread: isUnread,
      openedAt: firstOfBatch ?? reportedEpochs.pending ?? emissions.count,
      openingInstant: clock.now.offset)
    if stream == .events {
      // Includes subscribers that left in this job: the manager is notified only after their loop
      // ends.
      let others = subscribers.filter { other in
        other.stream == .events && other.leftAt.map { $0 >= outermostJobBeganAt } != false
      }
      subscriber.lastOfOthers = others.map(\.lastNumber).max()
    }
    return subscriber
  }

  /// Starts the loop over a stream, or retains a stream without a reader.
  private func read<Stream: AsyncSequence & Sendable>(_ stream: Stream, _ subscriber: Subscriber)
  where Stream.Element: Sendable {
    // From here on, the subscriber must receive new elements.
    subscribers.append(subscriber)
    guard !subscriber.isUnread else {
      subscriber.unreadStream = stream
      return
    }
    let member = Census.Member(census)
    subscriber.phase = .busy
    subscriber.task = Task(executorPreference: executor) { [self] in
      defer { withExtendedLifetime(member) {} }
      var failure: (any Error)?
      var iterator = stream.makeAsyncIterator()
      do {
        while true {
          subscriber.phase = .waiting
          subscriber.withdrawnBefore = withdrawnBefore
          let element = try await iterator.next()
          subscriber.phase = .busy
          guard let element else { break }
          received(element, by: subscriber)
          if scenario.flaw == .receivesTwice { received(element, by: subscriber) }
          if subscriber.leavesNext { break }
          if subscriber.isSlow { await Task.yield() }
        }
      } catch {
        failure = error
      }
      // A stream that has ended must stay ended.
      if !subscriber.leavesNext {
        do {
          let more = try await iterator.next()
          require(more == nil, "O6 after the end", "\(subscriber.stream) went on after its end")
        } catch {
          fail(Violation("O6 after the end", "\(subscriber.stream) threw after its end: \(error)"))
        }
      }
      subscriber.phase = .over
      ended(subscriber, failure)
    }
  }

  private func cancelReader(_ index: Int) {
    let readers = subscribers.filter { $0.task != nil && $0.phase != .over }
    guard !readers.isEmpty else { return }
    let reader = readers[index % readers.count]
    note("reader \(reader.number) of \(reader.stream)")
    reader.isCertain = false
    cancel(reader.task)
    reader.cancelledAt = reader.cancelledAt ?? steps
  }

  private func dropStream(_ index: Int) {
    let open = subscribers.filter { !$0.hasLeft && $0.phase != .over }
    guard !open.isEmpty else { return }
    let subscriber = open[index % open.count]
    note("subscriber \(subscriber.number) of \(subscriber.stream)")
    if subscriber.isUnread {
      subscriber.leftAt = steps
      if scenario.flaw != .retainsStreams { subscriber.drop() }
    } else {
      subscriber.leavesNext = true
    }
  }

  // MARK: Calls

  private func begin(_ call: Operation.Call) {
    guard let manager else { return }
    let asked = policy.permissionRequests.count { $0 == .always }
    let caller = Caller(call, at: clock.now.offset, alwaysRequestsBefore: asked)
    callers.append(caller)
    let member = Census.Member(census)
    caller.task = Task(executorPreference: executor) { [self] in
      defer { withExtendedLifetime(member) {} }
      let outcome: Result<Any, any Error>
      do {
        switch call {
        case .location:
          outcome = .success(try await manager.currentLocation())
        case .quickLocation:
          outcome = .success(
            try await manager.currentLocation(
              desiredAccuracy: .nearestTenMeters, timeout: .seconds(2)))
        case .knownLocation:
          outcome = .success(
            try await manager.currentLocation(maximumAge: .seconds(5), timeout: .zero))
        case .whenInUse: outcome = .success(try await manager.requestWhenInUseAuthorization())
        case .always: outcome = .success(try await manager.requestAlwaysAuthorization())
        case .fullAccuracy:
          outcome = .success(
            try await manager.requestTemporaryFullAccuracyAuthorization(purposeKey: "p"))
        case .otherAccuracy:
          outcome = .success(
            try await manager.requestTemporaryFullAccuracyAuthorization(purposeKey: "q"))
        case .facts: outcome = .success(await facts(of: manager) as Any)
        }
      } catch {
        outcome = .failure(error)
      }
      guard scenario.flaw != .leavesCallersWaiting else { return }
      caller.isOver = true
      answered(caller, outcome)
    }
  }

  private func facts(of manager: LocationManager) async -> Location? {
    _ = await manager.authorization()
    _ = await manager.heading
    _ = await manager.statistics
    return await manager.location
  }

  // MARK: Reports

  private func emit(_ kind: Operation.Events) {
    if kind == .late {
      // Events of a run that has ended must be ignored.
      guard let emit = backend.staleEmit, !backend.isRunning, !isEmitting, let now = inspect(),
        now.run != .running
      else { return }
      emissions.append(
        Emission(
          number: emissions.count, instant: clock.now.offset, time: nextTime,
          mayBeDelivered: false))
      emit([.location(location(emissions.count - 1, nextTime))])
      nextTime += 1
      return
    }
    guard let emit = backend.emit, !isEmitting else { return }
    isEmitting = true
    defer { isEmitting = false }
    var events: [BackendEvent] = []
    let first = emissions.count
    firstOfBatch = first
    defer { firstOfBatch = nil }
    var isPermitted = true
    func fixes(_ count: Int, from time: Double) {
      for index in 0..<count {
        let stamp = time + Double(index)
        emissions.append(
          Emission(
            number: emissions.count, instant: clock.now.offset, time: stamp,
            mayBeDelivered: isPermitted && stamp > minimumNewestTime))
        events.append(.location(location(emissions.count - 1, stamp)))
        nextTime = max(nextTime, stamp + 1)
      }
    }
    switch kind {
    case .fix: fixes(1, from: nextTime)
    case .fixes: fixes(2, from: nextTime)
    case .flood: fixes(scenario.limit + 4, from: nextTime)
    case .repeated:
      guard nextTime > 1 else { return }
      events.append(.connection(ConnectionState(.waiting)))
      events.append(.connection(ConnectionState(.connected)))
      fixes(1, from: nextTime - 1)
    case .backlog:
      guard nextTime > 2 else { return }
      events.append(.connection(ConnectionState(.waiting)))
      events.append(.connection(ConnectionState(.connected)))
      let count = min(5, Int(nextTime) - 1)
      fixes(count, from: nextTime - Double(count))
    case .heading: events.append(.heading(heading(emissions.count)))
    case .satellites: events.append(.satellites(try! SatelliteView(satellites: [])))
    case .unavailable:
      events.append(
        .unavailable(LocationError(.locationUnknown, "Dark.", cause: lockCheckingError())))
    case .connected: events.append(.connection(ConnectionState(.connected, endpoint: "here")))
    case .waiting:
      events.append(
        .connection(
          ConnectionState(
            .waiting, attempts: 1,
            problem: LocationError(.connectionLost, "Lost.", cause: lockCheckingError()))))
    case .refusal: events.append(.authorization(.denied))
    case .refusalAmidst:
      fixes(1, from: nextTime)
      events.append(.authorization(.restricted))
      isPermitted = false
      fixes(2, from: nextTime)
    case .consent: events.append(.authorization(.authorizedAlways))
    case .late: break
    }
    deliver(events, to: emit)
  }

  private func location(_ number: Int, _ time: Double) -> Location {
    try! Location(
      latitude: Double(number) / 10_000, longitude: 10,
      timestamp: Date(timeIntervalSinceReferenceDate: 800_000_000 + time),
      horizontalAccuracy: number % 2 == 0 ? 5 : 50)
  }

  private func heading(_ number: Int) -> Heading {
    try! Heading(
      trueHeading: Double((number * 17 + steps * 5) % 360),
      timestamp: Date(timeIntervalSinceReferenceDate: 800_000_000), source: .compass)
  }
}

extension Operation {
  /// Whether the operation may cause the manager to withdraw a pending question.
  fileprivate var mayWithdrawQuestions: Bool {
    switch self {
    case .decide, .services, .use, .shutdown, .dropManager, .emit, .network, .finishRun, .failRun:
      true
    case .open, .cancelReader, .dropStream, .call, .cancelCall, .answer, .answerAccuracy,
      .openSession, .endSession, .advance, .monitor:
      false
    }
  }
}
