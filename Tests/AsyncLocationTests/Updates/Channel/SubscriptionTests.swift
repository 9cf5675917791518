import TestSupport
import Testing

@testable import AsyncLocation

@Suite(.inTurn) struct SubscriptionTests {
  private let channel = BoundedChannel<Int>(.newest(8))
  private let unsubscriptions = Locked(0)
  private let failure = LocationError(.denied, "Permission is refused; ask the operator.")

  private func subscription() -> Subscription<Int> {
    Subscription(channel) { [unsubscriptions] in unsubscriptions.withLock { $0 += 1 } }
  }

  private func locationUpdates(_ channel: BoundedChannel<Location>) -> LocationUpdates {
    LocationUpdates(
      Subscription(channel) { [unsubscriptions] in unsubscriptions.withLock { $0 += 1 } })
  }

  private var unsubscribeCount: Int { unsubscriptions.withLock { $0 } }

  @Test func droppingTheLastReferenceUnsubscribes() {
    var subscription: Subscription<Int>? = subscription()
    var copy = subscription
    subscription = nil
    #expect(unsubscribeCount == 0)
    #expect(copy != nil)
    copy = nil
    #expect(subscription == nil)
    #expect(unsubscribeCount == 1)
  }

  @Test func aStreamStaysSubscribedUntilItsEnd() async throws {
    let subscription = subscription()
    channel.send([1])
    #expect(try await subscription.next() == 1)
    #expect(unsubscribeCount == 0)
    channel.end()
    #expect(try await subscription.next() == nil)
    #expect(unsubscribeCount == 1)
  }

  @Test func cancelledTaskEndsAtOnce() async throws {
    let subscription = subscription()
    let task = Task.immediate { try await subscription.next() }
    task.cancel()
    #expect(try await task.value == nil)
    #expect(unsubscribeCount == 1)
    withExtendedLifetime(subscription) {}
  }

  @Test func sequenceReturnsBufferedElementsThenTheEnd() async throws {
    let locationChannel = BoundedChannel<Location>(.newest(8))
    let updates = locationUpdates(locationChannel)
    let locations = [1.0, 2, 3].map { Sample.location($0) }
    locationChannel.send(locations)
    locationChannel.end()
    var taken: [Location] = []
    for try await location in updates { taken.append(location) }
    #expect(taken == locations)
    #expect(unsubscribeCount == 1)
  }

  @Test func cancelledLoopReturnsNoFurtherElement() async throws {
    let locationChannel = BoundedChannel<Location>(.newest(8))
    let updates = locationUpdates(locationChannel)
    locationChannel.send([1.0, 2, 3].map { Sample.location($0) })
    let loop = Task {
      var count = 0
      for try await _ in updates {
        count += 1
        withUnsafeCurrentTask { unsafe $0?.cancel() }
      }
      return count
    }
    #expect(try await loop.value == 1)
    #expect(unsubscribeCount == 1)
  }

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

  /// A batch wraps an array slice, whose own indices may begin at any number.
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

  @Test func throwingStreamEndsWithTheErrorOfItsChannel() async throws {
    var elements: [Int] = []
    channel.send([1])
    channel.end(failure)
    let stream = subscription().throwingStream()
    await #expect(throws: failure) { for try await element in stream { elements.append(element) } }
    #expect(elements == [1])
  }

  @Test func nonthrowingStreamEndsWithoutTheError() async throws {
    var elements: [Int] = []
    channel.send([2])
    channel.end(failure)
    for await element in subscription().stream() { elements.append(element) }
    #expect(elements == [2])
  }
}
