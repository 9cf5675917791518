import AsyncLocation

/// A clock that stands still until a test moves it.
///
/// Give one clock to the backend and to the manager, wait until the code under test is asleep, then
/// advance:
///
/// ```swift
/// let clock = ManualClock()
/// let alarm = Task { try await clock.sleep(for: .seconds(60)) }
/// await clock.waitForSleepers()
/// clock.advance(by: .seconds(60))
/// try await alarm.value
/// ```
///
/// Advancing resumes sleepers and does not wait for what they do next: code that sleeps for a
/// second in a loop may wake but once when the clock advances by ten. Use ``step(_:)`` to follow
/// such a loop; code that sleeps until deadlines, one after another, catches up by itself.
public final class ManualClock: Clock, Sendable {
  public typealias Duration = Swift.Duration

  /// A point on a manual clock's own time line.
  ///
  /// The line ends where `Duration` does, and arithmetic stops there. The clock shows every instant
  /// but the last, so a deadline there never comes.
  public struct Instant: InstantProtocol, Sendable {
    /// The time since the clock's origin.
    public let offset: Swift.Duration

    /// Creates an instant that lies a duration after the origin.
    public init(offset: Swift.Duration = .zero) { self.offset = offset }

    public func advanced(by duration: Swift.Duration) -> Self {
      Self(offset: offset.addingSaturated(duration))
    }

    public func duration(to other: Self) -> Swift.Duration {
      other.offset.subtractingSaturated(offset)
    }

    public static func < (left: Self, right: Self) -> Bool { left.offset < right.offset }
  }

  private struct State {
    var now: Duration
    /// Where the advances so far lead; ahead of `now` while sleepers are being woken.
    var goal: Duration
    var isAdvancing = false
    var queue = SleeperQueue()
    var continuations: [Int: CheckedContinuation<Void, any Error>] = [:]
    var nextID = 0
    var nextSleeper = Promise<Void>()
  }

  private let state: Locked<State>

  /// What the clock shows at most.
  private static let end = Duration(attoseconds: .max - 1)

  /// Creates a clock that shows an instant, by default its origin.
  public init(now: Instant = Instant()) {
    let offset = min(now.offset, Self.end)
    state = Locked(State(now: offset, goal: offset))
  }

  /// The instant that the clock shows. While it advances, the deadline of the sleeper that was
  /// resumed last.
  public var now: Instant { Instant(offset: state.withLock { $0.now }) }

  /// An attosecond: this clock rounds nothing.
  public var minimumResolution: Duration {
    Duration(secondsComponent: 0, attosecondsComponent: 1)
  }

  /// How many sleep at the moment.
  public var sleeperCount: Int { state.withLock { $0.queue.count } }

  /// The instant at which the next sleeper wakes; nil when nobody sleeps.
  public var nextDeadline: Instant? {
    state.withLock { $0.queue.nextDeadline }.map(Instant.init(offset:))
  }

  /// Returns when the clock reaches a deadline, at once when it has.
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
      let continuation = state.withLock { state in
        state.queue.remove(sleeper) ? state.continuations.removeValue(forKey: id) : nil
      }
      continuation?.resume(throwing: CancellationError())
    }
  }

  /// Moves the clock forward, waking those whose deadlines it passes, in order of deadline and then
  /// of arrival. A negative duration does nothing: time does not run backwards. A duration that is
  /// too long moves the clock to its last instant.
  ///
  /// Advances at one time from several tasks add up; the first of them wakes all sleepers.
  public func advance(by duration: Duration) {
    advance { $0.addingSaturated(max(.zero, duration)) }
  }

  /// Moves the clock forward to an instant, as ``advance(by:)`` does; an instant that has passed
  /// leaves the clock where it is.
  public func advance(to instant: Instant) {
    advance { max($0, instant.offset) }
  }

  /// Moves the clock to the deadline of the next sleeper, waking all whose deadline that is.
  ///
  /// - Returns: False when nobody sleeps and the clock stays.
  @discardableResult
  public func advanceToNextDeadline() -> Bool {
    guard let deadline = nextDeadline else { return false }
    advance(to: deadline)
    return true
  }

  /// Waits until somebody sleeps, advances to that deadline, and so on, a number of times: follows
  /// one task that sleeps again and again. Returns early when the calling task is cancelled.
  public func step(_ count: Int = 1) async {
    for _ in 0..<max(0, count) {
      repeat {
        await waitForSleepers()
        guard !Task.isCancelled else { return }
      } while !advanceToNextDeadline()
    }
  }

  /// Returns once as many sleep at one time as asked, or when the calling task is cancelled.
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
    let outcome = state.withLock { state -> Outcome in
      guard !Task.isCancelled else { return .cancelled }  // Under the lock: no lost cancel.
      guard sleeper.deadline > state.now else { return .passed }
      state.queue.insert(sleeper)
      state.continuations[sleeper.id] = continuation
      defer { state.nextSleeper = Promise() }
      return .asleep(state.nextSleeper)
    }
    switch outcome {
    case .passed: continuation.resume()
    case .cancelled: continuation.resume(throwing: CancellationError())
    case .asleep(let change): change.fulfill(())
    }
  }

  private func advance(_ move: (Duration) -> Duration) {
    let isOurs = state.withLock { state in
      state.goal = min(move(state.goal), Self.end)
      defer { state.isAdvancing = true }
      return !state.isAdvancing
    }
    guard isOurs else { return }  // One task wakes all, or the order would be lost.
    while let continuation = nextToWake() { continuation.resume() }
  }

  /// Moves to the next deadline up to the goal, or to the goal itself when nobody is left to wake.
  private func nextToWake() -> CheckedContinuation<Void, any Error>? {
    state.withLock { state in
      guard let sleeper = state.queue.popFirst(notAfter: state.goal) else {
        state.now = state.goal
        state.isAdvancing = false
        return nil
      }
      state.now = sleeper.deadline
      return state.continuations.removeValue(forKey: sleeper.id)
    }
  }
}
