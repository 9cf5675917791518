import AsyncLocation
import Synchronization

/// A backend that emits on its caller's thread, so that delivery can be timed.
final class Source: LocationBackend {
  let capabilities = BackendCapabilities.all
  private let emit = Mutex<(@Sendable ([BackendEvent]) -> Void)?>(nil)

  var isRunning: Bool { emit.withLock { $0 != nil } }

  func run(
    _ demand: BackendDemand, emit: @escaping @Sendable ([BackendEvent]) -> Void
  ) async throws {
    self.emit.withLock { $0 = emit }
    defer { self.emit.withLock { $0 = nil } }
    let (forever, end) = AsyncStream.makeStream(of: Never.self)
    for await _ in forever {}  // Until cancelled.
    end.finish()
  }

  func demandDidChange(_ demand: BackendDemand) async {}

  func send(_ events: [BackendEvent]) {
    let emit = emit.withLock { $0 }
    emit?(events)
  }
}
