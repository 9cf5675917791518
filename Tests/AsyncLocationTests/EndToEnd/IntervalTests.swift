import AsyncLocation
import MockBackend
import TestSupport
import Testing

/// Tests `minimumInterval` with a manager whose clock is advanced to the arrival of each report.
@Suite(.tags(.ordering), .inTurn)
struct IntervalTests {
  /// Each fix arrives up to `jitter` milliseconds after its second.
  @Test(arguments: [20, 50])
  func a1HzReceiverLosesNoFixAtAnIntervalOfOneSecond(_ jitter: Int) async throws {
    let clock = ManualClock()
    let backend = MockBackend(clock: clock)
    let manager = LocationManager(backend: backend, clock: clock)
    let updates = manager.updates(
      UpdateOptions(minimumInterval: .seconds(1), buffering: .newest(2_000)))
    await backend.waitUntilRunning()
    var random = SplitMix64(seed: 1)
    for n in 1...1_000 {
      let delay = Int.random(in: 0...jitter, using: &random)
      clock.advance(to: ManualClock.Instant(offset: .milliseconds(n * 1_000 + delay)))
      try backend.emit(.location(fix(n)))
    }
    try backend.end()
    #expect(await updates.all().elements == (1...1_000).map { fix($0) })
    #expect(await manager.statistics.elementsDropped == 0)
  }

  /// Subscribers with different intervals share the receiver.
  @Test func eachSubscriberOfA1HzReceiverHasItsInterval() async throws {
    let clock = ManualClock()
    let backend = MockBackend(clock: clock)
    let manager = LocationManager(backend: backend, clock: clock)
    let intervals = [1, 2, 5, 10, 60]
    let streams = intervals.map {
      manager.updates(UpdateOptions(minimumInterval: .seconds($0), buffering: .newest(2_000)))
    }
    await backend.waitUntilRunning()
    var random = SplitMix64(seed: 2)
    for n in 0..<600 {
      let delay = Int.random(in: 0...50, using: &random)
      clock.advance(to: ManualClock.Instant(offset: .milliseconds(n * 1_000 + delay)))
      try backend.emit(.location(fix(n)))
    }
    try backend.end()
    for (interval, stream) in zip(intervals, streams) {
      #expect(
        await stream.all().elements == stride(from: 0, to: 600, by: interval).map { fix($0) })
    }
  }
}
