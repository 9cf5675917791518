import MockBackend
import TestSupport
import Testing

@testable import AsyncLocation

/// The result of a call is checked where its caller resumes.
@Suite(.inTurn) struct BusyCallerTests {
  /// Requests a location on an executor that a test steps.
  private actor Caller {
    nonisolated let executor = SteppedExecutor()
    nonisolated var unownedExecutor: UnownedSerialExecutor {
      executor.asUnownedSerialExecutor()
    }

    func currentLocation(of manager: LocationManager) async throws -> Location {
      try await manager.currentLocation()
    }
  }

  private struct Bench {
    let backend: MockBackend
    let manager: LocationManager
    let caller = Caller()

    init(_ authorization: MockAuthorization = .granting) {
      backend = MockBackend(authorization: authorization)
      manager = LocationManager(backend: backend, clock: ManualClock())
    }

    /// Requests a location, and emits one while the caller's actor is busy.
    func ask() async throws -> Task<Location, any Error> {
      let call = Task { [caller, manager] in try await caller.currentLocation(of: manager) }
      await caller.executor.waitForJobs(1)
      await caller.executor.step()
      await backend.waitUntilRunning()
      try backend.emit(.location(fix(1, accuracy: 5)))
      // The answer waits for the caller's actor.
      await caller.executor.waitForJobs(1)
      return call
    }

    func set(_ decision: AuthorizationDecision, until isExpected: (Authorization) -> Bool) async {
      backend.setAuthorization(decision)
      await manager.waitForAuthorization(where: isExpected)
    }
  }

  @Test("F64 a withdrawal ends a call whose answer has not reached its caller")
  func withdrawalEndsTheCall() async throws {
    let bench = Bench()
    let call = try await bench.ask()
    await bench.set(AuthorizationDecision(.denied)) { $0.status == .denied }
    bench.caller.executor.finish()
    let error = await #expect(throws: LocationError.self) { try await call.value }
    #expect(error?.code == .denied)
  }

  @Test("After once has lapsed, a refusal ends the call too")
  func refusalAfterALapseEndsTheCall() async throws {
    let bench = Bench(.answering(.authorizedOnce))
    let call = try await bench.ask()
    await bench.manager.waitForAuthorization { $0.status == .notDetermined }
    await bench.set(AuthorizationDecision(.denied)) { $0.status == .denied }
    bench.caller.executor.finish()
    let result = await call.result
    #expect(await bench.manager.authorization().status == .denied)
    #expect(throws: LocationError.self) { try result.get() }
  }

  @Test("F64 after a withdrawal and a grant, the call waits for another location")
  func laterGrantContinuesTheCall() async throws {
    let bench = Bench()
    let call = try await bench.ask()
    await bench.set(AuthorizationDecision(.denied)) { $0.status == .denied }
    await bench.set(AuthorizationDecision(.whenInUse)) { $0.status == .authorizedWhenInUse }
    bench.caller.executor.finish()
    await bench.manager.until { $0.backendRuns == 2 }
    await bench.backend.waitUntilRunning()
    let second = fix(2, accuracy: 5)
    try bench.backend.emit(.location(second))
    #expect(try await call.value.coordinate == second.coordinate)
  }

  @Test("F64 after a reduction, the call returns nothing precise")
  func reductionLeavesNothingPrecise() async throws {
    let bench = Bench()
    let call = try await bench.ask()
    await bench.set(AuthorizationDecision(.whenInUse, accuracy: .reduced)) {
      $0.accuracy == .reduced
    }
    bench.caller.executor.finish()
    // The first run ended with the first request.
    await bench.manager.until { $0.backendRuns == 2 }
    await bench.backend.waitUntilRunning()
    try bench.backend.emit(.location(fix(2, accuracy: 5)))
    let location = try await call.value
    #expect(location.isReduced)
  }
}
