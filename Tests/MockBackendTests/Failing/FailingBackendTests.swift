import AsyncLocation
import TestSupport
import Testing

@testable import MockBackend

@Suite(.inTurn)
struct FailingBackendTests {
  @Test func reportsUnexpectedCalls() async throws {
    let reports = Journal<String>()
    let backend = MockBackend.failing({ reports.append($0) }, observe: nil)
    try await backend.run(demand) { _ in Issue.record("a failing backend emits nothing") }
    await backend.demandDidChange(demand)
    #expect(await backend.authorizationPolicy.authorize(.always) == .denied)
    let observer = Task.immediate { await backend.authorizationPolicy.observe { _ in } }
    observer.cancel()
    await observer.value
    let expected = [
      ("run", "run:"), ("demandDidChange", "demandDidChange:"), ("authorize", "authorize:"),
      ("observe", "observe:"),
    ]
    for (report, (call, parameter)) in zip(reports.entries, expected) {
      #expect(report.contains(call))
      #expect(report.contains("'\(parameter)'"))
    }
    #expect(reports.entries.count == 4)
  }

  @Test func usesSuppliedClosures() async throws {
    let calls = Journal<String>()
    let backend = MockBackend.failing(
      { Issue.record("\($0)") }, capabilities: .headings,
      run: { _, emit in
        calls.append("run")
        emit([.unavailable(breakdown)])
        throw breakdown
      },
      demandDidChange: { _ in calls.append("demandDidChange") },
      authorize: { _ in .restricted },
      temporaryFullAccuracy: { $0 == "docking" ? .seconds(5) : nil },
      observe: { $0(.decision(.authorizedAlways)) })
    #expect(backend.capabilities == .headings)
    let run = RecordedRun(backend)
    #expect(await run.end() as? LocationError == breakdown)
    #expect(run.events == [.unavailable(breakdown)])
    await backend.demandDidChange(demand)
    #expect(calls.entries == ["run", "demandDidChange"])
    #expect(await backend.authorizationPolicy.authorize(.always) == .restricted)
    #expect(
      await backend.authorizationPolicy.temporaryFullAccuracy(for: "docking") == .seconds(5))
    let changes = Journal<AuthorizationChange>()
    let observer = Task.immediate {
      await backend.authorizationPolicy.observe { changes.append($0) }
    }
    #expect(changes.entries == [.decision(.authorizedAlways)])
    backend.setAuthorization(.denied)
    #expect(changes.entries == [.decision(.authorizedAlways), .decision(.denied)])
    observer.cancel()
    await observer.value
  }

  @Test func anUnusedManagerReportsNothing() async throws {
    let manager = LocationManager(backend: MockBackend.failing { Issue.record("\($0)") })
    await manager.shutdown()
  }

  @Test func unsuppliedCallsOfAnAllowedEndpointAreReported() async throws {
    let reports = Journal<String>()
    var backend = MockBackend.failing { reports.append($0) }
    backend[.updates] = .allowed
    let manager = LocationManager(backend: backend)
    await #expect(throws: LocationError.self) { for try await _ in manager.updates {} }
    #expect(reports.entries.count == 1)
    #expect(reports.entries.first?.contains("authorize(.whenInUse)") == true)
  }
}
