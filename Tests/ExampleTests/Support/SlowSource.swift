import AsyncLocation

/// A source that emits some events. A cancelled run ends only when a test releases it.
struct SlowSource: LocationBackend {
  let capabilities = BackendCapabilities.all
  /// Finishes when the run is cancelled.
  let cancelled = AsyncStream<Void>.makeStream()
  /// A test finishes it to let the cancelled run end.
  let released = AsyncStream<Void>.makeStream()
  private let events: [BackendEvent]

  init(_ events: [BackendEvent]) { self.events = events }

  func run(
    _ demand: BackendDemand, emit: @escaping @Sendable ([BackendEvent]) -> Void
  ) async throws {
    emit(events)
    // Waits until the run is cancelled.
    _ = try? await BoundedChannel<Void>(limit: 1).next()
    cancelled.continuation.finish()
    // A detached task, since the cancellation would end a wait in this one.
    await Task.detached { for await _ in released.stream {} }.value
  }
}
