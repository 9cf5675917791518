import AsyncLocation
import GeoClueBackend
import MockBackend
import TestSupport
import Testing

@Suite(.inTurn) struct GeoClueConformanceTests {
  @Test(.needsBus) func keepsTheProtocol() async throws {
    let bus = try await PrivateBus()
    let conformance = BackendConformance(limit: .seconds(600)) {
      let service = try await FakeGeoClue(on: bus.address)
      return BackendConformance.Subject(GeoClueBackend(.local(bus.address))) { listeners in
        while !service.send(ifHeardBy: listeners), !Task.isCancelled { await Task.yield() }
      }
    }
    for violation in try await conformance.violations() { Issue.record("\(violation)") }
  }
}
