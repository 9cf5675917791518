import TestSupport
import Testing

@testable import AsyncLocation

@Suite(.inTurn) struct WakesTests {
  /// Suspends tasks, adds their signals one by one or all at once, and wakes them.
  @Test(arguments: [0, 1, 2, 5], [true, false])
  func everySignalIsResumedOnce(_ count: Int, _ addsAllAtOnce: Bool) async {
    let (arrivals, arrivalContinuation) = AsyncStream<Signal>.makeStream()
    let woken = Locked(0)
    let tasks = (0..<count).map { _ in
      Task {
        await Signal.wait { _ = arrivalContinuation.yield($0) }
        woken.withLock { $0 += 1 }
      }
    }
    var signals: [Signal] = []
    // Without tasks no signal arrives, and the loop would not end.
    if count > 0 {
      for await signal in arrivals {
        signals.append(signal)
        if signals.count == count { break }
      }
    }
    var wakes = Wakes()
    if addsAllAtOnce {
      wakes.add(signals)
    } else {
      for signal in signals { wakes.add(signal) }
    }
    #expect(woken.withLock { $0 } == 0)
    wakes.perform()
    for task in tasks { await task.value }
    #expect(woken.withLock { $0 } == count)
  }

  @Test func identifiersAreUnique() async {
    let source = IDSource()
    let identifiers = await withTaskGroup(of: [UInt64].self) { group in
      for _ in 0..<4 { group.addTask { (0..<1_000).map { _ in source.next() } } }
      return await group.reduce(into: [UInt64]()) { $0 += $1 }
    }
    #expect(Set(identifiers).count == 4_000)
  }
}
