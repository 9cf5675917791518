import AsyncLocation
import FoundationEssentials

/// Checks of emitted and delivered elements.
extension World {
  // MARK: Emission

  /// Emits events to the manager and records which subscribers must receive them.
  func deliver(_ events: [BackendEvent], to emit: SimulatedBackend.Emit) {
    let numbers = numbers(of: events)
    if depth > 0 { becomeUncertain() }
    let before = inspect()
    let step = steps
    emit(events)
    let after = inspect()
    guard let before, let after, steps == step, depth == 0 else {
      // The recipients are unknown: subscribers may have changed during the emission.
      maximumNewestTime = max(maximumNewestTime, numbers.map { emissions[$0].time }.max() ?? 0)
      runWithoutFix = nil
      becomeUncertain()
      return
    }
    let isReceived = before.run == .running && before.machine.permitsDelivery
    // The rest of a batch is discarded after an event that revokes permission or ends the demand.
    let discarded = after.statistics.eventsDiscarded - before.statistics.eventsDiscarded
    let receivedCount = isReceived ? events.count - Int(discarded) : 0
    let receivedNumbers = self.numbers(of: events.prefix(receivedCount))
    for event in events.prefix(receivedCount) {
      switch event {
      case .unavailable: runWithoutFix = backend.runs
      case .location: runWithoutFix = nil
      default: break
      }
    }
    // Locations with reduced accuracy take buffer space but cannot be identified.
    if before.isReduced { becomeUncertain() }
    for number in numbers.dropFirst(receivedNumbers.count) {
      emissions[number].mayBeDelivered = false
    }
    for number in receivedNumbers {
      let time = emissions[number].time
      let isNew = time > maximumNewestTime
      (minimumNewestTime, maximumNewestTime) = (
        max(minimumNewestTime, time), max(maximumNewestTime, time)
      )
      // A further report of the same epoch also takes buffer space.
      if emissions[number].mayBeDelivered, !isNew { becomeUncertain() }
      guard emissions[number].mayBeDelivered, isNew, !before.isReduced else { continue }
      for subscriber in subscribers
      where subscriber.receivesEveryLocation && subscriber.isCertain && isOpen(subscriber) {
        subscriber.due.append(number)
        if subscriber.due.count - subscriber.head > scenario.limit, subscriber.isExact {
          subscriber.head += 1
          subscriber.dropped += 1
        }
      }
    }
  }

  /// The emission numbers of events.
  func numbers(of events: some Sequence<BackendEvent>) -> [Int] {
    events.compactMap { event in
      if case .location(let location) = event { emissionNumber(of: location) } else { nil }
    }
  }

  /// Marks all subscribers as uncertain, because the recipients of an emission are unknown.
  func becomeUncertain() {
    for subscriber in subscribers { subscriber.isCertain = false }
  }

  private func isOpen(_ subscriber: Subscriber) -> Bool {
    !subscriber.hasLeft && subscriber.closedAt == nil && subscriber.phase != .over
      && subscriber.cancelledAt == nil
  }

  // MARK: Delivery

  func received<Element>(_ element: Element, by subscriber: Subscriber) {
    subscriber.seen += 1
    if let cancelledAt = subscriber.cancelledAt, cancelledAt < jobBeganAt {
      fail(Violation("3 after cancel", "\(subscriber.stream) took an element after its cancel"))
    }
    switch element {
    case let location as Location: check(location, of: subscriber)
    case let batch as LocationBatch:
      require(!batch.isEmpty, "batches", "a batch without a location")
      for location in batch { check(location, of: subscriber) }
    case let update as LocationUpdate:
      if let location = update.location {
        check(location, of: subscriber)
      } else {
        require(
          update.diagnostics != [], "live updates", "an update with neither location nor reason")
      }
    case let event as LocationEvent: check(event, of: subscriber)
    default: break
    }
  }

  private func check(_ event: LocationEvent, of subscriber: Subscriber) {
    switch event {
    case .didChangeAuthorization(let authorization): subscriber.authorization = authorization
    case .didUpdateLocations(let locations):
      require(
        subscriber.authorization?.isAuthorized == true, "O3 permission",
        "events have locations after \(String(describing: subscriber.authorization))")
      for location in locations { check(location, of: subscriber) }
    default: break
    }
  }

