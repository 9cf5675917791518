import MockBackend
import TestSupport
import Testing

@testable import AsyncLocation

/// A handler that calls its own manager gets the current state or an error at once; it never waits
/// for its own answer.
@Suite(.inTurn)
struct PolicyThatCallsBackTests {
  enum Call: CaseIterable {
    case whenInUse, always, fullAccuracy, oneLocation
  }

  /// A manager whose policy calls it back, and the result of that call.
  private struct World {
    let backend: AskingBackend
    let manager: LocationManager
    let clock = ManualClock()

    init(_ handler: @escaping @Sendable (LocationManager) async -> AuthorizationDecision) {
      let own = Locked<LocationManager?>(nil)
      backend = AskingBackend(
        policy: .ask { _ in
          guard let manager = own.withLock({ $0 }) else { return .denied }
          return await handler(manager)
        })
      manager = LocationManager(backend: backend, clock: clock)
      own.withLock { [manager] in $0 = manager }
    }
  }

  private struct AskingBackend: LocationBackend {
    let policy: AskingAuthorizationPolicy
    let base = MockBackend()

    var capabilities: BackendCapabilities { .all }
    var authorizationPolicy: any AuthorizationPolicy { policy }

    func run(
      _ demand: BackendDemand, emit: @escaping @Sendable ([BackendEvent]) -> Void
    ) async throws {
      try await base.run(demand, emit: emit)
    }

    func demandDidChange(_ demand: BackendDemand) async { await base.demandDidChange(demand) }
  }

  private static func perform(_ call: Call, _ manager: LocationManager) async throws {
    switch call {
    case .whenInUse: _ = try await manager.requestWhenInUseAuthorization()
    case .always: _ = try await manager.requestAlwaysAuthorization()
    case .fullAccuracy:
      _ = try await manager.requestTemporaryFullAccuracyAuthorization(purposeKey: "docking")
    case .oneLocation: _ = try await manager.currentLocation()
    }
  }

  @Test(arguments: Call.allCases, [AuthorizationRequest.whenInUse, .always])
  func deadlockingCallsThrow(_ call: Call, _ request: AuthorizationRequest) async throws {
    let received = Locked<(any Error)?>(nil)
    let world = World { manager in
      do { try await Self.perform(call, manager) } catch { received.withLock { $0 = error } }
      return .authorizedWhenInUse
    }
    let authorization =
      switch request {
      case .whenInUse: try await world.manager.requestWhenInUseAuthorization()
      case .always: try await world.manager.requestAlwaysAuthorization()
      }
    #expect(authorization.status == .authorizedWhenInUse)
    let error = try #require(received.withLock { $0 } as? LocationError)
    // Without permission, a request for full accuracy never waits.
    #expect(error.code == (call == .fullAccuracy ? .promptDeclined : .unsupported))
    // The refused call left no state.
    let remaining = try #require(Inspector(world.manager).inspect())
    #expect((remaining.locationCalls, remaining.authorizationCalls) == (0, 0))
    await world.manager.shutdown()
  }

  @Test func nonBlockingCallsWork() async throws {
    let received = Locked<[AuthorizationStatus]>([])
    let world = World { manager in
      let now = await manager.authorization().status
      let session = ServiceSession(manager, authorization: .whenInUse)
      for await update in manager.liveUpdates
      where update.diagnostics.contains(.authorizationRequestInProgress) { break }
      for await authorization in manager.authorizationUpdates {
        received.withLock { $0 += [now, authorization.status] }
        break
      }
      _ = await manager.location
      session.invalidate()
      return .authorizedAlways
    }
    let authorization = try await world.manager.requestWhenInUseAuthorization()
    #expect(authorization.status == .authorizedAlways)
    #expect(received.withLock { $0 } == [.notDetermined, .notDetermined])
    await world.manager.shutdown()
  }

  @Test func taskOutlivingTheHandlerMayRequest() async throws {
    let gate = MockGate()
    let later = Locked<Task<AuthorizationStatus, any Error>?>(nil)
    let world = World { manager in
      let task = Task {
        await gate.wait()
        return try await manager.requestAlwaysAuthorization().status
      }
      return later.withLock { later in
        guard later == nil else { return .authorizedAlways }
        later = task
        return .authorizedWhenInUse
      }
    }
    _ = try await world.manager.requestWhenInUseAuthorization()
    gate.open()
    #expect(try await later.withLock { $0 }?.value == .authorizedAlways)
    await world.manager.shutdown()
  }

  @Test func aHandlerCanCallAnotherManager() async throws {
    let other = LocationManager(backend: MockBackend())
    let world = World { _ in
      let status = try? await other.requestWhenInUseAuthorization().status
      return status == .authorizedWhenInUse ? .authorizedWhenInUse : .denied
    }
    let authorization = try await world.manager.requestWhenInUseAuthorization()
    #expect(authorization.status == .authorizedWhenInUse)
    await world.manager.shutdown()
    await other.shutdown()
  }
}
