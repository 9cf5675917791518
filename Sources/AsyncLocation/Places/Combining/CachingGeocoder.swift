package import FoundationEssentials

/// A geocoder that caches the answers of another geocoder, and calls it once for concurrent equal
/// requests.
///
/// ```swift
/// let geocoder = CachingGeocoder(server)
/// ```
///
/// Two requests are the same when their names and languages are equal and their points are at most
/// ``Configuration/radius`` apart. The distance is measured on the ellipsoid, also across the
/// antimeridian and at the poles. ``Placemark/distance`` is measured again for each caller.
///
/// Callers with the same request share it while it is pending. Cancelling a caller ends only its
/// own wait, and cancels the request if no other caller waits for it. Results, including partial
/// ones, are cached, and "no result" is cached for a short time. Other failures are reported to the
/// waiting callers and not cached.
///
/// Answers are kept in memory until the cache is released. With a storage, such as
/// `SQLiteGeocodingStorage` of the module LocationStorage, they are also available to the next run
/// of the program.
public final class CachingGeocoder: Geocoder {
  private struct State: Sendable {
    var machine: GeocodingCacheStateMachine
    var callers: [UInt64: PendingCall<[Placemark]>] = [:]
    /// The queries of the callers, with their permission.
    var callerRequests: [UInt64: CallerRequest] = [:]
    var tasks: [UInt64: Task<Void, Never>] = [:]
    /// Nil without a storage, and after it failed or was closed.
    var session: (any GeocodingSession)?
    /// The task that stores changes; nil while there are none to store.
    var writing: Task<Void, Never>?
    var storageProblem: LocationError?
  }

  private struct CallerRequest: Sendable {
    let query: GeocodingQuery
    let permission: GeocodingPermission?

    var isPermitted: Bool { permission?.isGiven() ?? true }
  }

  private let geocoder: any Geocoder
  private let timeline: Timeline
  private let date: @Sendable () -> Date
  private let ids = IDSource()
  private let state: Locked<State>

  /// Creates an empty cache.
  ///
  /// - Parameters:
  ///   - geocoder: Answers requests that the cache cannot answer.
  ///   - configuration: The bounds of the cache.
  ///   - clock: Measures the age of answers.
  public init(
    _ geocoder: any Geocoder, configuration: Configuration = Configuration(),
    clock: any Clock<Duration> = .continuous
  ) {
    self.geocoder = geocoder
    timeline = .of(clock)
    date = { Date() }
    state = Locked(State(machine: GeocodingCacheStateMachine(configuration)))
  }

  /// Creates a cache with the answers of a storage.
  ///
  /// - Parameters:
  ///   - session: The storage of the changes.
  ///   - stored: The answers that the storage had when it was opened.
  ///   - date: The system's clock, for the dates of stored answers.
  package init(
    _ geocoder: any Geocoder, configuration: Configuration, clock: any Clock<Duration>,
    session: any GeocodingSession, stored: StoredAnswers,
    date: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.geocoder = geocoder
    timeline = .of(clock)
    self.date = date
    let machine = GeocodingCacheStateMachine(
      configuration, restoring: stored.answers, at: timeline.now(), on: date())
    state = Locked(
      State(machine: machine, session: session, storageProblem: stored.problem))
    state.withLock { startWriting(&$0) }
  }

  /// Whether the cached geocoder allows periodic use, because the cache calls it for new places.
  public var allowsPeriodicUse: Bool { geocoder.allowsPeriodicUse }

  /// Counters since the cache was created.
  public var statistics: Statistics { state.withLock { $0.machine.statistics } }

  /// The failure of the storage; nil if there was none, and without a storage.
  ///
  /// If the storage is damaged when the cache is created, the storage is set aside, and the cache
  /// begins without answers. After a failure to write, the cache continues in memory and stores
  /// nothing more.
  public var storageProblem: LocationError? { state.withLock { $0.storageProblem } }

  /// Removes all answers, including those in the storage. Pending requests are not affected.
  public func removeAll() {
    state.withLock { state in
      state.machine.removeAll()
      startWriting(&state)
    }
  }

  /// Stores the remaining changes and closes the storage, so that another cache can open it. Does
  /// nothing without a storage.
  ///
  /// Answers are stored automatically, soon after they arrive. A closed cache still answers from
  /// memory. Cancellation has no effect.
  public func close() async {
    await waitUntilStored()
    let session = state.withLock { state in
      state.machine.storageEnded()
      return state.session.take()
    }
    await session?.close()
  }

  /// Finds the places at a point, or near it within ``Configuration/radius``.
  ///
  /// - Throws: `CancellationError` when the task is cancelled, and otherwise the geocoder's
  ///   ``LocationError``. A `CancellationError` of the geocoder while callers wait becomes an error
  ///   with ``LocationError/Code/geocodeCanceled``. Any other error becomes the cause of one with
  ///   ``LocationError/Code/geocoderUnavailable``.
  public func reverseGeocode(
    _ coordinate: Coordinate, locale: GeocodingLocale?
  ) async throws -> [Placemark] {
    try await answer(to: GeocodingQuery(name: nil, point: coordinate, locale: locale))
  }

  /// Finds the places of a name; as ``reverseGeocode(_:locale:)`` does.
  public func geocode(
    _ name: String, near: Coordinate?, locale: GeocodingLocale?
  ) async throws -> [Placemark] {
    try await answer(to: GeocodingQuery(name: name, point: near, locale: locale))
  }

  private func answer(to query: GeocodingQuery) async throws -> [Placemark] {
    do {
      let placemarks = try await sharedAnswer(to: query)
      return query.point.map { point in placemarks.map { $0.measured(from: point) } } ?? placemarks
    } catch let error as LocationError {
      throw query.point.map(error.measured) ?? error
    }
  }

