import MockBackend
import TestSupport
import Testing

@testable import AsyncLocation

/// Reads a stream on an executor that a test steps, like a busy main actor.
private actor StreamReader {
  nonisolated let executor = SteppedExecutor()
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  nonisolated let count = Locked(0)

  func read(_ kind: BusyStreamTests.Kind, of manager: LocationManager) async {
    do {
      switch kind {
      case .updates: for try await _ in manager.updates { note() }
      case .updatesWithOptions: for try await _ in manager.updates(UpdateOptions()) { note() }
      case .batches: for try await batch in manager.batches() { for _ in batch { note() } }
      case .headingsWithOptions: for try await _ in manager.headings(HeadingOptions()) { note() }
      case .liveUpdates:
        for await update in manager.liveUpdates where update.location != nil { note() }
      case .events:
        for await event in manager.events(EventOptions(services: .locations)) {
          if case .didUpdateLocations = event { note() }
        }
      case .headings: for try await _ in manager.headings { note() }
      case .satellites: for try await _ in manager.satellites { note() }
      case .significantChanges:
        for try await _ in manager.significantLocationChanges { note() }
      case .placemarks:
        let geocoder = MockGeocoder { _ in .placemarks(place("Town", 0.01, 0)) }
        let options = PlacemarkOptions(minimumInterval: .zero)
        for try await _ in manager.placemarks(using: geocoder, options) { note() }
      }
    } catch {}
  }

  private func note() { count.withLock { $0 += 1 } }
}

/// F64: elements that wait for their reader's busy actor when permission is withdrawn.
@Suite(.inTurn) struct BusyStreamTests {
  enum Kind: CaseIterable {
    case updates, updatesWithOptions, batches, headingsWithOptions, liveUpdates, events, headings
    case satellites, significantChanges, placemarks

    /// Whether the stream is one of the standard library's, which dequeue an element outside the
    /// reader's actor. So nothing can check the element when the reader resumes.
    var isOfTheStandardLibrary: Bool {
      [.updates, .liveUpdates, .events, .headings, .satellites].contains(self)
    }
  }

  @Test(
    "F64 at most one element is read, and none from the package's own sequences",
    arguments: Kind.allCases,
    [AuthorizationDecision(.denied), AuthorizationDecision(.whenInUse, accuracy: .reduced)])
  func busyReaderReadsAtMostOneElement(_ kind: Kind, _ withdrawal: AuthorizationDecision)
    async throws
  {
    let backend = MockBackend()
    let clock = ManualClock()
    let manager = LocationManager(backend: backend, clock: clock)
    let reader = StreamReader()
    let reading = Task { await reader.read(kind, of: manager) }
    /// Emits a fix that is a significant change.
    func emit(_ n: Int) throws {
      clock.advance(by: .seconds(360))
      try backend.emit(
        .location(fix(10 * n, accuracy: 5)), .heading(heading(Double(20 * n))), .satellites(view(n))
      )
    }
    try await reader.executor.runJobs {
      await backend.waitUntilRunning()
      try emit(1)
      while reader.count.withLock(\.self) == 0 { await Task.yield() }
    }
    for n in 2...5 { try emit(n) }
    await reader.executor.waitForJobs(1)
    backend.setAuthorization(withdrawal)
    for await authorization in manager.authorizationUpdates
    where !authorization.isAuthorized || authorization.accuracy == .reduced { break }
    await manager.shutdown()
    reader.executor.finish()
    await reading.value
    // One element was read before the withdrawal.
    #expect(reader.count.withLock(\.self) <= (kind.isOfTheStandardLibrary ? 2 : 1))
  }
}
