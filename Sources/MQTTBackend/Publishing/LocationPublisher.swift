public import AsyncLocation
import FoundationEssentials
@_exported public import LocationPublishing
public import OwnTracks

/// Publishes a manager's locations to an MQTT broker, in OwnTracks' JSON.
///
/// ```swift
/// let publisher = LocationPublisher(
///   manager, topic: try OwnTracksTopic(user: "jane", device: "boat"),
///   to: try MQTTConfiguration(url: "mqtt://broker.local"),
///   storage: SQLitePublicationStorage(file: "/var/lib/boat/publications.sqlite"))
/// try await publisher.run()
/// ```
///
/// Each location is stored first and removed when the broker has acknowledged it. While the broker
/// cannot be reached, locations wait, within ``PublisherOptions/limits``. They are sent in order.
/// A connection that breaks may lose an acknowledgement; the location is then sent again, and
/// receivers recognize it by device and time, as ``Fleet`` does.
///
/// Nothing leaves without permission, and there is no connection before it is granted. When
/// permission is withdrawn, what waits is deleted, from the disk too, the last location that the broker
/// keeps is removed, and the run ends. When full accuracy is withdrawn, what waits is deleted, the last
/// location that the broker keeps is removed, and the run goes on with reduced locations. Only what
/// was written to the connection before may still arrive: at most as many locations as the broker
/// takes before it acknowledges the first.
///
/// The next run with the storage does the same for what an earlier one has stored under more
/// permission than there is now, also if that had another topic, and for what waited when its manager
/// saw permission go while no publisher ran. A broker that cannot be reached within
/// ``MQTTConfiguration/connectTimeout`` keeps the last location until a later run removes it.
public final class LocationPublisher: Sendable {
  /// Where locations are published: `BASE/USER/DEVICE`.
  public let topic: OwnTracksTopic
  let manager: LocationManager
  let channel: any PublicationChannel
  let options: PublisherOptions
  let clock: any Clock<Duration>
  let store: PublicationStore
  let delivery: PublicationDelivery
  let state = Locked(PublisherState())
  /// Yields when something may be sent.
  private let grants: AsyncStream<Void>
  let grant: AsyncStream<Void>.Continuation
  /// The changes of permission, each once what it forbids is deleted.
  let steps = Steps()
  let status = PublishedStatus()
  private let isRunning = Locked(false)

  /// Creates a publisher. It does nothing until it is run.
  ///
  /// - Parameters:
  ///   - manager: Its locations are published while it permits.
  ///   - topic: The device's topic; its kind is not used.
  ///   - broker: The broker. Without a ``MQTTConfiguration/clientIdentifier``, the publishers of a
  ///     topic on a host have one identifier, at each start the same. So one at a time is connected.
  ///   - storage: Keeps what waits; for this publisher alone.
  ///   - options: Which content is published, and how much may wait.
  ///   - clock: Measures the delays of retries.
  public convenience init(
    _ manager: LocationManager, topic: OwnTracksTopic, to broker: MQTTConfiguration,
    storage: any PublicationStorage = MemoryPublicationStorage(),
    options: PublisherOptions = PublisherOptions(), clock: any Clock<Duration> = .continuous
  ) {
    self.init(
      manager, topic: topic,
      over: BrokerPublications(broker, identifier: PublisherIdentifier.make(for: topic)),
      storage: storage, options: options, clock: clock)
  }

