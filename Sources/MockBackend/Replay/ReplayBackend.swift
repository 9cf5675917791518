public import AsyncLocation

/// A location backend that plays a recorded track on a clock.
///
/// The track starts with the first run. Its time continues between runs, as with a real receiver:
/// events between two runs are skipped, and a run starts with the next due event. Each run first
/// reports that it is connected. After the last event a run returns, which ends the manager's
/// streams.
///
/// Within a run no event is skipped: a run that wakes late emits all due events in order.
/// Timestamps stay as recorded at any rate; those of later rounds are moved forward, so that time
/// does not jump back. The track decides whether locations are marked as simulated. The devices are
/// those named in the track's reports. If the reports name no device, the `device` option of a
/// subscriber is not reported as unknown.
public final class ReplayBackend: LocationBackend, Sendable {
  /// How often a track is played.
  public struct Repetition: Sendable, Hashable {
    let rounds: Int?

    /// Once.
    public static var once: Self { Self(rounds: 1) }
    /// A number of times, at least 1.
    public static func times(_ count: Int) -> Self { Self(rounds: count) }
    /// Until cancelled. The gap between two rounds is the mean time between events, or one second
    /// if the track has no duration.
    public static var forever: Self { Self(rounds: nil) }
  }

  private struct State {
    var isRunning = false
    var start: Duration?
    /// The number of the next event.
    var next = 0
  }

  /// The maximum number of events in one batch.
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
  ///   - events: The track. It is sorted by offset; events with equal offsets keep their order and
  ///     share a batch.
  ///   - rate: The speed: 1 is as recorded, 2 is twice as fast.
  ///   - repetition: The number of rounds.
  ///   - name: The name of the source in the connection state.
  ///   - capabilities: The kinds of reports; by default those in the track.
  ///   - authorizationPolicy: The policy that decides on the manager's permission.
  ///   - clock: The clock that offsets are measured on: a `ContinuousClock`, or a ``ManualClock``
  ///     in tests.
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

  /// Plays the track from its current time.
  ///
  /// - Throws: `CancellationError`; `LocationError` with code `unsupported` when a run is already
  ///   in progress.
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
      .unsupported, "This ReplayBackend already runs; create one for each manager.")
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
  /// Creates a backend that plays a recorded track. The initializer of ``ReplayBackend`` documents
  /// the parameters.
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
  /// The source of a report.
  var source: SourceInformation? {
    switch self {
    case .location(let location): location.sourceInformation
    case .heading(let heading): heading.sourceInformation
    case .satellites(let view): view.sourceInformation
    case .beacons(let report): report.sourceInformation
    case .unavailable, .connection, .authorization: nil
    }
  }

  /// The kind of report; nil for events that any backend may emit.
  var kind: BackendCapabilities? {
    switch self {
    case .location: .locations
    case .heading: .headings
    case .satellites: .satellites
    case .beacons: .beacons
    case .unavailable, .connection, .authorization: nil
    }
  }
}