  private func check(_ location: Location, of subscriber: Subscriber) {
    note("subscriber \(subscriber.number) of \(subscriber.stream) takes \(location.latitude)")
    require(
      (-90...90).contains(location.latitude) && (-180...180).contains(location.longitude),
      "6 in range", "\(location)")
    guard let number = emissionNumber(of: location) else {
      subscriber.lastWasReduced = true
      return
    }
    defer { subscriber.lastWasReduced = false }
    let emission = emissions[number]
    require(
      number > subscriber.lastNumber, "O2 one order",
      "\(subscriber.stream) took \(number) after \(subscriber.lastNumber)")
    require(
      emission.mayBeDelivered,
      emission.time <= minimumNewestTime ? "O8 no fix from the past" : "O3 permission",
      "\(subscriber.stream) took \(number), which must not be delivered")
    require(
      number >= subscriber.withdrawnBefore, "O3 permission",
      "\(subscriber.stream) took \(number), withdrawn before its call of next()")
    if let closedAt = subscriber.closedAt {
      require(
        number < closedAt, "3 after revocation or end",
        "\(subscriber.stream) took \(number), emitted after its end")
    }
    // The last epoch may wait for another report, and be emitted after the stream was opened.
    let isKept = scenario.hasNetwork && number == subscriber.openedAt - 1
    if number < subscriber.openedAt, !isKept {
      // A stream of batches with a maximum age may begin with an earlier location. A stream of
      // events may begin with the last location that other streams of events received.
      let isRemembered =
        subscriber.stream == .batched && subscriber.seen == 1
        || subscriber.lastNumber < 0 && subscriber.lastOfOthers.map { number >= $0 } == true
      require(
        isRemembered, "O1 since access",
        "\(subscriber.stream) took \(number) from before its subscription")
    }
    if subscriber.stream == .elsewhere {
      fail(Violation("options", "a location of another receiver"))
    }
    let isComparable = subscriber.lastNumber >= comparedFrom
    if !isComparable { subscriber.forgetPace() }
    if subscriber.stream == .seldom { checkPace(emission, subscriber) }
    // Consecutive emissions are about 11 m apart, so 80 of them are about 0.9 of the distance filter.
    if subscriber.stream == .distant, isComparable, !subscriber.lastWasReduced {
      require(number - subscriber.lastNumber >= 80, "options", "two locations are too close")
    }
    (subscriber.lastNumber, subscriber.lastInstant) = (number, emission.instant)
    passDue(number, subscriber)
  }

  /// Requires that locations are at least ¾ of the interval apart on the manager's or on the
  /// receiver's clock, and that there are no more locations than the elapsed intervals allow.
  private func checkPace(_ emission: Emission, _ subscriber: Subscriber) {
    let interval = 2.0
    if let last = subscriber.lastInstant {
      let gap = max(
        (emission.instant - last) / .seconds(1),
        emission.time - emissions[subscriber.lastNumber].time)
      require(gap >= interval * 0.745, "options", "two locations within \(gap) s")
    }
    subscriber.paced += 1
    // For a location that was emitted before the stream was opened, the time is measured from its
    // emission.
    subscriber.pacedSince = min(
      subscriber.pacedSince ?? subscriber.openingInstant, emission.instant)
    let begin = subscriber.pacedSince ?? emission.instant
    let elapsed = (emission.instant - begin) / .seconds(1)
    require(
      Double(subscriber.paced) <= 2.26 + elapsed / (interval * 0.999), "options",
      "\(subscriber.paced) locations within \(elapsed) s")
  }

  /// Handles the receipt of an element that was due. Requires that the due elements before it were
  /// dropped from a full buffer.
  private func passDue(_ number: Int, _ subscriber: Subscriber) {
    guard subscriber.receivesEveryLocation, let index = subscriber.due.firstIndex(of: number) else {
      return
    }
    if index < subscriber.head, number < withdrawnBefore {
      subscriber.dropped -= 1  // Received although it was counted as withdrawn.
    } else if subscriber.isCertain, subscriber.isExact {
      require(
        index == subscriber.head, "5 drops",
        "\(subscriber.stream) took \(number) where \(subscriber.due[subscriber.head...]) was due")
      subscriber.head = index + 1
    } else {
      // Missing elements must have been dropped from a full buffer.
      require(
        index <= subscriber.head || subscriber.due.count - subscriber.head > scenario.limit
          || !subscriber.isCertain, "5 drops",
        "\(subscriber.stream) lost \(subscriber.due[subscriber.head..<index])")
      subscriber.head = max(subscriber.head, index + 1)
    }
  }

