import AsyncLocation
import GPSDBackend
import MockBackend
import TestSupport
import Testing

@Suite(.inTurn)
struct GPSDConformanceTests {
  @Test func keepsTheProtocol() async throws {
    let conformance = BackendConformance(limit: .seconds(600)) {
      let server = WatchServer()
      let configuration = GPSDConfiguration.local(server.port)
      return BackendConformance.Subject(GPSDBackend(configuration)) { listeners in
        while server.watchers < listeners, !Task.isCancelled { await Task.yield() }
        server.sendFix()
      }
    }
    for violation in try await conformance.violations() { Issue.record("\(violation)") }
  }
}
