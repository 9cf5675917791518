public import AsyncLocation

/// A location backend that plays a recorded track on a clock.
///
/// Playback starts with the first run and continues between runs, as with a real receiver: events
/// between two runs are skipped, and a run starts with the next due event. Each run first reports
/// that it is connected. After the last event a run returns, which ends the manager's streams.
///
/// Within a run no event is skipped: a run that wakes late emits all due events in order. The rate
/// does not change timestamps. The timestamps of later rounds are moved forward, so that time does
/// not jump back.
///
/// ``pause()``, ``resume()``, ``seek(to:)`` and ``setRate(_:)`` may be called at any time and from
/// any thread, also before the first run and between runs. They take effect in the order of the
/// calls; a batch that is being emitted is not changed.
///
/// The track determines whether locations are marked as simulated. The backend's devices are those
/// that the track's reports name. If they name none, a subscriber's `device` option is not reported
/// as unknown.
public final class ReplayBackend: LocationBackend, Sendable {
  /// How often a track is played.
  public struct Repetition: Sendable, Hashable {
    let rounds: Int?

    /// Once.
    public static var once: Self { Self(rounds: 1) }
    /// A number of times, at least 1.
    public static func times(_ count: Int) -> Self { Self(rounds: count) }
    /// Until cancelled. The gap between two rounds is the mean time between events, or one second
    /// if the track has a single event or no duration.
    public static var forever: Self { Self(rounds: nil) }
  }

  private struct State {
    var isRunning = false
    var machine: ReplayStateMachine
    /// Fulfilled by the next command, so that a waiting run continues.
    var command = Promise<Void>()
  }

  public let capabilities: BackendCapabilities
  public let authorizationPolicy: any AuthorizationPolicy

  private let name: String
  private let receivers: [Receiver]
  private let stopwatch: Timeline
  private let state: Locked<State>

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
  /// - Throws: `LocationError` with code `invalidValue` for a rate that is not finite and above 0,
  ///   a repetition below 1, or an offset below 0 or over a hundred years.
  public init(
    _ events: [TimedEvent], rate: Double = 1, repetition: Repetition = .once,
    name: String = "replay", capabilities: BackendCapabilities? = nil,
    authorizationPolicy: any AuthorizationPolicy = .automatic, clock: any Clock<Duration>
  ) throws(LocationError) {
    let timeline = try ReplayTimeline(events, rate: rate, repetition: repetition)
    state = Locked(State(machine: ReplayStateMachine(timeline)))
    self.name = name
    let devices = Set(events.compactMap(\.event.source?.deviceID))
    receivers = devices.compactMap(\.name).sorted().map { Receiver(name: $0) }
    self.capabilities = capabilities ?? BackendCapabilities(events.compactMap(\.event.kind))
    self.authorizationPolicy = authorizationPolicy
    stopwatch = Timeline(clock)
  }

  /// Plays the track from the current position.
  ///
  /// - Throws: `CancellationError`; `LocationError` with code `unsupported` when a run is already
  ///   in progress.
  public func run(
    _ demand: BackendDemand, emit: @escaping @Sendable ([BackendEvent]) -> Void
  ) async throws {
    try begin()
    defer { state.withLock { $0.isRunning = false } }
    emit([.connection(ConnectionState(.connected, endpoint: name, receivers: receivers))])
    while true {
      try Task.checkCancellation()
      let (step, command) = state.withLock { ($0.machine.step(at: stopwatch.now()), $0.command) }
      switch step {
      case .emit(let batch): emit(batch)
      case .wait(let instant): try await wait(until: instant, or: command)
      case .end: return
      }
    }
  }

  private func begin() throws(LocationError) {
    let hasBegun = state.withLock { state in
      guard !state.isRunning else { return false }
      state.isRunning = true
      state.machine.began(at: stopwatch.now())
      return true
    }
    guard hasBegun else {
      throw LocationError(
        .unsupported, "This ReplayBackend already runs; create one for each manager.")
    }
  }

  /// Waits for an instant or a command; without an instant, for a command only.
  private func wait(until instant: Duration?, or command: Promise<Void>) async throws {
    guard let instant else {
      _ = await command.value()
      return
    }
    await withTaskGroup(of: Void.self) { group in
      group.addTask { [stopwatch] in try? await stopwatch.sleep(until: instant) }
      group.addTask { _ = await command.value() }
      await group.next()
      group.cancelAll()
    }
  }
}

// MARK: Control

extension ReplayBackend {
  /// The current playback offset in the recording, counted over all rounds; at most the offset of
  /// the last event.
  public var position: Duration {
    state.withLock { $0.machine.position(at: stopwatch.now()) }
  }

  /// True while playback is paused.
  public var isPaused: Bool { state.withLock { $0.machine.isPaused } }

  /// The current speed, a multiple of the recorded speed.
  public var rate: Double { state.withLock { $0.machine.rate } }

  /// Stops playback at its position. A paused run continues without events, even at the end of the
  /// recording. Has no effect if playback is paused already.
  public func pause() { command { $0.paused(at: $1) } }

  /// Continues playback at its position. Has no effect unless playback is paused.
  public func resume() { command { $0.resumed(at: $1) } }

  /// Changes the speed from now on; the position does not change.
  ///
  /// - Throws: `LocationError` with code `invalidValue` for a rate that is not finite and above 0.
  public func setRate(_ rate: Double) throws(LocationError) {
    let failure = command { machine, now -> LocationError? in
      do throws(LocationError) {
        try machine.changed(rate: rate, at: now)
        return nil
      } catch {
        return error
      }
    }
    if let failure { throw failure }
  }

  /// Moves playback to a position, counted from the beginning of the first round; the events at
  /// that offset are played next. A negative position is the beginning, and a position after the
  /// last event is the end.
  ///
  /// A manager accepts only locations that are newer than earlier ones. Therefore, after a step
  /// back into a part that was already played, all timestamps are moved forward by the length of
  /// the step and a millisecond. A step forward changes no timestamp. A run that has ended does not
  /// begin again; the next run plays from the position.
  public func seek(to position: Duration) { command { $0.sought(to: position, at: $1) } }

  /// Applies a command at the current instant, and resumes a waiting run.
  @discardableResult
  private func command<Value: Sendable>(
    _ body: (inout ReplayStateMachine, Duration) -> Value
  ) -> Value {
    let (value, command) = state.withLock { state in
      let value = body(&state.machine, stopwatch.now())
      defer { state.command = Promise() }
      return (value, state.command)
    }
    command.fulfill(())
    return value
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
