import MockBackend
import TestSupport
import Testing

@testable import async_location_example

/// The files that the user names are read outside of the cooperative pool.
@Suite(.inTurn) struct PoolTests {
  @Test(.exitTest, .recordsPoolCalls) func aCommandReadsNoFileOnThePool() async {
    await #expect(processExitsWith: .success) {
      let folder = try RecordingFolder()
      try folder.write("lat,lon\n1,2\n", to: "drive.csv")
      try folder.write(
        #"{"type":"Feature","id":"a","properties":{"radius":9},"geometry":{"type":"Point","#
          + #""coordinates":[1,2]}}"#, to: "areas.geojson")
      let context = Bench(MockBackend()).tool.context
      let calls = try await callsOnThePool {
        var arguments = Arguments(command: .watch)
        (arguments.backends, arguments.file) = ([.replay], folder.path + "/drive.csv")
        _ = try await Sources.source(arguments)
        _ = try await FenceFile(
          path: folder.path + "/areas.geojson", context: context, now: { Samples.time }
        ).read()
        _ = try await Sources.publicationStorage(for: folder.path + "/queue.db")
      }
      #expect(calls == [], "\(calls)")
    }
  }
}