  /// Returns an answer whose distances may be measured from another caller's point.
  private func sharedAnswer(to query: GeocodingQuery) async throws -> [Placemark] {
    try Task.checkCancellation()
    let caller = ids.next()
    let now = timeline.now()
    let request = CallerRequest(query: query, permission: .current)
    let action = state.withLock { state in
      let action = state.machine.requested(query, by: caller, at: now)
      startWriting(&state)
      if case .answer = action { return action }
      (state.callers[caller], state.callerRequests[caller]) = (PendingCall(), request)
      return action
    }
    switch action {
    case .answer(let answer): return try answer.get()
    case .wait: break
    case .request(let id): send(request, id)
    }
    return try await wait(caller)
  }

  private func wait(_ caller: UInt64) async throws -> [Placemark] {
    defer { state.withLock { ($0.callers[caller], $0.callerRequests[caller]) = (nil, nil) } }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let rest = TaskRest.ofCurrentTask
        let resumption = state.withLock { $0.callers[caller]?.wait(continuation, rest) }
        resumption?.perform()
        rest?.resumeWaiters()
      }
    } onCancel: {
      let (resumption, request) = state.withLock { state in
        let request: Task<Void, Never>? =
          switch state.machine.cancelled(caller) {
          case .none: nil
          case .cancelRequest(let id): state.tasks.removeValue(forKey: id)
          }
        return (state.callers[caller]?.resolve(.failure(CancellationError())), request)
      }
      request?.cancel()
      resumption?.perform()
    }
  }

  /// Sends a request in a separate task, which is not cancelled with a caller's task.
  private func send(_ request: CallerRequest, _ id: UInt64) {
    let ledger = TaskRest.ledgerOfCurrentTask
    ledger?.begin()
    let task = Task {
      guard let ledger else { return await self.perform(request, id) }
      await ledger.performing { await self.perform(request, id) }
    }
    // The request may have been answered or cancelled before its task is stored.
    let isWanted = state.withLock { state in
      let isWanted = state.machine.hasCallers(id)
      if isWanted { state.tasks[id] = task }
      return isWanted
    }
    if !isWanted { task.cancel() }
  }

  private func perform(_ request: CallerRequest, _ id: UInt64) async {
    var request = request
    var answer = await answer(to: request, id)
    while case .failure = answer, let other = successor(of: request, id) {
      request = other
      answer = await self.answer(to: other, id)
    }
    let now = timeline.now()
    let mayBeKept = request.permission == nil || isPermitted(request.query, id)
    let resumptions = state.withLock { state in
      state.tasks[id] = nil
      let callers = state.machine.answered(id, with: answer, mayBeKept: mayBeKept, at: now)
      startWriting(&state)
      return callers.compactMap {
        state.callers[$0]?.resolve(answer.mapError { $0 as any Error })
      }
    }
    for resumption in resumptions { resumption.perform() }
  }

  private func answer(
    to request: CallerRequest, _ id: UInt64
  ) async -> GeocodingCacheStateMachine.Answer {
    // Another caller's permission covers only its own point.
    let permission = request.permission.map { _ in
      GeocodingPermission { self.isPermitted(request.query, id) }
    }
    return await GeocodingPermission.$current.withValue(permission) {
      do {
        try GeocodingPermission.check()
        return .success(try await request.query.answer(of: geocoder))
      } catch {
        return .failure(LocationError(ofGeocoder: error))
      }
    }
  }

  /// Whether a query is permitted for a caller that waits for a request.
  private func isPermitted(_ query: GeocodingQuery, _ id: UInt64) -> Bool {
    callerRequests(of: id).contains { $0.query == query && $0.isPermitted }
  }

  /// The request of another caller to send after the permission for a request was withdrawn; nil if
  /// it was not withdrawn, or if no other waiting caller has permission.
  ///
  /// - Parameter id: The ID of the request for which both callers wait.
  private func successor(of request: CallerRequest, _ id: UInt64) -> CallerRequest? {
    guard request.permission != nil, !isPermitted(request.query, id), !Task.isCancelled,
      let other = callerRequests(of: id).first(where: \.isPermitted)
    else { return nil }
    state.withLock { $0.machine.replaceQuery(of: id, with: other.query) }
    return other
  }

  /// The requests of the callers that wait for a request.
  private func callerRequests(of id: UInt64) -> [CallerRequest] {
    state.withLock { state in state.machine.callers(of: id).compactMap { state.callerRequests[$0] }
    }
  }

  // MARK: Storage

  /// Starts the task that stores changes, unless the task is running. Callers do not wait for the
  /// storage. Several changes may share a commit.
  private func startWriting(_ state: inout State) {
    guard let session = state.session, state.writing == nil, state.machine.hasUnstored else {
      return
    }
    state.writing = Task.detached { [self] in await write(to: session) }
  }

  private func write(to session: any GeocodingSession) async {
    while true {
      let (now, date) = (timeline.now(), date())
      let changes = state.withLock { state in
        let changes = state.machine.takeUnstored(at: now, on: date)
        if changes.isEmpty { state.writing = nil }
        return changes
      }
      guard !changes.isEmpty else { return }
      do throws(LocationError) {
        try await session.commit(changes)
      } catch {
        return await storingFailed(error)
      }
    }
  }

  private func storingFailed(_ error: LocationError) async {
    let session = state.withLock { state in
      state.machine.storageEnded()
      // The error is not reported if the cache was closed in the meantime.
      if state.session != nil { state.storageProblem = error }
      return state.session.take()
    }
    await session?.close()
    state.withLock { $0.writing = nil }
  }

  /// Returns when the storage has all changes, or has failed.
  package func waitUntilStored() async {
    while let writing = state.withLock({ $0.writing }) { await writing.value }
  }
}
