import AsyncLocation
import TestSupport
import Testing

@testable import MockBackend

/// A backend with a policy that the program supplies.
@Suite(.inTurn)
struct MockPolicyTests {
  @Test func thePolicyAnswersAndIsLogged() async throws {
    let policy = AskingAuthorizationPolicy { $0 == .always ? .denied : .authorizedWhenInUse }
    let backend = MockBackend(policy: policy, capabilities: .locations)
    #expect(backend.capabilities == .locations)
    let manager = LocationManager(backend: backend, clock: ManualClock())
    #expect(try await manager.requestWhenInUseAuthorization().status == .authorizedWhenInUse)
    #expect(try await manager.requestAlwaysAuthorization().status == .authorizedWhenInUse)
    #expect(
      backend.backendCalls == [
        .authorizationRequested(.whenInUse), .authorizationRequested(.always),
      ])
    backend.setAuthorization(.denied)
    #expect(await manager.authorization().status == .denied)
  }

  @Test func aScriptPlaysWithAPolicy() async throws {
    let backend = MockBackend(
      policy: .automatic, script: [.emit([try event(1)]), .end], clock: ManualClock())
    let manager = LocationManager(backend: backend, clock: ManualClock())
    #expect(try await manager.updates.reduce(0) { count, _ in count + 1 } == 1)
  }

  /// A decision that the policy reports at once is in force when the manager exists.
  @Test func aReportedDecisionIsInForceAtOnce() async throws {
    struct Operator: AuthorizationPolicy {
      var reportsEveryDecision: Bool { true }
      func authorize(_ request: AuthorizationRequest) async -> AuthorizationDecision { .denied }
      func observe(_ report: @escaping @Sendable (AuthorizationChange) -> Void) async {
        report(.decision(.authorizedAlways))
      }
    }
    let manager = LocationManager(backend: MockBackend(policy: Operator()))
    #expect(await manager.authorization().status == .authorizedAlways)
  }
}
