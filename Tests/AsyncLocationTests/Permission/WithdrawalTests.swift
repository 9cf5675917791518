import AsyncLocation
import FoundationEssentials
import MockBackend
import TestSupport
import Testing

/// A policy withdraws what was delivered, under a decision that stays in force.
@Suite(.tags(.ordering), .inTurn)
struct WithdrawalTests {
  private final class Policy: AuthorizationPolicy {
    typealias Report = @Sendable (AuthorizationChange) -> Void
    let report = Locked<Report?>(nil)
    private let decision: AuthorizationDecision

    init(_ decision: AuthorizationDecision) { self.decision = decision }

    func authorize(_ request: AuthorizationRequest) async -> AuthorizationDecision { decision }

    func observe(_ report: @escaping Report) async {
      self.report.withLock { $0 = report }
      for await _ in AsyncStream.makeStream(of: Never.self).stream {}
    }

    func withdraw() { report.withLock(\.self)?(.withdrawal) }
  }

  private func location(_ second: Double) throws -> BackendEvent {
    .location(
      try Location(
        latitude: 50, longitude: 8, timestamp: Date(timeIntervalSince1970: 1e9 + second)))
  }

  @Test(arguments: [AuthorizationDecision.authorizedWhenInUse, .authorizedOnce])
  func unreadIsDiscardedAndStreamsContinue(_ decision: AuthorizationDecision) async throws {
    let policy = Policy(decision)
    let backend = MockBackend(policy: policy)
    let manager = LocationManager(backend: backend, clock: ManualClock())
    let (updates, events) = (manager.updates, manager.events(EventOptions()))
    await backend.waitUntilRunning()
    try backend.emit(try location(1))
    #expect(await manager.location != nil)
    policy.withdraw()
    #expect(await manager.location == nil)
    #expect(await manager.authorization().isAuthorized)
    await backend.waitForCall(count: 2) { if case .runStarted = $0 { true } else { false } }
    await backend.waitUntilRunning()
    try backend.emit(try location(2))
    let delivered = try await updates.first(1)
    #expect(delivered.map(\.timestamp.timeIntervalSince1970) == [1e9 + 2])
    await manager.shutdown()
    for await event in events {
      guard case .didUpdateLocations(let locations) = event else { continue }
      #expect(locations.map(\.timestamp.timeIntervalSince1970) == [1e9 + 2])
    }
    let asked = MockBackend.Call.authorizationRequested(.whenInUse)
    #expect(backend.calls { $0 == asked }.count == 1)
  }

  @Test func permissionForOnceIsNotGrantedAgain() async throws {
    let policy = Policy(.authorizedOnce)
    let backend = MockBackend(policy: policy)
    let manager = LocationManager(backend: backend, clock: ManualClock())
    var updates: LocationUpdates? = manager.updates(UpdateOptions())
    await backend.waitUntilRunning()
    withExtendedLifetime(updates) {}
    updates = nil
    await backend.waitUntilIdle()
    policy.withdraw()
    #expect(await manager.authorization().status == .notDetermined)
  }

  /// What was read before the lapse of permission for one use may be read; after a withdrawal, no
  /// longer.
  @Test func unreadAfterALapseIsDiscarded() async throws {
    let policy = Policy(.authorizedOnce)
    let backend = MockBackend(policy: policy)
    let manager = LocationManager(backend: backend, clock: ManualClock())
    let events = manager.events(EventOptions(services: []))
    manager.startUpdatingLocation()
    await backend.waitUntilRunning()
    try backend.emit(try location(1))
    manager.stopUpdatingLocation()
    await backend.waitUntilIdle()
    policy.withdraw()
    await manager.shutdown()
    for await event in events {
      if case .didUpdateLocations(let locations) = event {
        Issue.record("delivered after the withdrawal: \(locations)")
      }
    }
  }
}
