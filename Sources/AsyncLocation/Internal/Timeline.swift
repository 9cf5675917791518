import Synchronization

/// A clock whose instants are durations since it was wrapped, whatever the clock's own type.
package final class Timeline: Sendable {
  /// Its number in the ``TimelineTable`` that it is in, which alone writes it; 0 before it enters.
  let identifier = Atomic<UInt32>(0)
  private let elapsed: @Sendable () -> Duration
  private let sleeper: @Sendable (Duration) async throws -> Void

  /// The system's continuous clock, the same for all.
  static let continuous = Timeline(ContinuousClock())

  /// The timeline of a clock, shared where that is the system's.
  static func of(_ clock: any Clock<Duration>) -> Timeline {
    clock is ContinuousClock ? continuous : Timeline(clock)
  }

  package init(_ clock: any Clock<Duration>) {
    func open<C: Clock<Duration>>(
      _ clock: C
    ) -> (@Sendable () -> Duration, @Sendable (Duration) async throws -> Void) {
      let origin = clock.now
      return (
        { origin.duration(to: clock.now) },
        { try await clock.sleep(until: origin.advanced(by: $0), tolerance: nil) }
      )
    }
    (elapsed, sleeper) = open(clock)
  }

  package func now() -> Duration { elapsed() }

  /// Returns at an instant of this timeline, at once when it has passed. Any instant will do; the
  /// greatest never comes.
  ///
  /// - Throws: `CancellationError` when the task is cancelled first.
  package func sleep(until instant: Duration) async throws {
    // In steps that every clock can add to its own instants: the system's traps beyond 2⁶³ seconds.
    while case let next = now().addingSaturated(Self.longestSleep), next < instant {
      try await sleeper(next)
    }
    try await sleeper(max(instant, .zero))  // A timeline begins at zero.
  }

  private static let longestSleep = Duration.seconds(100 * 366 * 86_400)
}
