import MockBackend
import TestSupport
import Testing

@testable import AsyncLocation

/// The state of a stream that a cancelled loop leaves to the next one.
@Suite(.inTurn) struct CancelledLoopTests {
  private let backend = MockBackend()

  /// Iterates in a task that is already cancelled.
  private func cancelLoop(over elements: some AsyncSequence & Sendable) async throws {
    try await Task {
      withUnsafeCurrentTask { $0?.cancel() }
      for try await _ in elements { Issue.record("A cancelled task read an element.") }
    }.value
  }

  @Test func releasedManagerWithdrawsBufferedLocations() async throws {
    let updates = LocationManager(backend: backend, clock: ManualClock()).updates(UpdateOptions())
    await backend.waitUntilRunning()
    try backend.emit(.location(fix(1)))
    try await backend.settle()
    try await cancelLoop(over: updates)
    backend.setAuthorization(.denied)
    #expect(await updates.all().elements.isEmpty)
  }

  @Test func cancellingALoopEndsTheOtherLoopsOverPlacemarks() async throws {
    let manager = LocationManager(backend: backend, clock: ManualClock())
    let placemarks = manager.placemarks(using: MockGeocoder())
    try await cancelLoop(over: placemarks)
    let isOver = Locked(false)
    // Must end at once: nothing else would end the loop.
    let secondLoop = Task.immediate {
      #expect(await placemarks.all().elements.isEmpty)
      isOver.withLock { $0 = true }
    }
    let endedAtOnce = isOver.withLock { $0 }
    #expect(endedAtOnce)
    secondLoop.cancel()
    await secondLoop.value
  }
}
