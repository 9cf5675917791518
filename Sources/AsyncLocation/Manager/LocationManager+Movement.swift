/// Streams that are derived from locations: visits, trips, significant changes and pauses. Reduced
/// accuracy switches them off; ``monitoringDiagnostics`` reports this.
///
/// Visits, trips and significant changes are computed when an element is awaited, so no task runs for
/// them.
extension LocationManager {
  /// The places where the receiver stays for five minutes or longer. Equivalent to ``visits(_:)``
  /// with default options.
  public nonisolated var visits: VisitUpdates { visits(VisitOptions()) }

  /// The places where the receiver stays.
  ///
  /// A visit is delivered when it is established, and again with its ``Visit/departure`` when it
  /// has ended; the departure precedes the next visit. A visit that has not ended when the stream
  /// ends has no departure. Only locations of the preferred receiver count, or of the receiver that
  /// the options name.
  ///
  /// - A few locations elsewhere do not end a visit: see ``VisitOptions/departureConfirmation`` and
  ///   ``VisitOptions/jumpConfirmation``.
  /// - After a gap, a visit continues if the receiver is still there. If it is elsewhere, the
  ///   departure is the time of the last location at the place, which is the earliest possible
  ///   departure.
  /// - Durations are measured on the manager's monotonic clock. When the receiver's clock is set
  ///   during a stay, both dates of its visit are from one clock: the clock of most of its
  ///   locations when it was established.
  ///
  /// Ends and throws as ``updates`` does. Each stream has its own state and requests a location
  /// every five seconds. It buffers 1,024 locations, more than an hour, while its reader is busy.
  /// Older locations are dropped, which counts as a gap. While accuracy is reduced, nothing is
  /// delivered. Locations whose position or time is contradicted are left out; see
  /// <doc:Integrity>. When permission or full accuracy is withdrawn, the current visit is
  /// discarded, even if permission or full accuracy is granted again.
  public nonisolated func visits(_ options: VisitOptions) -> VisitUpdates {
    let machine = Locked(VisitStateMachine(options))
    let locations = locations(
      UpdateOptions(
        minimumInterval: .seconds(5), device: options.device, buffering: .newest(1_024)),
      as: .visits)
    return VisitUpdates(locations) { location, instant, mustReset in
      machine.withLock { machine in
        if mustReset { machine = VisitStateMachine(options) }
        guard !location.isContradicted else { return nil }
        return machine.located(location, at: instant)
      }
    }
  }

  /// The drives between places where the receiver rests for ten minutes or longer. Equivalent to
  /// ``trips(_:)`` with default options.
  public nonisolated var trips: TripUpdates { trips(TripOptions()) }

  /// The drives between places where the receiver rests.
  ///
  /// A trip is delivered when it is established, and again with its ``Trip/end`` when the receiver
  /// has rested at another place for ``TripOptions/minimumRest``; the end of a trip precedes the
  /// next one. A trip that has not ended when the stream ends has no end. Only locations of the
  /// preferred receiver count, or of the receiver that the options name.
  ///
  /// - Order and durations come from the timestamps of the locations: a location that is not later
  ///   than the latest one is ignored. So the same locations yield the same trips live, replayed
  ///   and from a history; but a stream has those of one receiver, one in five seconds of the
  ///   manager's clock, and a recording may have more. A replay at a higher rate has fewer.
  /// - If the latest time is more than ten minutes ahead of three locations in a row, it was wrong:
  ///   a trip ends at the last location before, and they begin anew.
  /// - A single jump is no trip, and errors of positions during a rest are none.
  /// - A traffic jam does not end a trip if it moves on by ``TripOptions/radius`` within
  ///   ``TripOptions/minimumRest``. Nor does a gap, such as in a tunnel or on a ferry, if it is
  ///   shorter, or if the receiver moved by more than 500 m and faster than 1 m/s in the mean, for
  ///   up to ``TripOptions/maximumGap``. After another gap, the trip ended at the last location
  ///   before it, such as at the entrance of a garage, unless locations were as rare before.
  ///
  /// Ends and throws as ``updates`` does. Each stream has its own state and requests a location
  /// every five seconds. It buffers 1,024 locations, more than an hour, while its reader is busy.
  /// Older locations are dropped, which counts as a gap. While accuracy is reduced, nothing is
  /// delivered. Locations whose position or time is contradicted are left out; see <doc:Integrity>.
  /// When permission or full accuracy is withdrawn, the current trip is discarded, even if permission
  /// or full accuracy is granted again.
  public nonisolated func trips(_ options: TripOptions) -> TripUpdates {
    let machine = Locked(TripStateMachine(options))
    let locations = locations(
      UpdateOptions(
        minimumInterval: .seconds(5), device: options.device, buffering: .newest(1_024)),
      as: .trips)
    return TripUpdates(locations) { location, _, mustReset in
      machine.withLock { machine in
        if mustReset { machine = TripStateMachine(options) }
        return machine.located(location)
      }
    }
  }

  /// Whether the backend produces locations, which ``significantLocationChanges`` requires.
  public nonisolated var significantLocationChangeMonitoringAvailable: Bool {
    hub.use(.significantLocationChangeMonitoringAvailable)
    return hub.decide { state, _ in state.capabilities.contains(.locations) }
  }

