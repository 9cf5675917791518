import AsyncLocation
import LocationPublishing
import OwnTracks

/// Connects a publisher's storage to a channel: performs the decisions of ``DeliveryStateMachine``.
final class PublicationDelivery: Sendable {
  typealias ConnectionID = DeliveryStateMachine.ConnectionID
  typealias Transmit = @Sendable ([StoredPublication], ConnectionID) -> Void

  /// Discards publications that the channel has not sent yet, and ends the connection, with or
  /// without reconnecting.
  typealias Drop = @Sendable (_ reconnects: Bool) -> Void

  private struct State: Sendable {
    var machine: DeliveryStateMachine
    var transmit: Transmit?
    var drop: Drop?
    var statistics = PublisherStatistics()
    var problems = PublisherProblems()
    /// The last failure of the storage.
    var storageFailure: LocationError?
    /// Why the held topics were refused.
    var refusals: [ExactText: LocationError] = [:]
    /// The number of pauses since a held topic was released, at most 6.
    var pauses = 0
    /// The number of consecutive checks at which confirmations were overdue, at most 5.
    var overdueChecks = 0
    /// The number of pauses until the confirmations are checked; 0 if no check is scheduled.
    var pausesToCheck = 0
    /// The removals of retained messages that were handed over. They do not count as published.
    var removals: Set<UInt64> = []
    /// The unacknowledged publications that the publisher follows.
    var followed: Set<UInt64> = []
    /// The publications in flight that the storage has lost, so that they cannot be sent again.
    var orphans: Set<UInt64> = []
    /// The publications that were finished when a deletion began, and that are still in the
    /// storage.
    var doneBeforeDeletion: Set<UInt64> = []
    /// The finished publications that the storage has lost.
    var vanished: Set<UInt64> = []
    /// Whether the backlog is being deleted. Publications missing from the storage are then not
    /// counted as lost.
    var isDeleting = false
    var states = Subscribers<ConnectionState>()
    var connection: ConnectionState
    var hasEnded = false

    /// Sets the backlog, and counts missing publications as lost.
    ///
    /// Publications are missing if the storage has fewer than expected, for example because a
    /// damaged file was replaced. Those that are in flight or finished are not counted: the broker
    /// has received them, or may have received them.
    ///
    /// - Parameter count: The number of added publications, negative for removed ones.
    mutating func setBacklog(_ backlog: PublicationBacklog, adding count: Int) {
      guard !isDeleting else {
        statistics.backlog.count = max(0, statistics.backlog.count + count)
        return
      }
      let missing = statistics.backlog.count + count - backlog.count
      statistics.backlog = backlog
      guard missing > 0 else { return }
      statistics.lost += max(0, missing - machine.unremovedCount)
      let finished = machine.finished
      vanished.formUnion(finished)
      doneBeforeDeletion = []
      // A removal that failed may have removed some of the finished publications.
      let isLost = missing > finished.count
      if isLost || backlog.count == 0 { machine.storageWasLost() }
      guard isLost else { return }
      orphans.formUnion(machine.underWayNumbers)
      problems[.keeping] = problems[.keeping] ?? storageFailure
    }

    /// Schedules a check of the confirmations, unless one is scheduled or no confirmation is
    /// expected. The number of pauses before it is doubled for each check at which confirmations
    /// were overdue. Returns whether to begin a pause.
    mutating func scheduleCheck() -> Bool {
      guard pausesToCheck == 0, !machine.unconfirmed.isEmpty else { return false }
      pausesToCheck = 1 << overdueChecks
      return true
    }

    /// Checks the confirmations after one pause again: they arrive, or there is a new connection.
    mutating func checkSoon() {
      overdueChecks = 0
      pausesToCheck = min(pausesToCheck, 1)
    }

    /// Handles the release of held topics.
    mutating func release(_ topics: [ExactText]) {
      pauses = 0
      for topic in topics { refusals[topic] = nil }
    }

    /// Counts orphans as lost: they would be sent again if the storage still had them. Those in
    /// `sent` may still be acknowledged.
    mutating func loseOrphans(except sent: Set<UInt64> = []) {
      statistics.lost += orphans.subtracting(sent).count
      orphans.formIntersection(sent)
    }
  }

