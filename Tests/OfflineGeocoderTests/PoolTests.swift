import AsyncLocation
import OfflineGeocoder
import TestSupport
import Testing

/// The embedded places are in memory, so no file is read.
@Suite(.inTurn) struct PoolTests {
  @Test(.exitTest, .recordsPoolCalls) func aLookUpReadsNoFileOnThePool() async {
    await #expect(processExitsWith: .success) {
      let calls = try await callsOnThePool {
        let geocoder = OfflineGeocoder()
        let vaduz = try await geocoder.geocode("Vaduz", near: nil, locale: nil)
        _ = try await geocoder.reverseGeocode(vaduz[0].coordinate, locale: "de")
      }
      #expect(calls == [], "\(calls)")
    }
  }
}
