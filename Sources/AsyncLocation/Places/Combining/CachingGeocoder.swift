/// A geocoder that remembers the answers of another, and asks it once for all callers that want the
/// same.
///
/// ```swift
/// let geocoder = CachingGeocoder(server)
/// ```
///
/// Two requests are the same when their names and languages are equal and their points at most
/// ``Configuration/radius`` apart, measured on the ellipsoid, across the antimeridian and at the
/// poles too. ``Placemark/distance`` is measured anew for each caller.
///
/// Callers that ask while a request is under way share it. Cancelling one caller ends its wait
/// alone, and the request only when nobody else waits for it. Results are kept, and for a short
/// time that there is none. Other failures reach the callers that waited, and are not kept.
///
/// Answers are kept in memory, and go when the object goes.
public final class CachingGeocoder: Geocoder {
  private struct State: Sendable {
    var machine: GeocodingCacheStateMachine
    var callers: [UInt64: PendingCall<[Placemark]>] = [:]
    var tasks: [UInt64: Task<Void, Never>] = [:]
  }

  private let geocoder: any Geocoder
  private let timeline: Timeline
  private let ids = IDSource()
  private let state: Locked<State>

  /// Creates an empty cache.
  ///
  /// - Parameters:
  ///   - geocoder: Answers what is not in the cache.
  ///   - configuration: The bounds of the cache.
  ///   - clock: Measures the age of answers.
  public init(
    _ geocoder: any Geocoder, configuration: Configuration = Configuration(),
    clock: any Clock<Duration> = .continuous
  ) {
    self.geocoder = geocoder
    timeline = .of(clock)
    state = Locked(State(machine: GeocodingCacheStateMachine(configuration)))
  }

  /// Whether the geocoder allows it: a cache does not answer for new places.
  public var allowsPeriodicUse: Bool { geocoder.allowsPeriodicUse }

  /// Counters since the cache was created.
  public var statistics: Statistics { state.withLock { $0.machine.statistics } }

  /// Forgets all answers. Requests under way are not affected.
  public func removeAll() { state.withLock { $0.machine.removeAll() } }

  /// Finds the places at a point, or near it within ``Configuration/radius``.
  ///
  /// - Throws: `CancellationError` when the task is cancelled, and otherwise the geocoder's
  ///   ``LocationError``. Any other error of the geocoder is the cause of one: with
  ///   ``LocationError/Code/geocodeCanceled`` for a `CancellationError` although somebody waits,
  ///   and with ``LocationError/Code/geocoderUnavailable``.
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

  /// An answer whose distances may be those of another caller.
  private func sharedAnswer(to query: GeocodingQuery) async throws -> [Placemark] {
    try Task.checkCancellation()
    let caller = ids.next()
    let now = timeline.now()
    let action = state.withLock { state in
      let action = state.machine.asked(query, by: caller, at: now)
      if case .answer = action {} else { state.callers[caller] = PendingCall() }
      return action
    }
    switch action {
    case .answer(let answer): return try answer.get()
    case .wait: break
    case .request(let id): send(query, id)
    }
    return try await wait(caller)
  }

  private func wait(_ caller: UInt64) async throws -> [Placemark] {
    defer { state.withLock { _ = $0.callers.removeValue(forKey: caller) } }
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

  /// Sends a request in a task of its own, which no caller's cancellation reaches.
  private func send(_ query: GeocodingQuery, _ id: UInt64) {
    let ledger = TaskRest.ledgerOfCurrentTask
    ledger?.begin()
    let task = Task {
      guard let ledger else { return await self.perform(query, id) }
      await ledger.performing { await self.perform(query, id) }
    }
    // The request may have been answered or cancelled before its task is kept.
    let isWanted = state.withLock { state in
      let isWanted = state.machine.isAsking(id)
      if isWanted { state.tasks[id] = task }
      return isWanted
    }
    if !isWanted { task.cancel() }
  }

  private func perform(_ query: GeocodingQuery, _ id: UInt64) async {
    let answer: GeocodingCacheStateMachine.Answer
    do {
      answer = .success(try await query.answer(of: geocoder))
    } catch {
      answer = .failure(LocationError(ofGeocoder: error))
    }
    let now = timeline.now()
    let resumptions = state.withLock { state in
      state.tasks[id] = nil
      return state.machine.answered(id, with: answer, at: now).compactMap {
        state.callers[$0]?.resolve(answer.mapError { $0 as any Error })
      }
    }
    for resumption in resumptions { resumption.perform() }
  }
}
