import AsyncLocation

/// A source that emits some events, and ends when a test releases it.
struct SlowSource: LocationBackend {
  let capabilities = BackendCapabilities.all
  /// Finishes when the run is cancelled.
  let cancelled = AsyncStream<Void>.makeStream()
  let released = AsyncStream<Void>.makeStream()
  private let events: [BackendEvent]

  init(_ events: [BackendEvent]) { self.events = events }

  func run(
    _ demand: BackendDemand, emit: @escaping @Sendable ([BackendEvent]) -> Void
  ) async throws {
    emit(events)
    _ = try? await BoundedChannel<Void>(limit: 1).next()
    cancelled.continuation.finish()
    // The run's task is cancelled, which would end a wait in it.
    await Task.detached { for await _ in released.stream {} }.value
  }
}
