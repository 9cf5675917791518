import AsyncLocation
import FoundationEssentials
import LocationPublishing
import OwnTracks

/// One run of a publisher.
///
/// A run begins like the first run of a new publisher with the same storage. It continues only the
/// counts and the published entries of the previous run.
final class PublisherRun: Sendable {
  let topic: OwnTracksTopic
  let manager: LocationManager
  let channel: any PublicationChannel
  let storage: any PublicationStorage
  let options: PublisherOptions
  let clock: any Clock<Duration>
  let store: PublicationStore
  let delivery: PublicationDelivery
  let state = Locked(PublisherState())
  /// The conditions whose entry was published without an exit after it, with the numbers of the
  /// entries. Shared by all runs of a publisher.
  let entered: Locked<[ExactText: UInt64]>
  /// Yields when publications may be sent.
  private let grants: AsyncStream<Void>
  let grant: AsyncStream<Void>.Continuation
  /// Takes a step when the storage is open, and after each change of permission, once the content
  /// that permission no longer covers is deleted.
  let steps = Steps()
  let status = PublishedStatus()

  /// Creates the first run of a publisher.
  convenience init(
    _ manager: LocationManager, topic: OwnTracksTopic, over channel: any PublicationChannel,
    storage: any PublicationStorage, options: PublisherOptions, clock: any Clock<Duration>
  ) {
    self.init(
      manager, topic: topic, over: channel, storage: storage, options: options, clock: clock,
      delivery: PublicationDelivery(
        window: max(1, options.window), endpoint: channel.endpoint,
        keepsRetained: channel.keepsRetained,
        confirmedTopic: options.confirmation == .stored ? topic.description : nil,
        confirmationTimeout: options.confirmationTimeout),
      entered: Locked([:]))
  }

  /// Creates the run that follows another one, which has ended.
  convenience init(after last: PublisherRun) {
    self.init(
      last.manager, topic: last.topic, over: last.channel, storage: last.storage,
      options: last.options, clock: last.clock, delivery: PublicationDelivery(after: last.delivery),
      entered: last.entered)
  }

