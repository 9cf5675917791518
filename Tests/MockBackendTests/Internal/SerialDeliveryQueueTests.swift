import AsyncLocation
import TestSupport
import Testing

@testable import MockBackend

@Suite(.inTurn)
struct SerialDeliveryQueueTests {
  @Test func messagesBeforeAttachmentAreQueued() async {
    let queue = SerialDeliveryQueue<Int>()
    let received = Journal<Int>()
    for message in 1...3 {
      #expect(queue.enqueue(message))
      queue.deliver()
    }
    #expect(queue.waitingCount == 3)
    queue.attach { message in
      received.append(message)
      return true
    }
    #expect(received.entries == [1, 2, 3])
    await queue.detach()
    #expect(queue.enqueue(4))
    queue.deliver()
    #expect(received.entries == [1, 2, 3])
  }

  @Test func refusesBeyondTheLimit() {
    let queue = SerialDeliveryQueue<Int>()
    #expect(queue.enqueue(1, limit: 2))
    #expect(queue.enqueue(2, limit: 2))
    #expect(!queue.enqueue(3, limit: 2))
    #expect(queue.waitingCount == 2)
  }

  @Test func aReceiverCanDetachItself() {
    let queue = SerialDeliveryQueue<Int>()
    let received = Journal<Int>()
    for message in 1...4 { _ = queue.enqueue(message) }
    queue.attach { message in
      received.append(message)
      return message != 2
    }
    #expect(received.entries == [1, 2])
    #expect(queue.waitingCount == 2)
    queue.attach { message in
      received.append(message * 10)
      return true
    }
    #expect(received.entries == [1, 2, 30, 40])
  }

  @Test func reentrantMessagesAreDeliveredAfterwards() {
    let queue = SerialDeliveryQueue<Int>()
    let received = Journal<Int>()
    queue.attach { message in
      if message < 3 {
        _ = queue.enqueue(message + 1)
        queue.deliver()
      }
      received.append(message)
      return true
    }
    _ = queue.enqueue(1)
    queue.deliver()
    #expect(received.entries == [1, 2, 3])
  }

  @Test func detachingWaitsForTheCurrentCall() async {
    let queue = SerialDeliveryQueue<Int>()
    let progress = Journal<String>()
    let detachment = Locked<Task<Void, Never>?>(nil)
    queue.attach { _ in
      let task = Task.immediate {
        await queue.detach()
        progress.append("detached")
      }
      detachment.withLock { $0 = task }
      progress.append("received")
      return true
    }
    for message in 1...2 { _ = queue.enqueue(message) }
    queue.deliver()
    await detachment.withLock { $0 }?.value
    #expect(progress.entries == ["received", "detached"])
    #expect(queue.waitingCount == 1)
  }

  /// Every message is delivered, one call at a time, and the messages of a sender in their order.
  @Test("F27 many senders: one call at a time, in order")
  func keepsOrderAmongManySenders() async {
    let queue = SerialDeliveryQueue<(sender: Int, number: Int)>()
    let received = Journal<(sender: Int, number: Int)>()
    let activeCalls = Locked(0)
    let overlaps = Locked(0)
    queue.attach { message in
      let isAlone = activeCalls.withLock { count in
        count += 1
        return count == 1
      }
      if !isAlone { overlaps.withLock { $0 += 1 } }
      received.append(message)
      activeCalls.withLock { $0 -= 1 }
      return true
    }
    await withTaskGroup { group in
      for sender in 0..<8 {
        group.addTask {
          for number in 0..<250 {
            _ = queue.enqueue((sender, number))
            queue.deliver()
          }
        }
      }
    }
    await queue.detach()
    #expect(overlaps.withLock { $0 } == 0)
    let entries = received.entries
    #expect(entries.count == 2000)
    for sender in 0..<8 {
      #expect(entries.filter { $0.sender == sender }.map(\.number) == Array(0..<250))
    }
  }

  @Test func theQueueKeepsOrderAsItShrinks() {
    var queue = MessageQueue<Int>()
    var next = 0
    for number in 0..<1000 {
      queue.append(number)
      if number % 3 != 0 {
        let message = queue.popFirst()
        #expect(message == next)
        next += 1
      }
    }
    #expect(queue.count == 1000 - next)
    while let message = queue.popFirst() {
      #expect(message == next)
      next += 1
    }
    #expect(next == 1000)
  }
}
