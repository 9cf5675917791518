/// One subscriber's placemarks; see ``LocationManager/placemarks(using:_:)``.
public typealias PlacemarkUpdates = Updates<PlacemarkUpdate>

extension LocationManager {
  /// The places at the manager's locations, after each meaningful movement.
  ///
  /// ```swift
  /// for try await update in manager.placemarks(using: geocoder) {
  ///   print(update.placemark?.name ?? "somewhere", update.location.coordinate)
  /// }
  /// ```
  ///
  /// The last known location, if there is one, is looked up first. A later location is looked up if
  /// its distance from the last one that was looked up is at least
  /// ``PlacemarkOptions/minimumDistance`` and not less than its error, and at least
  /// ``PlacemarkOptions/minimumInterval`` has passed. There is one request at a time: while it is
  /// pending, the newest location waits, and older ones are skipped. Updates arrive in the order of
  /// their locations. Each has the location of its request.
  ///
  /// A geocoder that does not allow periodic use (``Geocoder/allowsPeriodicUse``) is not called:
  /// the stream throws ``LocationError/Code/unsupported``.
  ///
  /// A failure of the geocoder does not end the stream: the update has ``PlacemarkUpdate/error``.
  /// After a transient failure, the next location is looked up when
  /// ``PlacemarkOptions/retryInterval`` has passed, even without movement.
  ///
  /// When permission is withdrawn, buffered updates and the pending request are discarded, and the
  /// stream throws as ``updates`` does. With reduced accuracy, the geocoder receives reduced
  /// locations. When the source ends, the stream ends after pending requests are answered.
  /// ``shutdown()`` ends the stream after the buffered updates and cancels the request. Leaving the
  /// loop and releasing the stream, or cancelling the loop's task, cancels the request too.
  ///
  /// Each stream has its own task, calls the geocoder even while its reader is busy, and buffers
  /// the newest updates up to ``PlacemarkOptions/buffering``. ``events`` reports the same updates
  /// as ``LocationEvent/didUpdatePlacemarks(_:)``.
  public nonisolated func placemarks(
    using geocoder: any Geocoder, _ options: PlacemarkOptions = PlacemarkOptions()
  ) -> PlacemarkUpdates {
    PlacemarkUpdates(lifetime.placemarks(using: geocoder, options))
  }
}

extension HubLifetime {
  /// The subscription of a stream of placemarks, which ends and throws as a subscription to
  /// locations does.
  fileprivate func placemarks(
    using geocoder: any Geocoder, _ options: PlacemarkOptions
  ) -> Subscription<PlacemarkUpdate> {
    let channel = BoundedChannel<PlacemarkUpdate>(options.buffering, gate: hub.gate)
    if let refusal = hub.use(.placemarks) ?? .followingUnsupported(by: geocoder) {
      return Subscription(refusing: channel, with: refusal)
    }
    let probe = hub.activity?.openStream(.placemarks)
    if let probe { channel.observe(probe) }
    let now = hub.timeline.now()
    let buffer = BoundedChannel<Location>(.newest(1), gate: hub.gate)
    let locations = subscribe(buffer, .locations, as: nil) {
      $1.join(
        $0, buffer,
        UpdateOptions(maximumAge: .greatest, device: options.device, buffering: .newest(1)),
        at: now, &$2)
    }
    defer { hub.observer?.didOpen(.placemarks) }
    // Checked here, because the follower's tasks could receive a refusal and a shutdown in either
    // order.
    if let refusal = buffer.failure {
      return Subscription(refusing: channel, probe, with: refusal)
    }
    return follow(locations, using: geocoder, options, channel, probe) { $0 }
  }

  /// A subscription that waits for permission instead of ending without it. It is not read: its
  /// updates are reported as events of the manager.
  func livePlacemarks(
    using geocoder: any Geocoder, _ options: PlacemarkOptions
  ) -> Subscription<PlacemarkUpdate> {
    let channel = BoundedChannel<PlacemarkUpdate>(.newest(1), gate: hub.gate)
    return follow(liveUpdates(.newest(1)), using: geocoder, options, channel, nil) { $0.location }
  }

  private func follow<Element: Sendable>(
    _ elements: Subscription<Element>, using geocoder: any Geocoder, _ options: PlacemarkOptions,
    _ channel: BoundedChannel<PlacemarkUpdate>, _ probe: StreamProbe?,
    location: @escaping @Sendable (Element) -> Location?
  ) -> Subscription<PlacemarkUpdate> {
    let follower = PlacemarkFollower(hub, geocoder, options, channel)
    follower.follow(elements, latestPermission(), location: location)
    return Subscription(channel, probe) {
      follower.stop()
      elements.leave()
      // Retains the hub, because permission applies to buffered updates until they are read.
      withExtendedLifetime(self) {}
    }
  }
}
