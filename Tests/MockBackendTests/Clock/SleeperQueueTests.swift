import TestSupport
import Testing

@testable import MockBackend

@Suite(.inTurn) struct SleeperQueueTests {
  private func sleeper(_ seconds: Int, _ id: Int) -> SleeperQueue.Sleeper {
    SleeperQueue.Sleeper(deadline: .seconds(seconds), id: id)
  }

  @Test func wakesByDeadlineThenArrival() {
    var queue = SleeperQueue()
    for (id, seconds) in [5, 1, 3, 1, 5, 3, 1].enumerated() { queue.insert(sleeper(seconds, id)) }
    #expect(queue.nextDeadline == .seconds(1))
    var order: [Int] = []
    while let next = queue.popFirst(notAfter: .seconds(3)) { order.append(next.id) }
    #expect(order == [1, 3, 6, 2, 5])
    #expect(queue.count == 2)
    #expect(queue.nextDeadline == .seconds(5))
  }

  @Test func removesOnlyPresentSleepers() {
    var queue = SleeperQueue()
    for id in 0..<5 { queue.insert(sleeper(1, id)) }
    let removed = [sleeper(1, 2), sleeper(1, 2), sleeper(2, 3), sleeper(1, 9)].map {
      queue.remove($0)
    }
    #expect(removed == [true, false, false, false])
    #expect(queue.count == 4)
    queue.insert(sleeper(0, 7))
    let popped = [queue.popFirst(notAfter: .zero), queue.popFirst(notAfter: .zero)]
    #expect(popped == [sleeper(0, 7), nil])
  }

  @Test func sleepersArePoppedInSortedOrder() {
    var generator = SplitMix64(seed: 1)
    var queue = SleeperQueue()
    var model: [SleeperQueue.Sleeper] = []
    for id in 0..<500 {
      let next = sleeper(Int.random(in: 0..<40, using: &generator), id)
      queue.insert(next)
      model.append(next)
      if id % 3 == 0 {
        let removed = model.remove(at: Int.random(in: 0..<model.count, using: &generator))
        let isRemoved = queue.remove(removed)
        #expect(isRemoved)
      }
    }
    model.sort { ($0.deadline, $0.id) < ($1.deadline, $1.id) }
    var order: [SleeperQueue.Sleeper] = []
    while let next = queue.popFirst(notAfter: .seconds(40)) { order.append(next) }
    #expect(order == model)
  }
}
