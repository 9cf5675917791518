import AsyncLocation
import MockBackend
import TestSupport
import Testing

@Suite("O9 Slow subscribers are isolated", .tags(.ordering), .inTurn)
struct O09SlowSubscribersAreIsolatedTests {
  @Test func stalledSubscriberDelaysNoOther() async throws {
    let backend = MockBackend()
    let manager = LocationManager(backend: backend)
    let stuck = manager.updates(UpdateOptions(buffering: .newest(8)))
    let reader = manager.updates(UpdateOptions(buffering: .newest(2)))
    await backend.waitUntilRunning()
    var iterator = reader.makeAsyncIterator()
    for n in 0..<10_000 {
      try backend.emit(.location(fix(n)))
      #expect(try await iterator.next() == fix(n))
    }
    let statistics = await manager.statistics
    #expect(statistics.elementsDropped == 10_000 - 8)
    #expect(stuck.dropped == 10_000 - 8)
    #expect(reader.dropped == 0)
    #expect(try await stuck.first(8) == (9_992..<10_000).map { fix($0) })
  }

  @Test func anUnreadLocationStreamIsBounded() async throws {
    let backend = MockBackend()
    let manager = LocationManager(
      backend: backend, configuration: .init(buffering: .newest(3)))
    let (updates, live) = (manager.updates, manager.liveUpdates)
    await backend.waitUntilRunning()
    for n in 0..<100 { try backend.emit(.location(fix(n))) }
    try backend.end()
    #expect(await updates.all().elements == [fix(97), fix(98), fix(99)])
    #expect(await live.all().elements.compactMap(\.location).suffix(2) == [fix(98), fix(99)])
  }
}
