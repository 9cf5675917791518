public import AsyncLocation

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