  init(
    _ manager: LocationManager, topic: OwnTracksTopic, over channel: any PublicationChannel,
    storage: any PublicationStorage, options: PublisherOptions, clock: any Clock<Duration>
  ) {
    self.manager = manager
    self.topic = topic
    self.channel = channel
    self.options = options
    self.clock = clock
    store = PublicationStore(storage, options.limits)
    delivery = PublicationDelivery(
      window: max(1, options.window), endpoint: channel.endpoint,
      keepsRetained: channel.keepsRetained)
    (grants, grant) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// Counts since the publisher was created, and its current problem.
  public var statistics: PublisherStatistics { delivery.statistics }

  /// The states of the connection, beginning with the current one. The newest 16 are buffered. Ends
  /// with the run.
  public var connectionStates: AsyncStream<ConnectionState> { delivery.connectionStates }

  /// Publishes locations until the task is cancelled. A publisher runs once.
  ///
  /// Returns when the manager's locations have ended and all that waits is delivered. Publications
  /// that wait at a cancellation stay in the storage, for the next publisher. When permission is
  /// withdrawn, it throws after what waits is deleted; while the storage refuses that, it tries
  /// again each second, until the task is cancelled. Before it throws, it waits for at most
  /// ``MQTTConfiguration/connectTimeout`` until the broker has removed the last location.
  ///
  /// - Throws: `CancellationError`, or ``/AsyncLocation/LocationError``: the error that ends the
  ///   manager's updates, such as `denied`; `invalidValue` for an invalid configuration;
  ///   `storageUnavailable` if the storage cannot be opened; and what ends a connection for good,
  ///   with a ``BrokerRefusal`` as its cause. Refused credentials do not: they may be renewed.
  public func run() async throws {
    guard isRunning.withLock({ !exchange(&$0, with: true) }) else {
      throw LocationError(.invalidValue, "A publisher runs once; create another one.")
    }
    defer { delivery.end() }
    try options.validate()
    try channel.validate()
    let stored = try await store.open()
    let handled = store.identity.map(manager.withdrawals(obeyedIn:)) ?? Withdrawals()
    state.withLock { $0.permission.begin(storedAccuracy: stored?.accuracy, handled: handled) }
    if let stored {
      delivery.count { $0.backlog = stored.backlog }
      delivery.set(stored.problem, of: .keeping)
      state.withLock {
        $0.retainedTopics = Set(
          stored.retainedTopics.lazy.filter { OwnTracksTopic($0)?.kind.tellsPlace == true }
            .map(ExactText.init))
        // A storage of an earlier version does not state the topics.
        if channel.keepsRetained, options.retainsLastLocation || stored.accuracy != nil {
          $0.retainedTopics.insert(ExactText(topic.description))
        }
      }
    }
    let outcome = await attempt { try await self.deliver() }
    await endWithdrawn()
    let permission = state.withLock(\.permission)
    if let storage = store.identity, !permission.isDeleting {
      manager.note(permission.handled, obeyedIn: storage)
    }
    await store.close()
    try outcome.get()
  }

  /// Stores another message of the device, such as a waypoint, and returns when it is stored. While
  /// what an earlier permission allowed is being deleted, it waits.
  ///
  /// - Parameters:
  ///   - message: The message.
  ///   - isRetained: Whether the broker keeps it for clients that subscribe later. A location or a
  ///     crossing is removed there when permission is withdrawn or reduced.
  /// - Throws: ``/AsyncLocation/LocationError`` with `denied` or `restricted` without permission, and
  ///   for a location that reduced accuracy does not cover; `shutDown` unless the publisher runs;
  ///   `storageUnavailable`.
  public func publish(
    _ message: OwnTracksMessage, isRetained: Bool = false
  ) async throws(LocationError) {
    _ = try await stored(message, isRetained: isRetained)
  }

  /// Stores a message as ``publish(_:isRetained:)`` does.
  func stored(
    _ message: OwnTracksMessage, isRetained: Bool = false
  ) async throws(LocationError) -> StoredMessage {
    guard let stored = try await store(message, isRetained: isRetained) else {
      throw LocationError(
        manager.currentAuthorization.status == .restricted ? .restricted : .denied,
        "Without permission to locate, nothing is published.")
    }
    return stored
  }

  private func deliver() async throws {
    let will = options.announcesPresence ? { @Sendable in self.willMessage } : nil
    let ended = Locked(false)
    // Subscribed before the tasks begin, so that nothing is missed.
    let locations = manager.batches(options.updates)
    let authorizations = manager.lastingAuthorizations
    let receiver = options.publishesStatus ? manager.connectionStates : nil
    let connections =
      options.announcesPresence && channel.keepsRetained ? delivery.connectionStates : nil
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
      group.addTask {
        for await delay in self.delivery.holds {
          try await self.clock.sleep(for: delay)
          self.delivery.resume()
        }
        return false
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
      // Those of the manager's streams may end before the run does.
      while let isLast = try await group.next() {
        if isLast { return }
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
