public import AsyncLocation

/// A source of positions that plays a recorded track on a clock.
///
/// The track begins with the first run, and from then on its time goes on, as a receiver's does:
/// what falls between two runs is missed, and a run begins with what is due next. Each run reports
/// itself connected first. After the last event a run returns, which ends the manager's streams.
///
/// Within a run nothing is left out: a run that wakes late emits what has become due meanwhile, in
/// order. Timestamps stay as recorded, at any rate; rounds after the first carry theirs forward, so
/// that time does not jump back. Whether locations say that they are simulated is up to the track.
/// The receivers are those that the track's reports name; where they name none, a device that a
/// subscriber's options name is not reported as missing.
public final class ReplayBackend: LocationBackend, Sendable {
  /// How often a track is played.
  public struct Repetition: Sendable, Hashable {
    let rounds: Int?

    /// Once.
    public static var once: Self { Self(rounds: 1) }
    /// A number of times, at least 1.
    public static func times(_ count: Int) -> Self { Self(rounds: count) }
    /// Until cancelled. From the last event of a round to the first of the next passes the mean
    /// time between events, a second if there is none.
    public static var forever: Self { Self(rounds: nil) }
  }

  private struct State {
    var isRunning = false
    var start: Duration?
    /// The number of the event that comes next.
    var next = 0
  }

  /// The largest number of events that one batch holds.
  private static var batchLimit: Int { 256 }

  public let capabilities: BackendCapabilities
  public let authorizationPolicy: any AuthorizationPolicy

  private let name: String
  private let receivers: [Receiver]
  private let timeline: ReplayTimeline
  private let stopwatch: Timeline
  private let state = Locked(State())

  /// Creates a replay.
  ///
  /// - Parameters:
  ///   - events: The track. Sorted by offset; events of one offset keep their order and share a
  ///     batch.
  ///   - rate: How fast: 1 is the recorded pace, 2 twice as fast.
  ///   - repetition: How often.
  ///   - name: What the connection state calls the source.
  ///   - capabilities: The kinds that it reports; by default those in the track.
  ///   - authorizationPolicy: Who decides what the manager is allowed.
  ///   - clock: What offsets are measured on: a `ContinuousClock`, or a ``ManualClock`` in tests.
  /// - Throws: `LocationError` with code `invalidValue` for a rate that is not
  ///   finite and above 0, a repetition below 1, or an offset below 0 or over a hundred years.
  public init(
    _ events: [TimedEvent], rate: Double = 1, repetition: Repetition = .once,
    name: String = "replay", capabilities: BackendCapabilities? = nil,
    authorizationPolicy: any AuthorizationPolicy = .automatic, clock: any Clock<Duration>
  ) throws(LocationError) {
    timeline = try ReplayTimeline(events, rate: rate, repetition: repetition)
    self.name = name
    let devices = Set(events.compactMap(\.event.source?.deviceID))
    receivers = devices.compactMap(\.name).sorted().map { Receiver(name: $0) }
    self.capabilities = capabilities ?? BackendCapabilities(events.compactMap(\.event.kind))
    self.authorizationPolicy = authorizationPolicy
    stopwatch = Timeline(clock)
  }

  /// Plays the track from where time is.
  ///
  /// - Throws: `CancellationError`; `LocationError` with code `unsupported` when a
  ///   run is under way already.
  public func run(
    _ demand: BackendDemand, emit: @escaping @Sendable ([BackendEvent]) -> Void
  ) async throws {
    let start = try begin()
    defer { state.withLock { $0.isRunning = false } }
    emit([.connection(ConnectionState(.connected, endpoint: name, receivers: receivers))])
    while let due = timeline.due(state.withLock { $0.next }) {
      try await stopwatch.sleep(until: start.addingSaturated(due))
      try Task.checkCancellation()
      let batch = takeBatch(dueBy: stopwatch.now() - start)
      if !batch.isEmpty { emit(batch) }
    }
  }

  private func begin() throws(LocationError) -> Duration {
    let now = stopwatch.now()
    let start = state.withLock { state -> Duration? in
      guard !state.isRunning else { return nil }
      state.isRunning = true
      let start = state.start ?? now
      state.start = start
      state.next = timeline.first(from: state.next, notBefore: now - start)
      return start
    }
    if let start { return start }
    throw LocationError(
      .unsupported, "This ReplayBackend is being run already; give each manager one of its own.")
  }

  private func takeBatch(dueBy elapsed: Duration) -> [BackendEvent] {
    state.withLock { state in
      var batch: [BackendEvent] = []
      while batch.count < Self.batchLimit, let due = timeline.due(state.next), due <= elapsed {
        batch.append(timeline.event(state.next))
        state.next += 1
      }
      return batch
    }
  }
}

extension MockBackend {
  /// A backend that plays a recorded track; see ``ReplayBackend``, whose initialiser says what the
  /// parameters mean.
  ///
  /// - Throws: `LocationError` with code `invalidValue`.
  public static func replay(
    _ events: [TimedEvent], rate: Double = 1, repetition: ReplayBackend.Repetition = .once,
    clock: any Clock<Duration>
  ) throws(LocationError) -> ReplayBackend {
    try ReplayBackend(events, rate: rate, repetition: repetition, clock: clock)
  }
}

extension BackendEvent {
  /// Where a report came from.
  var source: SourceInformation? {
    switch self {
    case .location(let location): location.sourceInformation
    case .heading(let heading): heading.sourceInformation
    case .satellites(let view): view.sourceInformation
    case .unavailable, .connection, .authorization: nil
    }
  }

  /// The kind of report; nil for what every backend may say.
  var kind: BackendCapabilities? {
    switch self {
    case .location: .locations
    case .heading: .headings
    case .satellites: .satellites
    case .unavailable, .connection, .authorization: nil
    }
  }
}
