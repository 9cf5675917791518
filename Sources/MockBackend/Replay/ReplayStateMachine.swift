import AsyncLocation

/// Decides which events of a replay are due, from its position, its rate and whether it is paused.
/// Performs no I/O; instants are on the clock of the replay.
struct ReplayStateMachine: Sendable {
  /// The next step of a run.
  enum Step: Hashable, Sendable {
    case emit([BackendEvent])
    /// Wait for an instant and for commands; without an instant, for commands only.
    case wait(until: Duration?)
    case end
  }

  private enum Motion: Sendable {
    case stopped(position: Duration)
    /// The origin is the instant at which the recording would have begun if it had been played at
    /// the current rate up to the current position.
    case playing(origin: Duration)
  }

  /// The maximum number of events in one batch.
  static let batchLimit = 256
  /// Added to the shift with each step back, so that no two locations have equal timestamps.
  private static let separation = Duration.milliseconds(1)

  private var timeline: ReplayTimeline
  private var motion = Motion.stopped(position: .zero)
  private(set) var isPaused = false
  private var hasStarted = false
  /// The number of the next event.
  private var next = 0
  /// The time by which timestamps are moved forward.
  private var shift = Duration.zero
  /// The shifted position of the last batch; no played event is later.
  private var latest: Duration?

  init(_ timeline: ReplayTimeline) { self.timeline = timeline }

  var rate: Double { timeline.rate }

  func position(at now: Duration) -> Duration {
    switch motion {
    case .stopped(let position): position
    case .playing(let origin): timeline.offset(after: max(.zero, now - origin))
    }
  }

  /// Handles the start of a run. Skips the events that became due since the last run ended.
  mutating func began(at now: Duration) {
    hasStarted = true
    switch motion {
    case .stopped(let position): play(from: position, at: now)
    case .playing(let origin): next = timeline.first(from: next, notBefore: now - origin)
    }
  }

  /// The next step of a run.
  mutating func step(at now: Duration) -> Step {
    switch motion {
    case .stopped: return .wait(until: nil)
    case .playing(let origin):
      guard let due = timeline.due(next) else { return .end }
      let instant = origin.addingSaturated(due)
      guard instant <= now else { return .wait(until: instant) }
      latest = position(at: now).addingSaturated(shift)
      return .emit(takeBatch(dueBy: now - origin))
    }
  }

  mutating func paused(at now: Duration) {
    guard !isPaused else { return }
    motion = .stopped(position: position(at: now))
    isPaused = true
  }

  mutating func resumed(at now: Duration) {
    guard isPaused else { return }
    isPaused = false
    if hasStarted { play(from: position(at: now), at: now) }
  }

  mutating func changed(rate: Double, at now: Duration) throws(LocationError) {
    let position = position(at: now)
    try timeline.setRate(rate)
    move(to: position, at: now)
  }

  mutating func sought(to target: Duration, at now: Duration) {
    let start = position(at: now)
    let target = min(max(target, .zero), timeline.end)
    // Only a step back into a part that was already played shifts the timestamps.
    if let latest, latest >= target.addingSaturated(shift), target < start {
      shift = shift.addingSaturated(start - target + Self.separation)
    }
    next = timeline.first(from: 0, notBefore: timeline.elapsed(to: target))
    move(to: target, at: now)
  }

  private mutating func move(to position: Duration, at now: Duration) {
    switch motion {
    case .stopped: motion = .stopped(position: position)
    case .playing: play(from: position, at: now)
    }
  }

  private mutating func play(from position: Duration, at now: Duration) {
    guard !isPaused else { return }
    motion = .playing(origin: now - timeline.elapsed(to: position))
  }

  private mutating func takeBatch(dueBy elapsed: Duration) -> [BackendEvent] {
    var batch: [BackendEvent] = []
    while batch.count < Self.batchLimit, let due = timeline.due(next), due <= elapsed {
      let event = timeline.event(next)
      batch.append(shift == .zero ? event : event.delayed(bySeconds: shift / .seconds(1)))
      next += 1
    }
    return batch
  }
}
