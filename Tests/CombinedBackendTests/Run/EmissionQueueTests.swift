import AsyncLocation
import MockBackend
import TestSupport
import Testing

@testable import CombinedBackend

@Suite("O3 when a policy refuses during an emission", .inTurn)
struct EmissionQueueTests {
  private final class Bench: Sendable {
    let mocks = [MockBackend(), MockBackend()]
    let policy: CombinedPolicy
    let reports = Locked<[AuthorizationChange]>([])

    init() {
      for mock in mocks { mock.setAuthorization(.authorizedWhenInUse) }
      policy = CombinedPolicy(zip(["a", "b"], mocks).map { CombinedSource($0, $1) })
    }
  }

  /// The report of the withdrawal may precede the emission, which then delivers what was withdrawn.
  @Test(arguments: [false, true])
  func reportsTheWithdrawalAgain(_ refuses: Bool) async throws {
    let bench = Bench()
    let observer = Task {
      await bench.policy.observe { change in bench.reports.withLock { $0.append(change) } }
    }
    while bench.reports.withLock(\.isEmpty) { await Task.yield() }
    let location = try Location(latitude: 1, longitude: 2)
    let withdrawals = Locked<[Int]>([])
    func count() -> Int { bench.reports.withLock { $0.count { $0 == .withdrawal } } }
    let queue = EmissionQueue(bench.policy) { events in
      if refuses { bench.mocks[0].setAuthorization(.denied) }
      let count = bench.reports.withLock { $0.count { $0 == .withdrawal } }
      withdrawals.withLock { $0.append(count) }
    }
    queue.add([
      .init(source: 0, event: .location(location)), .init(source: 1, event: .location(location)),
    ])
    queue.deliver()
    #expect(withdrawals.withLock(\.self) == [refuses ? 1 : 0])
    #expect(count() == (refuses ? 2 : 0))
    observer.cancel()
    await observer.value
  }
}
