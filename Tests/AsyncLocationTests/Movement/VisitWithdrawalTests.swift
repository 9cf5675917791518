import FoundationEssentials
import MockBackend
import TestSupport
import Testing

@testable import AsyncLocation

/// F58: a stay before a withdrawal.
@Suite(.inTurn) struct VisitWithdrawalTests {
  private static let drive = Track().then().move(east: 1_000, at: 20)

  @Test(
    "F58 a withdrawal forgets a stay, also after another grant", arguments: [false, true])
  func aStayIsForgotten(_ isReduction: Bool) async throws {
    let bench = ManagerBench(authorization: .answering(AuthorizationDecision(.whenInUse)))
    let (manager, backend) = (bench.manager, bench.backend)
    let visits = manager.visits
    let reading = Task { () -> Visit? in
      for try await visit in visits { return visit }
      return nil
    }
    let before = Self.drive.stay(200)
    try await bench.feed(before)
    // Lets the reader read every emitted location.
    for _ in 0..<5_000 { await Task.yield() }
    if isReduction {
      backend.setAuthorization(AuthorizationDecision(.whenInUse, accuracy: .reduced))
      for await authorization in manager.authorizationUpdates
      where authorization.accuracy == .reduced { break }
      backend.setAuthorization(AuthorizationDecision(.whenInUse))
      for await authorization in manager.authorizationUpdates where authorization.accuracy == .full
      { break }
    } else {
      await manager.setInUse(false)
      await manager.setInUse(true)
      await manager.until { $0.backendRuns == 2 }
    }
    await backend.waitUntilRunning()
    // Another 140 fixes at the place in 140 s, less than the five minutes of a visit.
    try await bench.feed(Self.drive.stay(340), after: before)
    // Lets the reader read them.
    for _ in 0..<5_000 { await Task.yield() }
    await manager.shutdown()
    let visit = try await reading.value
    #expect(visit == nil, "permission is there for 140 s, and a visit takes five minutes")
  }
}
