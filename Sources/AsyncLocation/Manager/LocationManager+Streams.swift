/// Streams. Each access creates a new subscription, which begins immediately: every report that
/// arrives later is delivered or counted as dropped, even before the first `next()`. Elements
/// arrive in the same order for every subscriber. Buffered elements are discarded when permission
/// is withdrawn, and precise ones when accuracy is reduced; they count as dropped. Leaving the loop
/// and releasing the stream, or cancelling the loop's task, unsubscribes. The receiver stops when
/// the last subscriber leaves.
///
/// A stream that has not ended keeps its source open, even after the manager is released.
extension LocationManager {
  /// Every location, as it arrives.
  ///
  /// If the source has a preferred receiver, only its locations are delivered; see
  /// ``UpdateOptions/device``. Requests when-in-use permission while it is not determined, unless
  /// the configuration disables implicit requests.
  ///
  /// Iterate with `for try await`: the stream throws ``LocationError`` when permission is refused
  /// or withdrawn, or when the source fails permanently. A receiver without a fix or a restart of
  /// gpsd does not end the stream; ``liveUpdates``, which never throws, and ``connectionStates``
  /// report these. At ``shutdown()`` the stream ends without an error; a stream created later
  /// throws ``LocationError/Code/shutDown``. Cancelling the task of a loop ends the stream without
  /// an error, for all loops over it, and discards the buffered elements; ``updates(_:)`` retains
  /// them. The newest elements are buffered, up to ``Configuration/buffering``.
  public nonisolated var updates: AsyncThrowingStream<Location, any Error> {
    locations(UpdateOptions(buffering: buffering), as: .updates).throwingStream()
  }

  /// The locations that the options admit. Costs less than ``updates``, and throws a typed error.
  ///
  /// Ends and throws as ``updates`` does. Also throws ``LocationError/Code/invalidValue`` for an
  /// invalid ``UpdateOptions/device``.
  public nonisolated func updates(_ options: UpdateOptions) -> LocationUpdates {
    LocationUpdates(locations(options, as: .updates))
  }

  /// The locations that the options admit, in batches of all buffered locations.
  ///
  /// For subscribers that process many locations at once: a batch shares its storage instead of
  /// copying locations. Ends and throws as ``updates(_:)`` does.
  public nonisolated func batches(
    _ options: UpdateOptions = UpdateOptions()
  ) -> LocationBatches {
    LocationBatches(locations(options, as: .batches))
  }

  /// Headings that differ by a degree or more, from a compass or, without a compass, from the
  /// course over ground while moving. ``Heading/source`` states which. Ends and throws as
  /// ``updates`` does. Also throws ``LocationError/Code/unsupported`` when the backend does not
  /// produce headings.
  public nonisolated var headings: AsyncThrowingStream<Heading, any Error> {
    headings(HeadingOptions(buffering: buffering)).throwingStream()
  }

  /// The headings that the options admit. Ends and throws as ``headings`` does. Also throws
  /// ``LocationError/Code/invalidValue`` for an invalid ``HeadingOptions/device``.
  public nonisolated func headings(_ options: HeadingOptions) -> HeadingUpdates {
    HeadingUpdates(headings(options))
  }

  /// Every satellite view, as it arrives. Ends and throws as ``updates`` does. Also throws
  /// ``LocationError/Code/unsupported`` when the backend does not produce satellite views.
  public nonisolated var satellites: AsyncThrowingStream<SatelliteView, any Error> {
    let channel = BoundedChannel<SatelliteView>(buffering, gate: hub.gate)
    return subscribe(channel, .satellites, as: .satellites) { $1.join($0, channel, &$2) }
      .throwingStream()
  }

  /// Every location, or the reason why there is none. Never throws, so use `for await`.
  ///
  /// Each reason is delivered once, as an element without a location. A current reason is delivered
  /// first. A refusal does not end the stream; it continues when permission is granted. The stream
  /// ends at ``shutdown()`` or when the source ends, and immediately if created after
  /// ``shutdown()``.
  public nonisolated var liveUpdates: AsyncStream<LocationUpdate> {
    lifetime.liveUpdates(buffering, as: .liveUpdates).stream()
  }

  /// The states of the backend's connection to its source, beginning with the current state. Does
  /// not start the backend. Ends at ``shutdown()``, and immediately if created later.
  ///
  /// While connected, if a subscriber's options name a receiver that the source lacks,
  /// ``ConnectionState/problem`` is ``LocationError/Code/deviceUnknown``.
  public nonisolated var connectionStates: AsyncStream<ConnectionState> {
    let channel = BoundedChannel<ConnectionState>(buffering)
    return subscribe(channel, .connections, as: .connectionStates) {
      $1.join($0, channel, &$2)
    }.stream()
  }

