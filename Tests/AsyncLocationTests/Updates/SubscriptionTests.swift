import Testing

@testable import AsyncLocation

@Suite(.timeLimit(.minutes(1))) struct SubscriptionTests {
  private let channel = Channel<Int>(.newest(8))
  private let departures = Locked(0)

  private func subscription() -> Subscription<Int> {
    Subscription(channel) { [departures] in departures.withLock { $0 += 1 } }
  }

  private var departed: Int { departures.withLock { $0 } }

  @Test func droppingTheLastReferenceLeaves() {
    var subscription: Subscription<Int>? = subscription()
    var copy = subscription
    subscription = nil
    #expect(departed == 0)
    #expect(copy != nil)
    copy = nil
    #expect(subscription == nil)
    #expect(departed == 1)
  }

  @Test func elementsKeepThePlaceAndTheEndGivesItUp() async throws {
    let subscription = subscription()
    channel.send([1])
    #expect(try await subscription.next() == 1)
    #expect(departed == 0)
    channel.end()
    #expect(try await subscription.next() == nil)
    #expect(departed == 1)
  }

  @Test func cancelledTaskLeavesAtOnce() async throws {
    let subscription = subscription()
    let task = Task.immediate { try await subscription.next() }
    task.cancel()
    #expect(try await task.value == nil)
    #expect(departed == 1)
    withExtendedLifetime(subscription) {}
  }

  @Test func sequenceTakesABatchAndThenTheEnd() async throws {
    let updates = Updates(subscription(), limit: 8)
    channel.send([1, 2, 3])
    channel.end()
    var elements: [Int] = []
    for try await element in updates { elements.append(element) }
    #expect(elements == [1, 2, 3])
    #expect(departed == 1)
  }

  @Test func cancelledLoopDropsTheRestOfItsBatch() async throws {
    let updates = Updates(subscription(), limit: 8)
    channel.send([1, 2, 3])
    let loop = Task {
      var elements: [Int] = []
      for try await element in updates {
        elements.append(element)
        withUnsafeCurrentTask { unsafe $0?.cancel() }
      }
      return elements
    }
    #expect(try await loop.value == [1])
    #expect(departed >= 1)
  }

  @Test func streamsOfTheLibraryEndAsTheChannelDoes() async throws {
    let failure = LocationError(.denied, "Permission is refused; ask the operator.")
    var elements: [Int] = []
    channel.send([1])
    channel.end(failure)
    let stream = subscription().throwingStream()
    await #expect(throws: failure) { for try await element in stream { elements.append(element) } }
    #expect(elements == [1])
    let calm = Channel<Int>(.newest(8))
    calm.send([2])
    calm.end(failure)
    for await element in Subscription(calm, leave: {}).stream() { elements.append(element) }
    #expect(elements == [1, 2])
  }
}
