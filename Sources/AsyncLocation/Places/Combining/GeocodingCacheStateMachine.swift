import FoundationEssentials

/// Decides which callers are answered from the cache, which wait for a pending request, and which
/// cause a new request.
///
/// One request serves all callers with the same query within the radius. An answer is cached for
/// its maximum age; if the limit is exceeded, the least recently used answer is evicted. A failure
/// other than "no result" or a partial result is not cached.
///
/// With a storage, the machine records which answers were added and removed; see
/// ``takeUnstored(at:on:)``. Its decisions do not depend on the storage.
struct GeocodingCacheStateMachine: Sendable {
  typealias CallerID = UInt64
  typealias RequestID = GeocodingIndex.ID
  typealias Answer = Result<[Placemark], LocationError>

  enum AskAction: Sendable, Equatable {
    /// The answer is known.
    case answer(Answer)
    /// A pending request will answer.
    case wait
    /// A request is to be sent; its answer is passed to ``answered(_:with:mayBeKept:at:)``.
    case request(RequestID)
  }

  enum CancelAction: Sendable, Equatable {
    case none
    /// No caller waits for the request any longer.
    case cancelRequest(RequestID)
  }

  private enum State: Sendable {
    case requesting
    case known(Answer, since: Duration)
  }

  private struct Entry: Sendable {
    var query: GeocodingQuery
    var state: State
  }

  private let configuration: CachingGeocoder.Configuration
  private(set) var statistics = CachingGeocoder.Statistics()
  private var entries: [RequestID: Entry] = [:]
  /// The pending requests of callers.
  private var requests: [CallerID: RequestID] = [:]
  /// The callers of pending requests.
  private var callers: [RequestID: Set<CallerID>] = [:]
  private var index: GeocodingIndex
  /// The entries with answers, by their last use.
  private var known = RecencyList<RequestID>()
  private var lastID: RequestID = 0
  /// Nil without a storage.
  private var unstored: UnstoredAnswers?

  init(_ configuration: CachingGeocoder.Configuration) {
    self.configuration = configuration
    index = GeocodingIndex(radius: configuration.radius)
  }

  /// Restores the answers of a storage.
  ///
  /// The age of an answer is the difference of the dates. An answer with a future date has the age
  /// zero: the clock was set back. If the date is later by more than the answer's maximum age, the
  /// clock was wrong when the answer was given, and the answer is dropped.
  ///
  /// - Parameters:
  ///   - now: The current time on the clock of the ages.
  ///   - date: The current time on the system's clock.
  init(
    _ configuration: CachingGeocoder.Configuration, restoring stored: [StoredAnswer],
    at now: Duration, on date: Date
  ) {
    self.init(configuration)
    var unstored = UnstoredAnswers()
    for answer in stored.sorted(by: { ($0.date, $0.id) < ($1.date, $1.id) }) {
      lastID = max(lastID, answer.id)
      let age = ExactSeconds.duration(date.timeIntervalSince(answer.date)) ?? .greatest
      guard let limit = maximumAge(of: answer.answer), age < limit,
        age > Duration.zero.subtractingSaturated(limit)
      else {
        unstored.remove(answer.id)
        continue
      }
      let state = State.known(answer.answer, since: now.subtractingSaturated(max(age, .zero)))
      entries[answer.id] = Entry(query: answer.query, state: state)
      index.insert(answer.id, answer.query)
      known.use(answer.id)
    }
    self.unstored = unstored
    dropOldest()
  }

  /// A caller makes a request.
  mutating func requested(
    _ query: GeocodingQuery, by caller: CallerID, at now: Duration
  ) -> AskAction {
    if let id = index.nearest(to: query), let entry = entries[id] {
      switch entry.state {
      case .known(let answer, let since) where now < expiry(of: answer, since: since):
        known.use(id)
        statistics.hits += 1
        return .answer(answer)
      case .known:
        statistics.expirations += 1
        remove(id)
      case .requesting:
        callers[id, default: []].insert(caller)
        requests[caller] = id
        statistics.joined += 1
        return .wait
      }
    }
    lastID += 1
    entries[lastID] = Entry(query: query, state: .requesting)
    callers[lastID] = [caller]
    requests[caller] = lastID
    index.insert(lastID, query)
    statistics.requests += 1
    return .request(lastID)
  }