  /// Locations that differ significantly: at least 500 m from the last delivered one, and at least
  /// five minutes after it.
  ///
  /// Begins with the last known location, of any age, and otherwise with the first location. A
  /// location whose error exceeds the distance moved is not a change, nor is one whose position or
  /// time is contradicted; see <doc:Integrity>. An outlier is not a change either: locations must
  /// stay that far away for a minute, unless the location follows a gap of more than two minutes. The options of other subscribers have no effect, and each stream has
  /// its own state.
  ///
  /// Ends and throws as ``updates`` does. Requests a location every 30 seconds, and buffers the
  /// newest 64 locations while its reader is busy. Delivers nothing while accuracy is reduced; when
  /// accuracy is full again, the first location is delivered.
  public nonisolated var significantLocationChanges: SignificantLocationChanges {
    let machine = Locked(SignificantChangeStateMachine(startingAt: hub.timeline.now()))
    let locations = locations(
      UpdateOptions(
        minimumInterval: .seconds(30), maximumAge: .greatest, buffering: .newest(64)),
      as: .significantLocationChanges)
    return SignificantLocationChanges(locations) { location, instant, mustReset in
      machine.withLock { machine in
        if mustReset { machine.forget() }
        guard !location.isContradicted else { return false }
        return machine.located(location, at: instant)
      } ? location : nil
    }
  }

  /// Every location while the receiver moves, or the reason why there is none.
  ///
  /// Unlike ``liveUpdates``, the stream pauses while the receiver is stationary. Only the update
  /// with which the stream pauses has ``LocationUpdate/Diagnostics/stationary``. The next location
  /// is the one that shows movement; until then, only reasons are delivered. The configuration also
  /// determines which jumps are treated as errors and not delivered; see ``ActivityType``.
  ///
  /// Never throws, and ends as ``liveUpdates`` does. The newest elements are buffered, up to
  /// ``Configuration/buffering``. With reduced accuracy the stream does not pause.
  public nonisolated func liveUpdates(
    _ configuration: LiveUpdateConfiguration
  ) -> AsyncStream<LocationUpdate> {
    let channel = BoundedChannel<LocationUpdate>(buffering, gate: hub.gate)
    return subscribe(channel, .live, as: .liveUpdates) {
      $1.join($0, channel, pausing: configuration, &$2)
    }.stream()
  }

  /// Reports the pauses of streams with ``UpdateOptions/pausesAutomatically``, of streams of
  /// ``liveUpdates(_:)``, and of the locations of `events` with
  /// `pausesLocationUpdatesAutomatically`.
  ///
  /// Streams with the same activity and the same receiver share their events: they count as paused
  /// while any of them is paused. The current pauses are reported first. Streams resume when the
  /// receiver moves, when the accuracy changes between full and reduced, and when the backend
  /// starts again. When the last of them ends, nothing is reported. The order between an event and
  /// the location that caused it, which another stream delivers, is not defined. An event has no
  /// location, so unread events are delivered even after permission is withdrawn.
  ///
  /// Does not start the backend. The newest events are buffered, up to ``Configuration/buffering``.
  /// Ends at ``shutdown()``, and immediately if created later.
  public nonisolated var pauseEvents: AsyncStream<PauseEvent> {
    let channel = BoundedChannel<PauseEvent>(buffering)
    return subscribe(channel, .pauses, as: .pauseEvents) {
      $1.join($0, channel, &$2)
    }.stream()
  }

  /// The reasons why visits, trips, significant changes and pauses report nothing, beginning with the
  /// current reasons. An element is empty when they work. Each change is delivered once.
  ///
  /// Follows ``authorizationUpdates``: ``LocationUpdate/Diagnostics/accuracyLimited`` while
  /// accuracy is reduced, and the reasons why there is no permission;
  /// ``LocationUpdate/Diagnostics/serviceSessionRequired`` while permission is not determined, even
  /// if it was requested. Does not report that the application is out of use; see
  /// ``setInUse(_:)``, or that contradicted locations are left out; see
  /// ``Statistics/locationsSuspect``. Does not start the backend or request permission. The newest elements are
  /// buffered, up to ``Configuration/buffering``. Ends at ``shutdown()``, and immediately if
  /// created later.
  public nonisolated var monitoringDiagnostics: AsyncStream<LocationUpdate.Diagnostics> {
    let authorizations = authorizations(as: .monitoringDiagnostics)
    let lastReported = Locked<LocationUpdate.Diagnostics?>(nil)
    return AsyncStream {
      var iterator = authorizations.makeAsyncIterator()
      while let authorization = await iterator.next() {
        let diagnostics = LocationUpdate.Diagnostics(authorization)
        let hasChanged = lastReported.withLock { last in
          defer { last = diagnostics }
          return last != diagnostics
        }
        if hasChanged { return diagnostics }
      }
      return nil
    }
  }
}

extension LocationUpdate.Diagnostics {
  /// The reasons why an authorization prevents monitoring.
  fileprivate init(_ authorization: Authorization) {
    self =
      switch authorization.status {
      case _ where !authorization.locationServicesEnabled:
        [.authorizationDenied, .authorizationDeniedGlobally]
      case .notDetermined: .serviceSessionRequired
      case .denied: .authorizationDenied
      case .restricted: .authorizationRestricted
      case .authorizedWhenInUse, .authorizedAlways:
        authorization.accuracy == .reduced ? .accuracyLimited : []
      }
  }
}
