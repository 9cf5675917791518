import AsyncLocation
import MockBackend
import TestSupport
import Testing

@Suite("O7 Requests share", .tags(.ordering), .inTurn)
struct O07RequestsShareTests {
  @Test(arguments: [AuthorizationDecision.Permission.whenInUse, .denied, .restricted])
  func manyCallersAskOnce(_ answer: AuthorizationDecision.Permission) async throws {
    let backend = MockBackend(authorization: .asking)
    let manager = LocationManager(backend: backend)
    let callers = (0..<50).map { _ in
      Task.immediate { try await manager.requestWhenInUseAuthorization() }
    }
    await backend.waitForCall(.authorizationRequested(.whenInUse))
    // The manager is an actor: after these calls it has received the requests of all callers.
    for _ in 0..<50 { await manager.receiveEarlierCalls() }
    backend.answerAuthorization(AuthorizationDecision(answer))
    for caller in callers { #expect(try await caller.value.status == answer.status) }
    #expect(backend.calls(where: { $0 == .authorizationRequested(.whenInUse) }).count == 1)
  }

  @Test func aStrongerRequestFollowsTheOpenOne() async throws {
    let backend = MockBackend(authorization: .asking)
    let manager = LocationManager(backend: backend)
    let lesser = Task.immediate { try await manager.requestWhenInUseAuthorization() }
    await backend.waitForCall(.authorizationRequested(.whenInUse))
    let stronger = Task.immediate { try await manager.requestAlwaysAuthorization() }
    await manager.receiveEarlierCalls()
    backend.answerAuthorization(.authorizedWhenInUse)
    #expect(try await lesser.value.status == .authorizedWhenInUse)
    await backend.waitForCall(.authorizationRequested(.always))
    backend.answerAuthorization(.authorizedAlways)
    #expect(try await stronger.value.status == .authorizedAlways)
  }

  @Test func requestsThatChangeNothingReturnAtOnce() async throws {
    let backend = MockBackend(
      authorization: MockAuthorization(always: [.now(.authorizedWhenInUse)]))
    let manager = LocationManager(backend: backend)
    #expect(try await manager.requestWhenInUseAuthorization().status == .authorizedWhenInUse)
    for _ in 0..<3 {
      #expect(try await manager.requestAlwaysAuthorization().status == .authorizedWhenInUse)
    }
    #expect(backend.calls(where: { $0 == .authorizationRequested(.always) }).count == 1)
  }

  @Test func aCancelledCallerLeavesTheQuestionOpen() async throws {
    let backend = MockBackend(authorization: .asking)
    let manager = LocationManager(backend: backend)
    let first = Task.immediate { try await manager.requestWhenInUseAuthorization() }
    await backend.waitForCall(.authorizationRequested(.whenInUse))
    first.cancel()
    await #expect(throws: CancellationError.self) { try await first.value }
    let second = Task.immediate { try await manager.requestWhenInUseAuthorization() }
    await manager.receiveEarlierCalls()
    backend.answerAuthorization(.authorizedWhenInUse)
    #expect(try await second.value.isAuthorized)
    #expect(backend.calls(where: { $0 == .authorizationRequested(.whenInUse) }).count == 1)
  }
}
