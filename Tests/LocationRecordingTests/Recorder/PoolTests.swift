import AsyncLocation
import LocationRecording
import TestSupport
import Testing

/// A recorder opens, writes and closes its file outside of the cooperative pool.
@Suite(.inTurn) struct PoolTests {
  @Test(.exitTest, .recordsPoolCalls) func aRecorderWritesNoFileOnThePool() async {
    await #expect(processExitsWith: .success) {
      let folder = try TemporaryFolder()
      let path = folder.path + "/drive.gpx"
      let locations = try TrackRecorderTests.locations(0..<100)
      var configuration = TrackRecorder.Configuration()
      configuration.syncInterval = .zero
      configuration.rotation = .bytes(4_096)
      // The initializer opens the folder on its caller's thread, as its documentation states.
      let recorder = try TrackRecorder(to: path, format: .gpx, configuration: configuration)
      let calls = try await callsOnThePool {
        try await recorder.record(TrackRecorderTests.stream(locations))
        #expect(await recorder.statistics.recorded == 100)
      }
      #expect(calls == [], "\(calls)")
    }
  }
}