  /// The manager's authorization, beginning with the current one, which may be delayed as in
  /// ``authorization()``. Does not request permission. Ends at ``shutdown()``, and immediately if
  /// created later.
  public nonisolated var authorizationUpdates: AsyncStream<Authorization> {
    authorizations(as: .authorizationUpdates)
  }

  nonisolated func authorizations(as endpoint: Endpoint) -> AsyncStream<Authorization> {
    let channel = BoundedChannel<Authorization>(buffering)
    return subscribe(channel, .authorizations, as: endpoint) {
      $1.join($0, channel, &$2)
    }.stream()
  }

  /// The authorizations, beginning with the current one. Continues after ``shutdown()``, since
  /// unpublished locations are still subject to permission.
  package nonisolated var lastingAuthorizations: AsyncStream<Authorization> {
    let channel = BoundedChannel<FollowedPermission>(buffering)
    let changes = subscribe(channel, .permission, as: .authorizationUpdates) {
      $1.join($0, channel, &$2)
    }
    return AsyncStream { (try? await changes.next())?.authorization }
  }

  /// Whether the backend can range beacons.
  public nonisolated var isRangingAvailable: Bool {
    hub.use(.isRangingAvailable)
    return hub.capabilities.contains(.beacons)
  }

  /// The received beacons with an identity, whenever the backend reports beacons. An element is
  /// empty when no such beacon is received. Ends and throws as ``updates`` does. Also throws
  /// ``LocationError/Code/rangingUnavailable`` when the backend cannot range beacons. With reduced
  /// accuracy nothing is delivered.
  public nonisolated func beacons(
    satisfying identity: BeaconIdentityConstraint
  ) -> AsyncThrowingStream<[Beacon], any Error> {
    let reports = lifetime.beaconReports(buffering, as: .beacons)
    return AsyncThrowingStream {
      try await reports.next()?.report.beacons.filter(identity.matches)
    }
  }

  /// A subscription to locations.
  nonisolated func locations(
    _ options: UpdateOptions, as endpoint: Endpoint
  ) -> Subscription<Location> {
    let channel = BoundedChannel<Location>(options.buffering, gate: hub.gate)
    let now = hub.timeline.now()
    return subscribe(channel, .locations, as: endpoint) {
      $1.join($0, channel, options, at: now, &$2)
    }
  }

  private nonisolated func headings(_ options: HeadingOptions) -> Subscription<Heading> {
    let channel = BoundedChannel<Heading>(options.buffering, gate: hub.gate)
    return subscribe(channel, .headings, as: .headings) { $1.join($0, channel, options, &$2) }
  }

  nonisolated func subscribe<Element>(
    _ channel: BoundedChannel<Element>, _ stream: FanOut.Stream, as endpoint: Endpoint,
    _ join: (UInt64, inout HubState, inout Effects) -> Void
  ) -> Subscription<Element> { lifetime.subscribe(channel, stream, as: endpoint, join) }
}

extension HubLifetime {
  /// A subscription to locations and to the reasons why there are none.
  ///
  /// - Parameter endpoint: The endpoint that the program used; nil for a monitor's own
  ///   subscription.
  func liveUpdates(
    _ buffering: BufferingPolicy, as endpoint: LocationManager.Endpoint? = nil
  ) -> Subscription<LocationUpdate> {
    let channel = BoundedChannel<LocationUpdate>(buffering, gate: hub.gate)
    return subscribe(channel, .live, as: endpoint) { $1.join($0, channel, &$2) }
  }

  /// A subscription to the latest permission, which continues after the manager's shutdown. Creates
  /// no demand.
  func latestPermission() -> Subscription<FollowedPermission> {
    let channel = BoundedChannel(latestOf: FollowedPermission.self)
    return subscribe(channel, .permission, as: nil) { $1.join($0, channel, &$2) }
  }

  /// A subscription to reports of beacons.
  func beaconReports(
    _ buffering: BufferingPolicy, as endpoint: LocationManager.Endpoint? = nil
  ) -> Subscription<ArrivedBeacons> {
    let channel = BoundedChannel<ArrivedBeacons>(buffering, gate: hub.gate)
    return subscribe(channel, .beacons, as: endpoint) { $1.join($0, channel, &$2) }
  }
}