  private init(
    _ manager: LocationManager, topic: OwnTracksTopic, over channel: any PublicationChannel,
    storage: any PublicationStorage, options: PublisherOptions, clock: any Clock<Duration>,
    delivery: PublicationDelivery, entered: Locked<[ExactText: UInt64]>
  ) {
    (self.manager, self.topic, self.channel) = (manager, topic, channel)
    (self.storage, self.options, self.clock) = (storage, options, clock)
    (self.delivery, self.entered) = (delivery, entered)
    store = PublicationStore(storage, options.limits)
    (grants, grant) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// Publishes locations until they end, permission is withdrawn, or the task is cancelled. Called
  /// once.
  func run() async throws {
    defer { steps.finish() }
    try options.validate()
    try channel.validate(confirms: options.confirmation == .stored)
    let stored = try await store.open()
    let handled = store.identity.map(manager.withdrawals(appliedTo:)) ?? Withdrawals()
    delivery.begin(with: stored)
    state.withLock {
      $0.permission.begin(storedAccuracy: stored.accuracy, handled: handled)
      $0.retainedTopics = Set(
        stored.retainedTopics.lazy.filter { OwnTracksTopic($0)?.kind.revealsPosition == true }
          .map(ExactText.init))
      // A storage of an earlier version does not contain the topics.
      if channel.keepsRetained, options.retainsLastLocation || stored.accuracy != nil {
        $0.retainedTopics.insert(ExactText(topic.description))
      }
      $0.isOpen = true
    }
    steps.take()
    let outcome = await attempt { try await self.deliver() }
    await endWithdrawn()
    let permission = state.withLock(\.permission)
    if let storage = store.identity, !permission.isDeleting {
      manager.note(permission.handled, appliedTo: storage)
    }
    await removeDone()
    await store.close()
    try outcome.get()
  }

  /// Removes the publications that were delivered while the run ended. Publications that the
  /// storage cannot remove are sent again.
  private func removeDone() async {
    let done = delivery.finished
    guard !done.isEmpty else { return }
    try? await store.remove(done) { [delivery] in delivery.removed(done, leaving: $0) }
  }

  /// Stores a message once the storage is open; see ``LocationPublisher/publish(_:isRetained:)``.
  ///
  /// - Parameters:
  ///   - isWanted: Called before the message is stored.
  ///   - apply: Called with the message's number, and with the generation of the permission under
  ///     which it is stored, before anything else is stored.
  /// - Returns: False if the message is not wanted any more.
  func publish(
    _ message: OwnTracksMessage, isRetained: Bool = false,
    onlyIf isWanted: @escaping @Sendable () -> Bool = { true },
    apply: @escaping @Sendable (_ number: UInt64, _ generation: UInt64) -> Void = { _, _ in }
  ) async throws(LocationError) -> Bool {
    // A withdrawal while the call waits counts.
    let earlier = manager.permissionInForce
    await steps.wait { state.withLock(\.isOpen) }
    guard state.withLock(\.isOpen) else { throw .publisherDoesNotRun }
    if try await store(
      message, isRetained: isRetained, since: earlier, onlyIf: isWanted, apply: apply)
    {
      return true
    }
    guard isWanted() else { return false }
    throw LocationError(
      manager.currentAuthorization.status == .restricted ? .restricted : .denied,
      "Without permission to locate, nothing is published.")
  }

  /// Stores and delivers locations until they have ended and everything is delivered.
  private func deliver() async throws {
    let will = options.announcesPresence ? { @Sendable in self.willMessage } : nil
    let ended = Locked(false)
    // Subscribed before the tasks begin, so that nothing is missed.
    let locations = manager.batches(options.updates)
    let authorizations = manager.lastingAuthorizations
    let receiver = options.publishesStatus ? manager.connectionStates : nil
    let connections =
      options.announcesPresence && channel.keepsRetained ? delivery.connectionStates : nil
    // A task that returns true ends the run.
    try await withThrowingTaskGroup(of: Bool.self) { group in
      group.addTask {
        try await self.collect(locations)
        ended.withLock { $0 = true }
        self.delivery.wake()
        return false
      }
      group.addTask {
        try await self.watch(authorizations)
        return false
      }
      if let connections {
        group.addTask {
          try await self.announceReturns(connections)
          return false
        }
      }
      if let receiver {
        group.addTask {
          await self.followReceiver(receiver)
          return false
        }
        group.addTask {
          try await self.publishStatus()
          return false
        }
      }
      for (delays, action) in [
        (self.delivery.holds, self.delivery.resume),
        (self.delivery.checks, self.delivery.checkConfirmations),
      ] as [(AsyncStream<Duration>, @Sendable () -> Void)] {
        group.addTask {
          for await delay in delays {
            try await self.clock.sleep(for: delay)
            action()
          }
          return false
        }
      }
      group.addTask {
        for await _ in self.grants { break }
        try Task.checkCancellation()
        try await self.channel.run(
          self.delivery, will: will, window: self.options.window,
          isPermitted: { self.isPermitted && !self.state.withLock(\.permission.hasEndedLocations) })
        return true
      }
      group.addTask {
        let handOver = PublicationHandOver(
          store: self.store, delivery: self.delivery, clock: self.clock,
          isPermitted: { self.isPermitted })
        try await handOver.run { ended.withLock { $0 } && self.status.pending == nil }
        return true
      }
      defer { group.cancelAll() }
      // The tasks that read the manager's streams may end before the run does.
      while let endsRun = try await group.next() {
        if endsRun { return }
      }
    }
  }

  private func attempt(
    _ body: @Sendable () async throws -> Void
  ) async -> Result<Void, any Error> {
    do {
      try await body()
      return .success(())
    } catch {
      return .failure(error)
    }
  }
}
