public import AsyncLocation
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
  private let runs: Locked<PublisherRuns<PublisherRun>>

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
    self.topic = topic
    let first = PublisherRun(
      manager, topic: topic, over: channel, storage: storage, options: options, clock: clock)
    runs = Locked(PublisherRuns(first: first))
  }

  deinit { current.delivery.end() }

  /// The run in progress; between two runs, the next one.
  var current: PublisherRun { runs.withLock(\.current) }

  /// The run in progress.
  ///
  /// - Throws: `shutDown` between two runs.
  func running() throws(LocationError) -> PublisherRun {
    guard let run = runs.withLock(\.running) else { throw .publisherDoesNotRun }
    return run
  }

  /// Counts of all runs since the publisher was created, and its current problem.
  public var statistics: PublisherStatistics { current.delivery.statistics }

  /// The states of the connection, beginning with the current one. The newest 16 are buffered. Ends
  /// with the run; a stream that is opened between two runs, with the next one or with the publisher.
  public var connectionStates: AsyncStream<ConnectionState> { current.delivery.connectionStates }

  /// Publishes locations until the task is cancelled.
  ///
  /// Returns when the manager's locations have ended and all that waits is delivered. Publications
  /// that wait at a cancellation stay in the storage, for the next run. When permission is
  /// withdrawn, it throws after what waits is deleted; while the storage refuses that, it tries
  /// again each second, until the task is cancelled. Before it throws, it waits for at most
  /// ``MQTTConfiguration/connectTimeout`` until the broker has removed the last location.
  ///
  /// A publisher can be run again once a run has ended, for example when permission is granted again.
  /// The next run sends what waits in the storage and goes on with the locations from then on. What a
  /// withdrawal has deleted is not sent; what it should have deleted and could not is deleted first. A
  /// removal that the broker has not taken precedes everything else. ``statistics`` go on counting, and
  /// the exit of an area whose entry an earlier run has published is published.
  ///
  /// - Throws: `CancellationError`, or ``/AsyncLocation/LocationError``: the error that ends the
  ///   manager's updates, such as `denied`; `invalidValue` for an invalid configuration, and while
  ///   another call runs the publisher, which that does not disturb;
  ///   `storageUnavailable` if the storage cannot be opened; and what ends a connection for good,
  ///   with a ``BrokerRefusal`` as its cause. Refused credentials do not: they may be renewed.
  public func run() async throws {
    guard let run = runs.withLock({ $0.begin() }) else {
      throw LocationError(
        .invalidValue,
        "The publisher runs already; wait until that run has ended, or create another publisher with "
          + "a storage of its own.")
    }
    defer {
      // First, so that whoever sees a stream end opens one of the next run.
      let next = PublisherRun(after: run)
      runs.withLock { $0.end(next: next) }
      run.delivery.end()
    }
    try await run.run()
  }

  /// Stores another message of the device, such as a waypoint, and returns when it is stored. While
  /// a run opens the storage, and while what an earlier permission allowed is being deleted, it
  /// waits.
  ///
  /// - Parameters:
  ///   - message: The message.
  ///   - isRetained: Whether the broker keeps it for clients that subscribe later. A location or a
  ///     crossing is removed there when permission is withdrawn or reduced.
  /// - Throws: ``/AsyncLocation/LocationError`` with `denied` or `restricted` without permission, and
  ///   for a location that reduced accuracy does not cover; `shutDown` between two runs,
  ///   and if the run ends before it has opened the storage; `storageUnavailable`.
  public func publish(
    _ message: OwnTracksMessage, isRetained: Bool = false
  ) async throws(LocationError) {
    try await running().publish(message, isRetained: isRetained)
  }
}

extension LocationError {
  static var publisherDoesNotRun: Self {
    Self(.shutDown, "The publisher does not run; run it, and publish then.")
  }
}
