import AsyncLocation

/// A clock that moves only when a test advances it.
///
/// Pass one clock to the backend and to the manager, wait until the code under test sleeps, then
/// advance the clock:
///
/// ```swift
/// let clock = ManualClock()
/// let alarm = Task { try await clock.sleep(for: .seconds(60)) }
/// await clock.waitForSleepers()
/// clock.advance(by: .seconds(60))
/// try await alarm.value
/// ```
///
/// Advancing resumes sleepers but does not wait for their next step. Code that sleeps for a second
/// in a loop may wake only once when the clock advances by ten seconds. Use ``step(_:)`` to follow
/// such a loop. Code that sleeps until consecutive deadlines wakes for each of them in any case.
public final class ManualClock: Clock, Sendable {
  public typealias Duration = Swift.Duration

  /// A point on a manual clock's own time line.
  ///
  /// The time line has the range of `Duration`, and arithmetic saturates at its ends. The clock
  /// never reaches the last instant, so a deadline there never passes.
  public struct Instant: InstantProtocol, Sendable {
    /// The time since the clock's origin.
    public let offset: Swift.Duration

    /// Creates an instant at an offset from the origin.
    public init(offset: Swift.Duration = .zero) { self.offset = offset }

    public func advanced(by duration: Swift.Duration) -> Self {
      Self(offset: offset.addingSaturated(duration))
    }

    public func duration(to other: Self) -> Swift.Duration {
      other.offset.subtractingSaturated(offset)
    }

    public static func < (left: Self, right: Self) -> Bool { left.offset < right.offset }
  }

  /// A sleeping task. If it has a `rest`, the task counts as at rest until it is resumed.
  private struct Waiter: Sendable {
    let continuation: CheckedContinuation<Void, any Error>
    let rest: TaskRest?

    func resume(with result: Result<Void, any Error>) {
      rest?.end()
      continuation.resume(with: result)
    }
  }

  private struct State {
    var now: Duration
    /// The target of all advances so far; later than `now` while sleepers are being resumed.
    var goal: Duration
    var isAdvancing = false
    var queue = SleeperQueue()
    var waiters: [Int: Waiter] = [:]
    var nextID = 0
    /// Fulfilled when the next task begins to sleep.
    var nextSleeper = Promise<Void>()
  }

  private let state: Locked<State>

  /// The latest instant that the clock reaches.
  private static let end = Duration(attoseconds: .max - 1)

  /// Creates a clock that starts at an instant, by default its origin.
  public init(now: Instant = Instant()) {
    let offset = min(now.offset, Self.end)
    state = Locked(State(now: offset, goal: offset))
  }

  /// The current instant of the clock. During an advance, the deadline of the sleeper resumed last.
  public var now: Instant { Instant(offset: state.withLock { $0.now }) }

  /// One attosecond: the clock does not round.
  public var minimumResolution: Duration {
    Duration(secondsComponent: 0, attosecondsComponent: 1)
  }

  /// The number of tasks that are sleeping now.
  public var sleeperCount: Int { state.withLock { $0.queue.count } }

  /// The earliest deadline of the current sleepers; nil without sleepers.
  public var nextDeadline: Instant? {
    state.withLock { $0.queue.nextDeadline }.map(Instant.init(offset:))
  }

  /// Returns when the clock reaches a deadline, or immediately when the deadline has passed.
  ///
  /// - Throws: `CancellationError` when the task is cancelled first.
  public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    try Task.checkCancellation()
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    let sleeper = SleeperQueue.Sleeper(deadline: deadline.offset, id: id)
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        register(sleeper, continuation)
      }
    } onCancel: {
      let waiter = state.withLock { state in
        state.queue.remove(sleeper) ? state.waiters.removeValue(forKey: id) : nil
      }
      waiter?.resume(with: .failure(CancellationError()))
    }
  }

  /// Moves the clock forward and resumes the sleepers whose deadlines it passes, ordered by
  /// deadline and then by arrival. A negative duration has no effect. A duration that is too long
  /// moves the clock to its last instant.
  ///
  /// Concurrent advances add up; the first caller resumes all sleepers.
  public func advance(by duration: Duration) {
    advance { $0.addingSaturated(max(.zero, duration)) }
  }

  /// Moves the clock forward to an instant, as ``advance(by:)`` does. An instant in the past has no
  /// effect.
  public func advance(to instant: Instant) {
    advance { max($0, instant.offset) }
  }

  /// Moves the clock to the earliest deadline and resumes all sleepers with that deadline.
  ///
  /// - Returns: False without sleepers; the clock then does not move.
  @discardableResult
  public func advanceToNextDeadline() -> Bool {
    guard let deadline = nextDeadline else { return false }
    advance(to: deadline)
    return true
  }

  /// Waits for a sleeper and advances to its deadline, `count` times. Use it to follow one task
  /// that sleeps in a loop. Returns early when the calling task is cancelled.
  public func step(_ count: Int = 1) async {
    for _ in 0..<max(0, count) {
      repeat {
        await waitForSleepers()
        guard !Task.isCancelled else { return }
      } while !advanceToNextDeadline()
    }
  }

  /// Returns when at least `count` tasks sleep at the same time, or when the calling task is
  /// cancelled.
  public func waitForSleepers(atLeast count: Int = 1) async {
    while true {
      let change = state.withLock { $0.queue.count >= count ? nil : $0.nextSleeper }
      guard let change, await change.value() != nil else { return }
    }
  }

  private func register(
    _ sleeper: SleeperQueue.Sleeper, _ continuation: CheckedContinuation<Void, any Error>
  ) {
    enum Outcome {
      case passed, cancelled
      case asleep(Promise<Void>)
    }
    let rest = TaskRest.ofCurrentTask
    let outcome = state.withLock { state -> Outcome in
      guard !Task.isCancelled else { return .cancelled }  // Under the lock: no lost cancel.
      guard sleeper.deadline > state.now else { return .passed }
      state.queue.insert(sleeper)
      state.waiters[sleeper.id] = Waiter(continuation: continuation, rest: rest)
      rest?.begin()
      defer { state.nextSleeper = Promise() }
      return .asleep(state.nextSleeper)
    }
    switch outcome {
    case .passed: continuation.resume()
    case .cancelled: continuation.resume(throwing: CancellationError())
    case .asleep(let change):
      change.fulfill(())
      rest?.resumeWaiters()
    }
  }

  /// Moves the goal, and resumes sleepers unless another call already does.
  private func advance(_ move: (Duration) -> Duration) {
    let resumesSleepers = state.withLock { state in
      state.goal = min(move(state.goal), Self.end)
      defer { state.isAdvancing = true }
      return !state.isAdvancing
    }
    guard resumesSleepers else { return }  // Only one task resumes sleepers, to keep the order.
    while let waiter = nextToWake() { waiter.resume(with: .success(())) }
  }

  /// Moves to the next deadline up to the goal, or to the goal when no sleeper is left to resume.
  private func nextToWake() -> Waiter? {
    state.withLock { state in
      guard let sleeper = state.queue.popFirst(notAfter: state.goal) else {
        state.now = state.goal
        state.isAdvancing = false
        return nil
      }
      state.now = sleeper.deadline
      return state.waiters.removeValue(forKey: sleeper.id)
    }
  }
}

extension ManualClock: TestClock {}
