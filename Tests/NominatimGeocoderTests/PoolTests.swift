import AsyncLocation
import NominatimGeocoder
import TestSupport
import Testing

/// libcurl reads files when it begins, looks names up, and waits for servers, all of it outside of
/// the cooperative pool.
@Suite(.inTurn) struct PoolTests {
  @Test(.exitTest, .recordsPoolCalls, arguments: ["http", "https"])
  func aRequestDoesNotBlockThePool(_ scheme: String) async {
    await #expect(processExitsWith: .success) { [scheme] in
      let listener = Listener()
      let port = listener.port
      let calls = try await callsOnThePool {
        let geocoder = try NominatimGeocoder(server: "\(scheme)://localhost:\(port)")
        let request = Task { try await geocoder.geocode("Vaduz") }
        request.cancel()
        _ = await request.result
        let other = try NominatimGeocoder(server: "\(scheme)://localhost:1")
        await #expect(throws: LocationError.self) { try await other.geocode("Vaduz") }
      }
      #expect(calls == [], "\(calls)")
      exitAtOnce()
    }
  }
}
