/// A clock whose instants are durations since it was wrapped, whatever the clock's own type.
struct Stopwatch: Sendable {
  private let elapsed: @Sendable () -> Duration
  private let sleeper: @Sendable (Duration) async throws -> Void

  init(_ clock: any Clock<Duration>) {
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

  func now() -> Duration { elapsed() }

  /// Returns at an instant, at once when it has passed; throws `CancellationError`.
  func sleep(until instant: Duration) async throws { try await sleeper(instant) }
}
