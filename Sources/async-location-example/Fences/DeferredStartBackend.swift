import AsyncLocation
import Synchronization

/// A source that starts only after ``release()``, so that the conditions of the file are set before
/// the first location of a recording.
final class DeferredStartBackend: LocationBackend {
  private let backend: any LocationBackend
  private let (opening, gate) = AsyncStream.makeStream(of: Never.self)
  /// The latest demand while a run waits for `release()`; otherwise nil.
  private let heldDemand = Mutex<BackendDemand?>(nil)

  init(_ backend: any LocationBackend) { self.backend = backend }

  var capabilities: BackendCapabilities { backend.capabilities }
  var authorizationPolicy: any AuthorizationPolicy { backend.authorizationPolicy }

  /// Starts the waiting run; later runs start immediately.
  func release() { gate.finish() }

  func run(
    _ demand: BackendDemand, emit: @escaping @Sendable ([BackendEvent]) -> Void
  ) async throws {
    heldDemand.withLock { $0 = demand }
    for await _ in opening {}
    let latest = heldDemand.withLock { $0.take() }
    try Task.checkCancellation()
    try await backend.run(latest ?? demand, emit: emit)
  }

  func demandDidChange(_ demand: BackendDemand) async {
    let isHeld = heldDemand.withLock { held in
      if held != nil { held = demand }
      return held != nil
    }
    if !isHeld { await backend.demandDidChange(demand) }
  }
}
