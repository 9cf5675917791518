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
/// cannot be reached, locations wait in the storage, within ``PublisherOptions/limits``. They are
/// sent in order. An acknowledgement may be lost when a connection breaks. The location is then
/// sent again, and receivers recognize it by device and time, as ``Fleet`` does.
///
/// Nothing is sent without permission, and no connection is opened before permission is granted.
/// When permission is withdrawn, the backlog is deleted, also from disk, the location that the
/// broker retains is removed, and the run ends. When full accuracy is withdrawn, the backlog is
/// deleted, the location that the broker retains is removed, and the run continues with reduced
/// locations. Only locations that were already written to the connection may still arrive: at most
/// as many as the broker accepts before it acknowledges the first one.
///
/// The next run with the storage does the same for publications that an earlier run, possibly with
/// another topic, stored under greater permission than the current one, and for publications that
/// were pending when permission was withdrawn while no publisher was running. A broker that cannot
/// be reached within ``MQTTConfiguration/connectTimeout`` retains the last location until a later
/// run removes it.
public final class LocationPublisher: Sendable {
  /// The topic of the locations: `BASE/USER/DEVICE`.
  public let topic: OwnTracksTopic
  private let runs: Locked<PublisherRuns<PublisherRun>>

  /// Creates a publisher. It does nothing until it is run.
  ///
  /// - Parameters:
  ///   - manager: The manager whose locations are published while it has permission.
  ///   - topic: The device's topic; its kind is not used.
  ///   - broker: The broker. Without a ``MQTTConfiguration/clientIdentifier``, all publishers of a
  ///     topic on a host use the same identifier, also after a restart. So only one of them is
  ///     connected at a time.
  ///   - storage: Stores pending publications; used by this publisher only.
  ///   - options: The content to publish, and the limits of the backlog.
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

  /// The states of the connection, beginning with the current one. The newest 16 are buffered. The
  /// stream ends with the run. A stream that is opened between two runs ends with the next run or
  /// with the publisher.
  public var connectionStates: AsyncStream<ConnectionState> { current.delivery.connectionStates }

  /// Publishes locations until the task is cancelled.
  ///
  /// Returns when the manager's locations have ended and the backlog is delivered. After a
  /// cancellation, pending publications remain in the storage for the next run. When permission is
  /// withdrawn, the method throws after the backlog is deleted. While the storage fails to delete
  /// the backlog, the method tries again every second, until the task is cancelled. Before it
  /// throws, the method waits at most ``MQTTConfiguration/connectTimeout`` for the broker to remove
  /// the last location.
  ///
  /// A publisher can be run again once a run has ended, for example when permission is granted
  /// again. The next run sends the backlog in the storage and continues with new locations.
  /// Publications that a withdrawal could not delete are deleted first and are not sent. A removal
  /// that the broker has not acknowledged is sent before everything else. ``statistics`` continue
  /// to count. The exit from an area is published if an earlier run has published the entry.
  ///
  /// - Throws: `CancellationError`, or ``/AsyncLocation/LocationError``: the error that ends the
  ///   manager's updates, such as `denied`; `invalidValue` for an invalid configuration, and if the
  ///   publisher is already running, which does not affect that run; `storageUnavailable` if the
  ///   storage cannot be opened; and permanent errors of the connection, with a ``BrokerRefusal``
  ///   as their cause. Refused credentials are not permanent: they may be renewed.
  public func run() async throws {
    guard let run = runs.withLock({ $0.begin() }) else {
      throw LocationError(
        .invalidValue,
        "The publisher runs already; wait until that run has ended, or create another publisher with "
          + "a storage of its own.")
    }
    defer {
      // The next run is set first: a stream that is opened when a stream of this run ends then
      // belongs to the next run.
      let next = PublisherRun(after: run)
      runs.withLock { $0.end(next: next) }
      run.delivery.end()
    }
    try await run.run()
  }

  /// Stores another message of the device, such as a waypoint, and returns when it is stored.
  ///
  /// The method waits while a run opens the storage, and while content of an earlier permission is
  /// being deleted.
  ///
  /// - Parameters:
  ///   - message: The message.
  ///   - isRetained: Whether the broker retains the message for clients that subscribe later. A
  ///     retained location or transition is removed from the broker when permission is withdrawn or
  ///     reduced.
  /// - Throws: ``/AsyncLocation/LocationError`` with `denied` or `restricted` without permission,
  ///   and for a location that reduced accuracy does not cover; `shutDown` between two runs, and if
  ///   the run ends or the task is cancelled before the storage is open; `storageUnavailable` if
  ///   the storage fails.
  public func publish(
    _ message: OwnTracksMessage, isRetained: Bool = false
  ) async throws(LocationError) {
    _ = try await running().publish(message, isRetained: isRetained)
  }
}

extension LocationError {
  static var publisherDoesNotRun: Self {
    Self(.shutDown, "The publisher does not run; run it, and publish then.")
  }
}
