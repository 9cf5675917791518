public import AsyncLocation
import LocationPublishing
public import OwnTracks

extension LocationPublisher {
  /// Creates a publisher that posts to an HTTP server, as OwnTracks' apps do in HTTP mode. It does
  /// nothing until it is run.
  ///
  /// ```swift
  /// let publisher = LocationPublisher(
  ///   manager, topic: try OwnTracksTopic(user: "jane", device: "boat"),
  ///   to: OwnTracksServer(
  ///     url: "https://recorder.example.org/pub", credentials: .file("/etc/boat/recorder")),
  ///   storage: SQLitePublicationStorage(file: "/var/lib/boat/publications.sqlite"))
  /// try await publisher.run()
  /// ```
  ///
  /// Storage, order, permission and the end of the run are the same as for a publisher to a broker;
  /// ``OwnTracksServer`` describes the requests. HTTP has neither a last will nor retained
  /// messages: ``PublisherOptions/announcesPresence``, ``PublisherOptions/retainsLastLocation`` and
  /// `isRetained` of ``publish(_:isRetained:)`` have no effect. ``PublisherOptions/window`` is the
  /// maximum number of publications that are read from the storage in advance.
  ///
  /// - Parameters:
  ///   - manager: The manager whose locations are published while it has permission.
  ///   - topic: The device's user and name; its kind is not used.
  ///   - server: The server.
  ///   - storage: Stores pending publications; used by this publisher only.
  ///   - options: The content to publish, and the limits of the backlog.
  ///   - clock: Measures the delays of retries. libcurl measures the time limits of requests.
  public convenience init(
    _ manager: LocationManager, topic: OwnTracksTopic, to server: OwnTracksServer,
    storage: any PublicationStorage = MemoryPublicationStorage(),
    options: PublisherOptions = PublisherOptions(), clock: any Clock<Duration> = .continuous
  ) {
    self.init(
      manager, topic: topic, over: ServerPublications(server, clock: clock), storage: storage,
      options: options, clock: clock)
  }
}
