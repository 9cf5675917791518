import AsyncLocation
import MockBackend
import TestSupport
import Testing

/// Declining the upgrade from when-in-use to always keeps when-in-use.
@Suite(.tags(.ordering), .inTurn)
struct DecliningAlwaysTests {
  typealias Permission = AuthorizationDecision.Permission

  @Test(
    arguments: [Permission.denied, .restricted, .notDetermined, .whenInUseOnce, .whenInUse])
  func decliningKeepsWhenInUse(_ answer: Permission) async throws {
    let backend = MockBackend(
      authorization: MockAuthorization(always: [.now(AuthorizationDecision(answer))]))
    let manager = LocationManager(backend: backend)
    let (updates, live) = (manager.updates, manager.liveUpdates)
    await backend.waitUntilRunning()
    try backend.emit(.location(fix(1)))
    #expect(try await manager.requestAlwaysAuthorization().status == .authorizedWhenInUse)
    #expect(await manager.location == fix(1))
    // Requested once: a repeated request returns without a change.
    #expect(try await manager.requestAlwaysAuthorization().status == .authorizedWhenInUse)
    #expect(backend.calls { $0 == .authorizationRequested(.always) }.count == 1)
    try backend.emit(.location(fix(2)))
    try backend.end()
    let seen = await updates.all()
    #expect(seen.elements == [fix(1), fix(2)])
    #expect(seen.error == nil)
    #expect(await live.all().elements.compactMap(\.location) == [fix(1), fix(2)])
    #expect(backend.runCount == 1)
  }

  @Test func decliningKeepsAccuracyAndReason() async throws {
    let held = AuthorizationDecision.authorizedWhenInUse.limited(to: .reduced).withReason("By day.")
    let backend = MockBackend(
      authorization: MockAuthorization(
        always: [.now(.denied.withReason("Not at night."))], initialDecision: held))
    let manager = LocationManager(backend: backend)
    let kept = Authorization(
      status: .authorizedWhenInUse, accuracy: .reduced, reason: "By day.")
    #expect(try await manager.requestAlwaysAuthorization() == kept)
    #expect(await manager.authorization() == kept)
  }

  @Test func aLaterDenialEndsTheStream() async throws {
    let backend = MockBackend(authorization: MockAuthorization(always: [.now(.denied)]))
    let manager = LocationManager(backend: backend)
    let updates = manager.updates
    await backend.waitUntilRunning()
    _ = try await manager.requestAlwaysAuthorization()
    backend.setAuthorization(.denied)
    #expect((await updates.all().error as? LocationError)?.code == .denied)
    #expect(await manager.authorization().status == .denied)
  }

  @Test func aSessionForAlwaysContinuesWithWhenInUse() async throws {
    let backend = MockBackend(authorization: MockAuthorization(always: [.now(.denied)]))
    let manager = LocationManager(backend: backend)
    let updates = manager.updates
    await backend.waitUntilRunning()
    let session = ServiceSession(manager, authorization: .always)
    for await missing in session.diagnostics where missing == .alwaysAuthorizationDenied { break }
    #expect(await manager.authorization().status == .authorizedWhenInUse)
    withExtendedLifetime(updates) {}
  }

  /// An answer that cannot be enforced is not a decline: it fails closed.
  @Test func unenforceableAnswerDenies() async throws {
    let backend = UnenforceableBackend()
    let manager = LocationManager(backend: backend)
    #expect(try await manager.requestWhenInUseAuthorization().status == .authorizedWhenInUse)
    let updates = manager.updates
    #expect(try await manager.requestAlwaysAuthorization().status == .denied)
    #expect((await updates.all().error as? LocationError)?.code == .denied)
  }
}

/// Reduces accuracy on the upgrade to always, without having a key.
private struct UnenforceableBackend: LocationBackend {
  struct Policy: AuthorizationPolicy {
    func authorize(_ request: AuthorizationRequest) async -> AuthorizationDecision {
      switch request {
      case .whenInUse: .authorizedWhenInUse
      case .always: .authorizedAlways.limited(to: .reduced)
      }
    }

    func reducedAccuracyKey() throws(LocationError) -> ReducedAccuracyKey {
      throw LocationError(.unsupported, "There is no key.")
    }
  }

  private let inner = MockBackend()
  var capabilities: BackendCapabilities { .all }
  var authorizationPolicy: any AuthorizationPolicy { Policy() }

  func run(
    _ demand: BackendDemand, emit: @escaping @Sendable ([BackendEvent]) -> Void
  ) async throws {
    try await inner.run(demand, emit: emit)
  }
}
