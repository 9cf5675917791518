import TestSupport
import Testing

@testable import AsyncLocation

@Suite(.inTurn) struct SubscriptionTests {
  private let channel = BoundedChannel<Int>(.newest(8))
  private let departures = Locked(0)

  private func subscription() -> Subscription<Int> {
    Subscription(channel) { [departures] in departures.withLock { $0 += 1 } }
  }

  private var departed: Int { departures.withLock { $0 } }

  @Test func droppingTheLastReferenceUnsubscribes() {
    var subscription: Subscription<Int>? = subscription()
    var copy = subscription
    subscription = nil
    #expect(departed == 0)
    #expect(copy != nil)
    copy = nil
    #expect(subscription == nil)
    #expect(departed == 1)
  }

  @Test func aStreamStaysSubscribedUntilItsEnd() async throws {
    let subscription = subscription()
    channel.send([1])
    #expect(try await subscription.next() == 1)
    #expect(departed == 0)
    channel.end()
    #expect(try await subscription.next() == nil)
    #expect(departed == 1)
  }

  @Test func cancelledTaskEndsAtOnce() async throws {
    let subscription = subscription()
    let task = Task.immediate { try await subscription.next() }
    task.cancel()
    #expect(try await task.value == nil)
    #expect(departed == 1)
    withExtendedLifetime(subscription) {}
  }

  @Test func sequenceReturnsBufferedElementsThenTheEnd() async throws {
    let (channel, departures) = (BoundedChannel<Location>(.newest(8)), departures)
    let updates = LocationUpdates(
      Subscription(channel) { departures.withLock { $0 += 1 } })
    let locations = [1.0, 2, 3].map { Sample.location($0) }
    channel.send(locations)
    channel.end()
    var taken: [Location] = []
    for try await location in updates { taken.append(location) }
    #expect(taken == locations)
    #expect(departed == 1)
  }

  @Test func cancelledLoopReturnsNoFurtherElement() async throws {
    let (channel, departures) = (BoundedChannel<Location>(.newest(8)), departures)
    let updates = LocationUpdates(
      Subscription(channel) { departures.withLock { $0 += 1 } })
    channel.send([1.0, 2, 3].map { Sample.location($0) })
    let loop = Task {
      var count = 0
      for try await _ in updates {
        count += 1
        withUnsafeCurrentTask { unsafe $0?.cancel() }
      }
      return count
    }
    #expect(try await loop.value == 1)
    #expect(departed >= 1)
  }

  /// The next loop gets the remaining elements.
  @Test func aSecondLoopGetsTheRemainingElements() async throws {
    let channel = BoundedChannel<Location>(.newest(8))
    let updates = LocationUpdates(Subscription(channel) {})
    let locations = [1.0, 2, 3, 4].map { Sample.location($0) }
    channel.send(locations)
    channel.end()
    var taken: [Location] = []
    for try await location in updates {
      taken.append(location)
      if taken.count == 2 { break }
    }
    for try await location in updates { taken.append(location) }
    #expect(taken == locations)
    #expect(updates.dropped == 0)
  }

  @Test func batchesContainElementsThatArrivedTogether() async throws {
    let channel = BoundedChannel<Location>(.newest(8))
    let batches = LocationBatches(Subscription(channel) {})
    let locations = [1.0, 2, 3, 4].map { Sample.location($0) }
    channel.send(Array(locations.prefix(3)))
    var iterator = batches.makeAsyncIterator()
    let batch = try await iterator.next()
    #expect(batch.map(Array.init) == Array(locations.prefix(3)))
    #expect(batch?.withSpan { $0.count } == 3)
    #expect(batch?.description == "UpdateBatch<Location>(3 elements)")
    channel.send([locations[3]])
    channel.end()
    #expect(try await iterator.next().map(Array.init) == [locations[3]])
    #expect(try await iterator.next() == nil)
  }

  /// A batch is a slice of an array that may begin at any index.
  @Test func indicesOfABatchBeginAtZero() async throws {
    let channel = BoundedChannel<Location>(.newest(2))
    let batches = LocationBatches(Subscription(channel) {})
    let locations = [1.0, 2, 3, 4, 5].map { Sample.location($0) }
    channel.send(locations)
    let batch = try #require(try await batches.first(where: { _ in true }))
    #expect(batch.startIndex == 0)
    #expect(batch.endIndex == 2)
    #expect(batch[0] == locations[3])
    #expect(batch[1] == locations[4])
    #expect(batch.dropFirst().first == locations[4])
    #expect(batch.withSpan { $0[0] } == batch[0])
    #expect(batch == LocationBatch(locations.suffix(2)))
    #expect(batches.dropped == 3)
  }

  @Test func streamsEndWithTheErrorOfTheirChannel() async throws {
    let failure = LocationError(.denied, "Permission is refused; ask the operator.")
    var elements: [Int] = []
    channel.send([1])
    channel.end(failure)
    let stream = subscription().throwingStream()
    await #expect(throws: failure) { for try await element in stream { elements.append(element) } }
    #expect(elements == [1])
    let calm = BoundedChannel<Int>(.newest(8))
    calm.send([2])
    calm.end(failure)
    for await element in Subscription(calm, leave: {}).stream() { elements.append(element) }
    #expect(elements == [1, 2])
  }
}
