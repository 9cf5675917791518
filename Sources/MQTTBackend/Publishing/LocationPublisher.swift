public import AsyncLocation
import FoundationEssentials
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
/// receivers tell it apart by device and time, as ``Fleet`` does.
///
/// Nothing leaves without permission. When permission is withdrawn, the run ends, and what waits is
/// deleted, from the disk too. When full accuracy is withdrawn, what waits is deleted, and the run
/// goes on with reduced locations.
public final class LocationPublisher: Sendable {
  /// Where locations are published: `BASE/USER/DEVICE`.
  public let topic: OwnTracksTopic
  private let manager: LocationManager
  private let channel: any PublicationChannel
  private let options: PublisherOptions
  private let clock: any Clock<Duration>
  private let store: PublicationStore
  private let delivery: PublicationDelivery
  private let permission = Locked(PublisherPermission())
  private let isRunning = Locked(false)

  /// Creates a publisher. It does nothing until it is run.
  ///
  /// - Parameters:
  ///   - manager: Its locations are published while it permits.
  ///   - topic: The device's topic; its kind is not used.
  ///   - broker: The broker.
  ///   - storage: Keeps what waits; for this publisher alone.
  ///   - options: What is published, and how much may wait.
  ///   - clock: Measures the delays of retries.
  public convenience init(
    _ manager: LocationManager, topic: OwnTracksTopic, to broker: MQTTConfiguration,
    storage: any PublicationStorage = MemoryPublicationStorage(),
    options: PublisherOptions = PublisherOptions(), clock: any Clock<Duration> = .continuous
  ) {
    self.init(
      manager, topic: topic, over: BrokerPublications(broker), storage: storage, options: options,
      clock: clock)
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
      window: max(1, options.window), endpoint: channel.endpoint)
  }

  /// Counts since the publisher was created, and its current problem.
  public var statistics: PublisherStatistics { delivery.statistics }

  /// The states of the connection, beginning with the current one. The newest 16 are buffered. Ends
  /// with the run.
  public var connectionStates: AsyncStream<ConnectionState> { delivery.connectionStates }

  /// Publishes locations until the task is cancelled. A publisher runs once.
  ///
  /// Returns when the manager's locations have ended and all that waits is delivered. What waits at
  /// a cancellation stays in the storage, for the next publisher.
  ///
  /// - Throws: `CancellationError`, or ``/AsyncLocation/LocationError``: what ends the manager's
  ///   updates, such as `denied`; `invalidValue` for an invalid configuration; `storageUnavailable`
  ///   if the storage cannot be opened; and what ends a connection for good, with a
  ///   ``BrokerRefusal`` as its cause.
  public func run() async throws {
    guard isRunning.withLock({ !exchange(&$0, with: true) }) else {
      throw LocationError(.invalidValue, "A publisher runs once; create another one.")
    }
    defer { delivery.end() }
    try options.validate()
    try channel.validate()
    if let stored = try await store.open() {
      delivery.count { $0.backlog = stored.backlog }
      delivery.set(stored.problem, of: .storing)
    }
    let outcome = await attempt { try await self.deliver() }
    await store.close()
    try outcome.get()
  }

  private func deliver() async throws {
    let will = options.announcesPresence ? willMessage : nil
    let ended = Locked(false)
    // Subscribed before the tasks begin, so that nothing is missed.
    let locations = manager.batches(options.updates)
    let authorizations = manager.authorizationUpdates
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
      group.addTask {
        for await delay in self.delivery.holds {
          try await self.clock.sleep(for: delay)
          self.delivery.resume()
        }
        return false
      }
      group.addTask {
        try await self.channel.run(
          self.delivery, will: will, window: self.options.window,
          isPermitted: { self.isPermitted })
        return true
      }
      group.addTask {
        try await self.handOver { ended.withLock { $0 } }
        return true
      }
      defer { group.cancelAll() }
      // Two tasks may end before the run does: those of the manager's streams.
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

// MARK: - Collecting

extension LocationPublisher {
  private func collect(_ locations: LocationBatches) async throws {
    for try await batch in locations {
      delivery.count { $0.lost = locations.dropped }
      try await store(batch)
    }
    delivery.count { $0.lost = locations.dropped }
    // A cancelled sequence ends as one does whose source has ended.
    try Task.checkCancellation()
  }

  /// Stores a batch; tries again until the storage works.
  private func store(_ batch: LocationBatch) async throws {
    while true {
      // Read at each attempt: full accuracy may be withdrawn while the storage fails.
      let permission = permission.withLock { $0 }
      let publications = batch.filter { !permission.isReduced || $0.isReduced }.map(publication)
      guard !publications.isEmpty else { return }
      do throws(LocationError) {
        if try await append(publications, madeIn: permission.generation) { return }
      } catch {
        guard error.code == .storageUnavailable else { throw error }
        delivery.set(error, of: .storing)
        try await clock.sleep(for: .seconds(1))
      }
    }
  }

  /// Returns false if everything was deleted since the publications were made.
  private func append(
    _ publications: [PendingPublication], madeIn generation: UInt64
  ) async throws(LocationError) -> Bool {
    guard let change = try await store.append(publications, madeIn: generation) else {
      return false
    }
    delivery.count {
      $0.stored += publications.count
      $0.backlog = change.backlog
      $0.dropped.count += change.dropped.count
      $0.dropped.age += change.dropped.age
      $0.dropped.bytes += change.dropped.bytes
    }
    delivery.set(change.problem, of: .storing)
    delivery.wake()
    return true
  }

  private func publication(_ location: Location) -> PendingPublication {
    var message = LocationMessage(location)
    message.trackerID = options.trackerID
    return PendingPublication(
      topic: topic.description, payload: OwnTracksMessage.location(message).json,
      isRetained: options.retainsLastLocation, date: location.timestamp)
  }

  /// The last will of the device. Not retained, since it would replace the last location.
  private var willMessage: BrokerOptions.Message {
    BrokerOptions.Message(
      topic: topic.description,
      payload: OwnTracksMessage.lastWill(LastWillMessage(connectedAt: Date())).json)
  }

  /// Stores another message of the device, such as a waypoint, and returns when it is stored.
  ///
  /// - Parameters:
  ///   - message: The message.
  ///   - isRetained: Whether the broker keeps it for clients that subscribe later.
  /// - Throws: ``/AsyncLocation/LocationError`` with `denied` or `restricted` without permission;
  ///   `shutDown` unless the publisher runs; `storageUnavailable`.
  public func publish(
    _ message: OwnTracksMessage, isRetained: Bool = false
  ) async throws(LocationError) {
    guard isPermitted else {
      throw LocationError(.denied, "Without permission to locate, nothing is published.")
    }
    let publication = PendingPublication(
      topic: topic.with(kind: message.topicKind).description, payload: message.json,
      isRetained: isRetained, date: Date())
    let generation = permission.withLock(\.generation)
    guard try await append([publication], madeIn: generation) else {
      throw LocationError(.denied, "Permission to locate was withdrawn.")
    }
  }
}

// MARK: - Permission

/// What a publisher may store and send. Reduced accuracy is in force for what is stored at once, for
/// what is sent when everything that waited is deleted.
struct PublisherPermission: Sendable {
  var wasGranted = false
  var isReduced = false
  var sendsReduced = false
  /// Incremented when what waits is deleted.
  var generation: UInt64 = 0
}

extension LocationPublisher {
  /// Whether something may leave now.
  private var isPermitted: Bool {
    let authorization = manager.currentAuthorization
    return authorization.isAuthorized
      && (authorization.accuracy == .full || permission.withLock(\.sendsReduced))
  }

  private func watch(_ authorizations: AsyncStream<Authorization>) async throws {
    for await authorization in authorizations {
      if authorization.isAuthorized {
        try await granted(isReduced: authorization.accuracy != .full)
      } else if permission.withLock(\.wasGranted) || authorization.status != .notDetermined {
        try await deleteAll()
        throw LocationError(
          authorization.status == .restricted ? .restricted : .denied,
          "Permission to locate was withdrawn; what waited for the broker is deleted.")
      }
    }
  }

  private func granted(isReduced: Bool) async throws {
    let wasReduced = permission.withLock { permission in
      permission.wasGranted = true
      if !isReduced { permission.sendsReduced = false }
      return exchange(&permission.isReduced, with: isReduced)
    }
    if isReduced, !wasReduced {
      try await deleteAll()
      permission.withLock { $0.sendsReduced = true }
    }
    delivery.wake()
  }

  /// Deletes what waits; tries again until the storage works.
  private func deleteAll() async throws {
    let generation = permission.withLock { permission in
      permission.generation += 1
      return permission.generation
    }
    delivery.deletedAll()
    while true {
      do throws(LocationError) {
        try await store.removeAll(before: generation)
        delivery.set(nil, of: .removing)
        return delivery.count {
          $0.deleted += $0.backlog.count
          $0.backlog = PublicationBacklog()
        }
      } catch {
        delivery.set(error, of: .removing)
        try await clock.sleep(for: .seconds(1))
      }
    }
  }
}

// MARK: - Delivering

extension LocationPublisher {
  /// Hands over what waits, and removes what is done, until the locations have ended and all is
  /// delivered.
  private func handOver(_ hasEnded: @Sendable () -> Bool) async throws {
    for await _ in delivery.work {
      // Each turn handles all there is; what arrives meanwhile wakes it again.
      while true {
        let removed = try await removeDone()
        let handed = try await handOverMore()
        if !removed, !handed { break }
      }
      if hasEnded(), delivery.isIdle, delivery.statistics.backlog.count == 0 { return }
    }
    throw CancellationError()
  }

  private func removeDone() async throws -> Bool {
    let done = delivery.takeDone()
    guard !done.isEmpty else { return false }
    do throws(LocationError) {
      let backlog = try await store.remove(done)
      delivery.count { $0.backlog = backlog }
      delivery.set(nil, of: .removing)
      return true
    } catch {
      delivery.keepDone(done)
      return try await recover(from: error, of: .removing)
    }
  }

  private func handOverMore() async throws -> Bool {
    guard isPermitted, let request = delivery.request else { return false }
    do throws(LocationError) {
      let publications = try await store.publications(after: request.after, count: request.count)
      delivery.set(nil, of: .reading)
      delivery.handOver(publications, for: request)
      return !publications.isEmpty
    } catch {
      return try await recover(from: error, of: .reading)
    }
  }

  /// Waits after a failure of the storage. Returns true, since there is still work.
  private func recover(
    from error: LocationError, of operation: PublisherProblems.Operation
  ) async throws -> Bool {
    guard error.code == .storageUnavailable else { throw error }
    delivery.set(error, of: operation)
    try await clock.sleep(for: .seconds(1))
    return true
  }
}