  /// A caller was cancelled. Has no effect if the caller was answered before.
  mutating func cancelled(_ caller: CallerID) -> CancelAction {
    guard let id = requests.removeValue(forKey: caller) else { return .none }
    callers[id]?.remove(caller)
    guard callers[id]?.isEmpty == true else { return .none }
    remove(id)  // A later caller causes a new request.
    return .cancelRequest(id)
  }

  /// A request ended.
  ///
  /// - Parameter mayBeKept: False for the answer to a query that permission no longer covers.
  /// - Returns: The callers that receive the answer, in order of arrival; none if the request was
  ///   cancelled.
  mutating func answered(
    _ id: RequestID, with answer: Answer, mayBeKept: Bool = true, at now: Duration
  ) -> [CallerID] {
    guard hasCallers(id) else { return [] }
    let callers = callers(of: id)
    self.callers[id] = nil
    for caller in callers { requests[caller] = nil }
    if mayBeKept, let age = maximumAge(of: answer), configuration.limit > 0, age > .zero {
      entries[id]?.state = .known(answer.mapError(\.withoutForeignCause), since: now)
      known.use(id)
      unstored?.add(id)
      dropOldest()
    } else {
      remove(id)
    }
    if case .failure(let error) = answer, !error.isGeocodingResult { statistics.failures += 1 }
    return callers
  }

  /// Replaces the query of a request, which permission no longer covers, with that of another
  /// waiting caller.
  mutating func replaceQuery(of id: RequestID, with query: GeocodingQuery) {
    guard let former = entries[id]?.query, hasCallers(id) else { return }
    index.remove(id, former)
    entries[id]?.query = query
    index.insert(id, query)
  }

  /// The callers that wait for a request, in order of arrival.
  func callers(of id: RequestID) -> [CallerID] { callers[id]?.sorted() ?? [] }

  /// True while a caller waits for a request.
  func hasCallers(_ id: RequestID) -> Bool { callers[id] != nil }

  /// Removes all answers. Pending requests answer their callers, and their answers are cached.
  mutating func removeAll() {
    while let oldest = known.oldest { remove(oldest) }
  }

  // MARK: Storage

  /// True if there are changes to store.
  var hasUnstored: Bool { unstored?.isEmpty == false }

  /// Returns the changes to store, removals first.
  ///
  /// - Parameters:
  ///   - now: The current time on the clock of the ages.
  ///   - date: The current time on the system's clock.
  mutating func takeUnstored(at now: Duration, on date: Date) -> [GeocodingChange] {
    guard let changes = unstored?.take() else { return [] }
    return changes.removed.map(GeocodingChange.remove)
      + changes.added.compactMap { id in
        guard let entry = entries[id], case .known(let answer, let since) = entry.state else {
          return nil
        }
        let date = date.addingTimeInterval(ExactSeconds.number(since.subtractingSaturated(now)))
        return .store(StoredAnswer(id: id, query: entry.query, answer: answer, date: date))
      }
  }

  /// Stops recording changes, because the storage was closed or failed.
  mutating func storageEnded() { unstored = nil }

  // MARK: Answers

  /// Evicts the least recently used answers until the limit is met.
  private mutating func dropOldest() {
    while known.count > max(configuration.limit, 0), let oldest = known.oldest {
      remove(oldest)
      statistics.evictions += 1
    }
    statistics.entries = known.count
  }

  private func expiry(of answer: Answer, since: Duration) -> Duration {
    since.addingSaturated(maximumAge(of: answer) ?? .zero)
  }

  /// The time for which an answer is cached; nil for a failure that is not cached.
  private func maximumAge(of answer: Answer) -> Duration? {
    switch answer {
    case .success: configuration.maximumAge
    case .failure(let error):
      switch error.code {
      case .geocodeFoundPartialResult: configuration.maximumAge
      case .geocodeFoundNoResult: configuration.noResultAge
      default: nil
      }
    }
  }

  private mutating func remove(_ id: RequestID) {
    guard let entry = entries.removeValue(forKey: id) else { return }
    index.remove(id, entry.query)
    known.remove(id)
    callers[id] = nil
    if case .known = entry.state { unstored?.remove(id) }
    statistics.entries = known.count
  }
}
