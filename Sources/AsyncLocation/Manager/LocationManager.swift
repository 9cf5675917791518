/// Delivers locations, headings and satellites from one source to any number of subscribers.
///
/// The manager runs its backend only while there is demand and permission; the program does not
/// start or stop the backend. All subscribers share one session with the source; each has its own
/// options.
///
/// A stream keeps its source open: releasing the manager does not end streams that are being
/// iterated, so a function may create a manager and return its ``updates``. When the manager, its
/// streams and its sessions are all released, the backend stops and everything is freed.
/// ``shutdown()`` ends all streams and sessions without waiting for their release.
public actor LocationManager {
  nonisolated let lifetime: HubLifetime
  nonisolated var hub: Hub { lifetime.hub }
  nonisolated let buffering: BufferingPolicy
  nonisolated let regions: RegionMonitoring

  /// Creates a manager. The backend does not run before there is demand.
  ///
  /// - Parameters:
  ///   - backend: The source, such as gpsd or a mock.
  ///   - configuration: The settings for all subscribers.
  ///   - clock: The clock for ages, intervals and deadlines. Tests pass a manual clock.
  public init(
    backend: any LocationBackend, configuration: Configuration = .init(),
    clock: any Clock<Duration> = .continuous
  ) {
    self.init(backend: backend, configuration: configuration, clock: clock, executor: nil)
  }

  /// Creates a manager whose tasks run on the executor of a simulation.
  package init(
    backend: any LocationBackend, configuration: Configuration, clock: any Clock<Duration>,
    executor: (any TaskExecutor)?
  ) {
    buffering = configuration.buffering
    lifetime = HubLifetime(
      Hub(
        backend: backend, requestsImplicitly: configuration.requestsAuthorizationImplicitly,
        timeline: .of(clock), executor: executor))
    regions = RegionMonitoring(lifetime, buffering)
    hub.observePolicy()
  }

  /// Ends every stream after its buffered elements, fails every waiting call with
  /// ``LocationError/Code/shutDown``, stops the backend, and returns once it has stopped.
  ///
  /// Buffered elements stay subject to permission, which is observed until the manager and its
  /// streams are released.
  ///
  /// Afterwards every call and every new stream that can throw, such as ``updates``, throws
  /// ``LocationError/Code/shutDown``; new streams that cannot throw end immediately. A second call
  /// also waits until the backend has stopped. Cancelling the caller's task does not shorten the
  /// wait.
  public func shutdown() async {
    hub.use(.shutdown)
    await close()
  }

  /// Shuts down without reporting the use of an endpoint.
  fileprivate nonisolated func close() async {
    hub.decide { $0.close(&$1) }
    await hub.waitUntilIdle()
  }

  /// Sets whether the application is in use. Initially it is in use. It is out of use, for example,
  /// while the display is off or the vehicle is parked.
  ///
  /// While out of use, when-in-use permission delivers nothing: streams wait, the source stops, and
  /// one-time permission ends. Always permission is not affected. With
  /// ``Properties/allowsBackgroundLocationUpdates``, the application counts as in use regardless.
  public func setInUse(_ isInUse: Bool) {
    hub.use(.setInUse)
    hub.decide { $0.setInUse(isInUse, &$1) }
  }

  // MARK: Current state

  // Reading these members acquires a lock, without an actor hop. They are asynchronous, so that
  // callers may write `await`, as for other members of an actor, without a warning.

  /// The current authorization. Does not request permission.
  ///
  /// Waits for the first report of a policy that reports every decision; see
  /// ``AuthorizationPolicy/reportsEveryDecision``. Cancellation and ``shutdown()`` end the wait.
  public nonisolated func authorization() async -> Authorization {
    hub.use(.authorization)
    return await hub.authorization()
  }

  /// The authorization in force, without waiting for a policy's first report.
  package nonisolated var currentAuthorization: Authorization { hub.currentAuthorization }

  /// The authorization in force, and the withdrawals up to now.
  package nonisolated var permissionInForce: PermissionInForce {
    hub.decide { state, _ in
      PermissionInForce(authorization: state.authorization.current, withdrawals: state.withdrawals)
    }
  }

  /// The withdrawals that were applied to a storage. None if this manager has not used the storage,
  /// whose content may then be older than every withdrawal.
  package nonisolated func withdrawals(appliedTo storage: String) -> Withdrawals {
    hub.decide { state, _ in state.appliedWithdrawals[storage] ?? Withdrawals() }
  }

  /// Records the withdrawals that were applied to a storage.
  package nonisolated func note(_ withdrawals: Withdrawals, appliedTo storage: String) {
    hub.decide { state, _ in
      state.appliedWithdrawals.use(storage, default: withdrawals) { $0 = withdrawals }
    }
  }

  /// The withdrawals that precede the elements with a stamp; nil if a withdrawal has followed them.
  package nonisolated func withdrawals(before stamp: DeliveryStamp) -> Withdrawals? {
    let withdrawals = permissionInForce.withdrawals
    // Checked last, so that a withdrawal between the two steps is not missed.
    return hub.gate.admits(stamp) ? withdrawals : nil
  }

  /// The last location; nil before the first one, without permission, and after ``shutdown()``. A
  /// change of accuracy clears it; when accuracy becomes reduced, it returns as a reduced location.
  /// Does not start the backend, so check its ``Location/age``.
  public nonisolated var location: Location? {
    get async {
      hub.use(.location)
      return hub.decide { state, _ in state.known.location }
    }
  }

  /// The last heading; nil before the first one, without permission, while accuracy is reduced, and
  /// after ``shutdown()``. Does not start the backend, which may produce headings only while they
  /// are read.
  public nonisolated var heading: Heading? {
    get async {
      hub.use(.heading)
      return hub.decide { state, _ in state.known.heading }
    }
  }

  /// Counters since the manager was created.
  public nonisolated var statistics: Statistics {
    get async {
      hub.use(.statistics)
      return hub.decide { state, _ in state.statistics }
    }
  }
}

/// Creates a location manager, passes it to a closure, and shuts it down before returning or
/// throwing.
///
/// - Throws: The error that the closure throws.
public func withLocationManager<Result>(
  backend: any LocationBackend, configuration: LocationManager.Configuration = .init(),
  clock: any Clock<Duration> = .continuous,
  body: (LocationManager) async throws -> Result
) async rethrows -> Result {
  try await withLocationManager(
    LocationManager(backend: backend, configuration: configuration, clock: clock), body: body)
}

/// Passes a manager to a closure and shuts it down before returning or throwing.
package func withLocationManager<Result>(
  _ manager: LocationManager, body: (LocationManager) async throws -> Result
) async rethrows -> Result {
  do {
    let result = try await body(manager)
    await manager.close()
    return result
  } catch {
    await manager.close()
    throw error
  }
}
