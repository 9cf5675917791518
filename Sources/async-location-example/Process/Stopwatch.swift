/// Measures the time since its creation, on any clock.
struct Stopwatch: Sendable {
  private let elapsed: @Sendable () -> Duration
  private let sleeper: @Sendable (Duration) async throws -> Void

  init(_ clock: any Clock<Duration>) { self = Self.make(clock) }

  var now: Duration { elapsed() }

  /// Returns when the stopwatch reaches a time, or immediately when the time has passed.
  func sleep(until time: Duration) async throws { try await sleeper(time) }

  private init(
    elapsed: @escaping @Sendable () -> Duration,
    sleeper: @escaping @Sendable (Duration) async throws -> Void
  ) {
    (self.elapsed, self.sleeper) = (elapsed, sleeper)
  }

  private static func make<C: Clock<Duration>>(_ clock: C) -> Self {
    let start = clock.now
    return Self(
      elapsed: { start.duration(to: clock.now) },
      sleeper: { try await clock.sleep(until: start.advanced(by: $0), tolerance: nil) })
  }
}
