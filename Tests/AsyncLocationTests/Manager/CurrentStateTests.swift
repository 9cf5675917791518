import AsyncLocation
import MockBackend
import TestSupport
import Testing

@Suite(.inTurn) struct CurrentStateTests {
  /// An immediate task that never suspends has ended when the next line runs.
  @Test @MainActor func readingDoesNotLeaveTheCallersActor() async {
    let manager = LocationManager(backend: MockBackend())
    var read: [String] = []
    let task = Task.immediate {
      if await manager.location == nil { read.append("location") }
      if await manager.heading == nil { read.append("heading") }
      if await manager.statistics.backendRuns == 0 { read.append("statistics") }
      if await manager.authorization().status == .notDetermined { read.append("authorization") }
    }
    #expect(read == ["location", "heading", "statistics", "authorization"])
    await task.value
    await manager.shutdown()
  }
}
