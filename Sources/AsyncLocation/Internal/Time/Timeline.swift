import Synchronization

/// A type-erased clock. Its instants are durations since the timeline was created.
package final class Timeline: Sendable {
  /// The timeline's number in ``TimelineTable``, written only by the table; 0 before it is
  /// registered.
  let identifier = Atomic<UInt32>(0)
  /// Whether a test advances the clock.
  let isAdvancedByTest: Bool
  private let elapsed: @Sendable () -> Duration
  private let sleeper: @Sendable (Duration) async throws -> Void

  /// The system's continuous clock, shared.
  static let continuous = Timeline(ContinuousClock())

  /// Returns the timeline of a clock. All continuous clocks share one timeline.
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
    isAdvancedByTest = clock is any TestClock
    (elapsed, sleeper) = open(clock)
  }

  package func now() -> Duration { elapsed() }

  /// Sleeps until an instant of this timeline; returns at once if it has passed. Any instant is
  /// valid; ``Duration/greatest`` is never reached.
  ///
  /// - Throws: `CancellationError` when the task is cancelled first.
  package func sleep(until instant: Duration) async throws {
    // Sleeps in steps that every clock can add to its instants: the system clock traps if an
    // instant exceeds 2⁶³ s.
    while case let next = now().addingSaturated(Self.longestSleep), next < instant {
      try await sleeper(next)
    }
    try await sleeper(max(instant, .zero))  // A timeline begins at zero.
  }

  private static let longestSleep = Duration.seconds(100 * 366 * 86_400)
}