  private let state: Locked<State>
  /// Yields when there may be work for the publisher.
  let work: AsyncStream<Void>
  private let signal: AsyncStream<Void>.Continuation
  /// Yields how long to wait before refused topics are tried again.
  let holds: AsyncStream<Duration>
  private let holding: AsyncStream<Duration>.Continuation
  /// Yields how long to wait before ``checkConfirmations()``.
  let checks: AsyncStream<Duration>
  private let checking: AsyncStream<Duration>.Continuation
  /// See ``PublisherOptions/confirmationTimeout``.
  private let confirmationTimeout: Duration

  /// - Parameter confirmedTopic: The topic on which a server confirms locations; nil for none.
  convenience init(
    window: Int, endpoint: String, keepsRetained: Bool = true, confirmedTopic: String? = nil,
    confirmationTimeout: Duration = .seconds(30)
  ) {
    self.init(
      State(
        machine: DeliveryStateMachine(
          window: window, keepsRetained: keepsRetained, confirmedTopic: confirmedTopic),
        connection: ConnectionState(.idle, endpoint: endpoint)), confirmationTimeout)
  }

  /// Creates the delivery of the run that follows another one, which has ended. It continues the
  /// statistics, the problems and the followed publications of that run.
  convenience init(after last: PublicationDelivery) {
    self.init(
      last.state.withLock { last in
        State(
          machine: last.machine.restarted, statistics: last.statistics, problems: last.problems,
          followed: last.followed,
          connection: ConnectionState(.idle, endpoint: last.connection.endpoint))
      }, last.confirmationTimeout)
  }

