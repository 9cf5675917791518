import AsyncLocation
import MockBackend
import NMEABackend
import TestSupport
import Testing

@Suite(.inTurn) struct NMEAConformanceTests {
  @Test func keepsTheProtocol() async throws {
    let conformance = BackendConformance(limit: .seconds(600)) {
      let server = SentenceServer()
      let second = Locked(0)
      let backend = NMEABackend(.local(.tcp(host: "127.0.0.1", port: server.port)))
      return BackendConformance.Subject(backend) { listeners in
        await server.waitForClients(listeners)
        let number = second.withLock { second in
          second += 1
          return second
        }
        server.send(cycle(number))
      }
    }
    for violation in try await conformance.violations() { Issue.record("\(violation)") }
  }
}