  /// Records that earlier emissions may no longer be delivered with full accuracy.
  func withdraw() {
    withdrawnBefore = firstOfBatch ?? emissions.count
    comparedFrom = withdrawnBefore
    for subscriber in subscribers where subscriber.isReport || subscriber.isLive {
      subscriber.dropped += subscriber.due.count - subscriber.head
      subscriber.head = subscriber.due.count
    }
  }

  func ended(_ subscriber: Subscriber, _ failure: (any Error)?) {
    note(
      "subscriber \(subscriber.number) of \(subscriber.stream) is over: \(String(describing: failure))"
    )
    let endWasRequested = subscriber.cancelledAt != nil || subscriber.leavesNext
    if let failure {
      require(failure is LocationError, "O6 ends", "\(subscriber.stream) threw \(failure)")
      require(
        subscriber.isReport, "O6 ends", "\(subscriber.stream) threw, and never throws")
      require(
        subscriber.cancelledAt.map { $0 >= jobBeganAt } ?? true || subscriber.closedAt != nil,
        "O6 ends",
        "a cancelled loop threw \(failure)")
    }
    if let isLate = subscriber.openedAfterTheEnd, subscriber.isReport {
      let isShutDownError = (failure as? LocationError)?.code == .shutDown
      require(
        isShutDownError == isLate || (isLate && endWasRequested), "O6 the end is said",
        "\(subscriber.stream), opened \(isLate ? "after" : "before") the end, "
          + "got \(String(describing: failure))")
    }
    // Elements buffered at the end must have been delivered first. A decision during the opening
    // may have denied this subscriber and permitted later locations for others.
    let mayBeDenied = failure != nil && subscriber.mayBeOver && subscriber.seen == 0
    if !endWasRequested, !mayBeDenied, subscriber.isCertain, subscriber.receivesEveryLocation,
      violation == nil
    {
      require(
        subscriber.head == subscriber.due.count, "O6 the end is the end",
        "\(subscriber.stream) ended before \(subscriber.due[subscriber.head...])")
    }
    subscriber.leftAt = steps
    subscriber.task = nil
  }

  func answered(_ caller: Caller, _ outcome: Result<Any, any Error>) {
    note("\(caller.call) gets \(outcome)")
    let waited = clock.now.offset - caller.begunAt
    switch outcome {
    case .success(let location as Location):
      guard caller.isLocation || caller.call == .facts, let number = emissionNumber(of: location)
      else { return }
      require(emissions[number].mayBeDelivered, "O3 permission", "a call got \(number)")
      if caller.call == .knownLocation {
        require(
          caller.begunAt - emissions[number].instant <= .seconds(5), "O8 no fix from the past",
          "a call got a location that is too old")
      }
    case .success(let authorization as Authorization):
      switch caller.call {
      case .whenInUse:
        require(
          authorization.status != .notDetermined || policy.permissionRequests.count > 0,
          "O7 answers", "not determined, without a question")
      case .always:
        // `authorizedWhenInUse` answers a call for `always` only if `always` was requested.
        let asked = policy.permissionRequests.count { $0 == .always }
        if authorization.status == .authorizedWhenInUse, scenario.name == "explicit",
          inspect()?.machine.decision.permission == .whenInUse
        {
          require(asked > 0, "O7 answers", "always was answered without a question")
        }
      case .fullAccuracy, .otherAccuracy:
        require(
          authorization.accuracy == .full, "O7 answers", "granted, and accuracy is reduced")
      case .location, .quickLocation, .knownLocation, .facts: break
      }
    case .success: break
    case .failure(let error):
      if error is CancellationError {
        require(
          caller.cancelledAt != nil, "O5 exactly once",
          "\(caller.call): cancelled without a request")
      } else {
        require(error is LocationError, "O5 exactly once", "\(caller.call) threw \(error)")
        let code = (error as? LocationError)?.code
        if code == .timedOut {
          let timeout: Duration =
            switch caller.call {
            case .location: .seconds(60)
            case .quickLocation: .seconds(2)
            default: .zero
            }
          require(
            waited >= timeout || clock.now.offset >= timeout + caller.begunAt, "O5 deadline",
            "\(caller.call) timed out after \(waited)")
        }
      }
    }
  }

  /// The emission number of a location; nil with reduced accuracy.
  private func emissionNumber(of location: Location) -> Int? {
    let number = (location.latitude * 10_000).rounded()
    guard location.longitude == 10, emissions.indices.contains(Int(number)),
      location.latitude == number / 10_000,
      location.timestamp.timeIntervalSinceReferenceDate
        == 800_000_000 + emissions[Int(number)].time
    else { return nil }
    return Int(number)
  }
}