  private init(_ state: sending State, _ confirmationTimeout: Duration) {
    self.state = Locked(state)
    self.confirmationTimeout = confirmationTimeout
    (work, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    (holds, holding) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    (checks, checking) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// The topic on which a server confirms locations; nil for none.
  var confirmationTopic: String? {
    let topic = state.withLock(\.machine.confirmedTopic).flatMap { OwnTracksTopic($0.text) }
    return topic?.with(kind: .stored).description
  }

  /// Handles the start of a run with the content of a storage.
  func begin(with stored: StoredPublications) {
    state.withLock { state in
      state.statistics.backlog = stored.backlog
      state.problems = PublisherProblems()
    }
    set(stored.problem, of: .keeping)
  }

  var statistics: PublisherStatistics {
    state.withLock { state in
      var statistics = state.statistics
      statistics.problem = state.problems.current
      statistics.unconfirmed = state.machine.unconfirmed.count
      return statistics
    }
  }

  /// Changes the counts.
  func count(_ body: (inout PublisherStatistics) -> Void) {
    state.withLock { body(&$0.statistics) }
  }

  /// Sets the problem of an operation of the storage; nil after it succeeded.
  func set(_ problem: LocationError?, of operation: PublisherProblems.Operation) {
    state.withLock { state in
      state.problems[operation] = problem
      if let problem { state.storageFailure = problem }
    }
  }

  /// Publications were appended to the storage.
  func appended(_ change: PublicationChange) {
    state.withLock { state in
      // A storage may have accepted fewer publications than were passed to it.
      state.statistics.stored += change.numbers.count
      state.statistics.dropped.count += change.dropped.count
      state.statistics.dropped.age += change.dropped.age
      state.statistics.dropped.bytes += change.dropped.bytes
      state.problems[.storing] = nil
      if let problem = change.problem { state.problems[.keeping] = problem }
      state.setBacklog(change.backlog, adding: change.numbers.count - change.dropped.total)
    }
  }

  /// Wakes the publisher's loop.
  func wake() { signal.yield() }

  // MARK: Calls of the channel, on any thread

  /// The channel can deliver.
  ///
  /// - Parameters:
  ///   - receiveMaximum: The maximum number of publications in flight that the channel supports.
  ///   - transmit: Passes publications to the channel. It must not call the delivery.
  ///   - drop: Discards publications that the channel has not sent yet.
  func opened(
    receiveMaximum: Int = .max, transmit: @escaping Transmit,
    drop: @escaping Drop = { _ in }
  ) {
    state.withLock { state in
      _ = state.machine.opened(receiveMaximum: receiveMaximum)
      state.checkSoon()
      (state.transmit, state.drop) = (transmit, drop)
    }
    wake()
  }

  func closed() {
    let closures = state.withLock { state in
      state.machine.closed()
      state.loseOrphans()
      return (state.transmit.take(), state.drop.take())
    }
    withExtendedLifetime(closures) {}
    wake()
  }

  /// Whether publications that were handed over for a connection may still be delivered.
  func isCurrent(_ connection: ConnectionID) -> Bool {
    state.withLock { $0.machine.isCurrent(connection) }
  }

  /// Suspends the sending: publications that were handed over for a connection and not sent are
  /// handed over again once they may be sent.
  ///
  /// - Parameter sent: The publications that were sent and whose answers follow.
  func withheld(except sent: Set<UInt64>, on connection: ConnectionID) {
    state.withLock { state in
      guard state.machine.isCurrent(connection) else { return }
      state.machine.withheld(except: sent, on: connection)
      state.loseOrphans(except: sent)
    }
    // Permission may have been granted again before this call.
    wake()
  }

  func acknowledged(_ number: UInt64, on connection: ConnectionID) {
    let beginsPause = state.withLock { state -> Bool in
      let acknowledgement = state.machine.acknowledged(number, on: connection)
      if case .unconfirmed(let topic) = acknowledgement {
        if let topic { state.release([topic]) }
        state.problems[.publishing] = state.refusals.values.first
        return state.scheduleCheck()
      }
      // The publication is not in the storage any more, so it is not handed over again.
      let isOrphan =
        !state.machine.underWayNumbers.contains(number) && state.orphans.remove(number) != nil
      guard acknowledgement != .ignored || isOrphan else { return false }
      if state.removals.remove(number) == nil { state.statistics.published += 1 }
      state.followed.remove(number)
      guard case .finished(let topic) = acknowledgement else { return false }
      if let topic { state.release([topic]) }
      state.problems[.publishing] = state.refusals.values.first
      return false
    }
    if beginsPause { checking.yield(confirmationTimeout) }
    wake()
  }

  /// Handles a permanent refusal. The error is reported until a publication is accepted.
  func refusedForGood(_ number: UInt64, on connection: ConnectionID, _ error: LocationError) {
    state.withLock { state in
      guard state.machine.refusedForGood(number, on: connection) else { return }
      state.orphans.remove(number)
      state.statistics.refused += 1
      state.problems[.publishing] = error
    }
    wake()
  }

  /// Handles a temporary refusal of a topic: its publications wait, and are handed over again after
  /// a pause.
  func refused(_ number: UInt64, on connection: ConnectionID, _ error: LocationError) {
    let pause: Duration? = state.withLock { state in
      guard let (topic, beginsPause) = state.machine.refused(number, on: connection) else {
        return nil
      }
      state.refusals[topic] = error
      state.problems[.publishing] = error
      guard beginsPause else { return nil }
      state.pauses = min(state.pauses + 1, 6)
      return .seconds(1 << (state.pauses - 1))
    }
    if let pause { holding.yield(pause) }
    wake()
  }

  /// Handles a confirmation of stored locations.
  ///
  /// - Parameter isRetained: Whether the message is from before the connection.
  func confirmed(_ stored: StoredTimes, isRetained: Bool) {
    state.withLock { state in
      let confirmation = state.machine.confirmed(stored, isRetained: isRetained)
      state.statistics.repeated += confirmation.again
      state.statistics.published += confirmation.finished.count
      state.statistics.refused += confirmation.refused.count
      state.orphans.subtract(confirmation.finished + confirmation.refused)
      if !confirmation.finished.isEmpty { state.checkSoon() }
    }
    wake()
  }

  func changed(_ connection: ConnectionState) {
    let wakes = state.withLock { state in
      var wakes = Wakes()
      state.connection = connection
      state.states.push([connection], waking: &wakes)
      return wakes
    }
    wakes.perform()
  }

  // MARK: Calls of the publisher

  func resume() {
    state.withLock { $0.machine.resume() }
    wake()
  }

  /// Checks the confirmations after the last pause of ``checks``: locations whose confirmation is
  /// overdue are handed over again.
  func checkConfirmations() {
    let beginsPause = state.withLock { state in
      state.pausesToCheck = max(0, state.pausesToCheck - 1)
      guard state.pausesToCheck == 0 else { return true }
      let count = state.machine.checkConfirmations()
      if count > 0 {
        state.statistics.repeated += count
        state.overdueChecks = min(state.overdueChecks + 1, 5)
      }
      return state.scheduleCheck()
    }
    if beginsPause { checking.yield(confirmationTimeout) }
    wake()
  }

  var request: DeliveryStateMachine.Request? { state.withLock(\.machine.request) }

  /// Whether all publications that this channel can deliver are delivered and removed from the
  /// storage.
  var isDone: Bool {
    state.withLock { state in
      state.machine.isIdle
        && state.statistics.backlog.count == state.machine.removalsForOthers.count
    }
  }

  /// Hands publications to the channel. An empty array means that the storage has no more.
  func handOver(_ publications: [StoredPublication], for request: DeliveryStateMachine.Request) {
    let (selected, transmit) = state.withLock { state in
      if publications.isEmpty {
        let released = state.machine.foundNothing(for: request)
        // The problem of a permanently refused publication remains until one is accepted.
        let isReported = released.contains { state.refusals[$0] == state.problems[.publishing] }
        if !released.isEmpty { state.release(released) }
        if isReported { state.problems[.publishing] = state.refusals.values.first }
      }
      let selected = state.machine.handOver(publications, for: request)
      state.removals.formUnion(
        selected.lazy.filter(\.publication.payload.isEmpty).map(\.number))
      return (selected, state.transmit)
    }
    if !selected.isEmpty { transmit?(selected, request.connection) }
  }

  /// The finished publications, which can be removed from the storage.
  var finished: [UInt64] { state.withLock(\.machine.finished) }

  /// Whether a publication is finished, and not removed from the storage yet.
  func isFinished(_ number: UInt64) -> Bool {
    state.withLock { $0.machine.isFinished(number) }
  }

  /// Follows a publication until it is acknowledged; see ``deletedAll(reconnects:)``. Called before
  /// the publication can be handed over.
  func follow(_ number: UInt64) { state.withLock { _ = $0.followed.insert(number) } }

  /// Ends ``follow(_:)`` for a publication.
  func unfollow(_ number: UInt64) { state.withLock { _ = $0.followed.remove(number) } }

  /// Publications were removed from the storage.
  func removed(_ numbers: [UInt64], leaving backlog: PublicationBacklog) {
    state.withLock { state in
      state.machine.removed(numbers)
      state.doneBeforeDeletion.subtract(numbers)
      state.vanished.subtract(numbers)
      state.setBacklog(backlog, adding: -numbers.count)
    }
  }

  /// Handles the start of a deletion of the backlog: unsent publications in flight are discarded.
  ///
  /// - Parameter reconnects: Whether publications may be sent afterwards.
  /// - Returns: The followed publications that were not acknowledged, and will not be.
  func deletedAll(reconnects: Bool) -> Set<UInt64> {
    let (drop, unreceived) = state.withLock { state in
      state.doneBeforeDeletion.formUnion(
        Set(state.machine.finished).subtracting(exchange(&state.vanished, with: [])))
      state.machine.deletedAll()
      state.isDeleting = true
      state.loseOrphans()
      (state.refusals, state.problems[.publishing]) = ([:], nil)
      return (state.drop, exchange(&state.followed, with: []))
    }
    drop?(reconnects)
    return unreceived
  }

  /// Handles the end of a deletion of the backlog.
  ///
  /// - Parameter replacements: The numbers of the deleted publications that an earlier deletion had
  ///   appended.
  func deleted(_ replacements: Set<UInt64>, _ change: PublicationChange) {
    state.withLock { state in
      state.isDeleting = false
      let others = exchange(&state.doneBeforeDeletion, with: []).union(replacements).count
      state.statistics.deleted += max(0, state.statistics.backlog.count - others)
      state.statistics.backlog = change.backlog
    }
  }

  // MARK: Streams

  var connectionStates: AsyncStream<ConnectionState> {
    let channel = BoundedChannel<ConnectionState>(limit: 16)
    let (id, wakes) = state.withLock { state in
      var wakes = Wakes()
      _ = channel.push([state.connection], waking: &wakes)
      if state.hasEnded { channel.finish(waking: &wakes) }
      return (state.hasEnded ? nil : state.states.join(channel), wakes)
    }
    wakes.perform()
    return Subscription(channel) { [weak self] in
      if let id { self?.leave(id) }
    }.stream()
  }

  private func leave(_ id: Subscribers<ConnectionState>.ID) {
    let wakes = state.withLock { state in
      var wakes = Wakes()
      state.states.leave(id, waking: &wakes)
      return wakes
    }
    wakes.perform()
  }

  /// Ends the streams of states.
  func end() {
    let wakes = state.withLock { state in
      var wakes = Wakes()
      state.hasEnded = true
      state.states.finish(nil, waking: &wakes)
      return wakes
    }
    wakes.perform()
  }
}
