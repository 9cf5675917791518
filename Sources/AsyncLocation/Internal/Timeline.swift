/// A clock whose instants are durations since it was wrapped, whatever the clock's own type.
package final class Timeline: Sendable {
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

  /// Returns at an instant of this timeline, at once when it has passed.
  ///
  /// - Throws: `CancellationError` when the task is cancelled first.
  package func sleep(until instant: Duration) async throws { try await sleeper(instant) }
}
