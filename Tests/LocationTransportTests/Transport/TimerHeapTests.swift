import MockBackend
import TestSupport
import Testing

@testable import LocationTransport

@Suite(.inTurn) struct TimerHeapTests {
  @Test(arguments: 0..<20 as Range<UInt64>)
  func firesInOrderWithoutCancelledTimers(seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    var heap = TimerHeap()
    var fired: [Int] = []
    var expected: [(instant: Int, index: Int)] = []
    for index in 0..<200 {
      let instant = Int.random(in: 0..<50, using: &generator)
      let id = heap.insert(at: .seconds(instant)) { fired.append(index) }
      switch Int.random(in: 0..<4, using: &generator) {
      case 0: heap.cancel(id)
      case 1:
        // An earlier instant changes nothing.
        let newInstant = Int.random(in: 0..<50, using: &generator)
        heap.postpone(id, to: .seconds(newInstant))
        expected.append((max(instant, newInstant), index))
      default: expected.append((instant, index))
      }
    }
    expected.sort { $0 < $1 }
    #expect(heap.next() == expected.first.map { .seconds($0.instant) })
    while let action = heap.popDue(at: .seconds(24)) { action() }
    #expect(fired == expected.filter { $0.instant <= 24 }.map(\.index))
    while let action = heap.popDue(at: .seconds(99)) { action() }
    #expect(fired == expected.map(\.index))
    #expect(heap.isEmpty)
    #expect(heap.next() == nil)
  }

  @Test func aPostponedTimerIsDueAtItsNewInstant() {
    var heap = TimerHeap()
    let watchdog = heap.insert(at: .seconds(10)) {}
    for second in 1...100 {
      heap.postpone(watchdog, to: .seconds(second + 10))
      #expect(heap.next() == .seconds(second + 10))
      #expect(heap.popDue(at: .seconds(second)) == nil)
    }
    #expect(heap.count == 1)
    heap.cancel(watchdog)
    heap.postpone(watchdog, to: .seconds(200))
    #expect(heap.next() == nil)
    #expect(heap.isEmpty)
  }

  @Test func cancelledTimersAreRemoved() {
    var heap = TimerHeap()
    for _ in 0..<10_000 { heap.cancel(heap.insert(at: .seconds(1)) {}) }
    #expect(heap.count <= 65)  // From 65 entries on, those of cancelled timers are removed.
    #expect(heap.isEmpty)
  }
}
