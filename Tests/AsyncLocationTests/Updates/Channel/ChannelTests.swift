import TestSupport
import Testing

@testable import AsyncLocation

extension BoundedChannel {
  /// Pushes and wakes, as the hub does in two steps.
  @discardableResult
  func send(_ elements: [Element]) -> Tally {
    var wakes = Wakes()
    let tally = push(elements, waking: &wakes)
    wakes.perform()
    return tally
  }

  func end(_ error: LocationError? = nil) {
    var wakes = Wakes()
    finish(error, waking: &wakes)
    wakes.perform()
  }

  /// Returns all buffered elements, as a subscription does.
  func nextBatch() async throws(LocationError) -> ArraySlice<Element>? {
    repeat {
      if !Task.isCancelled, let batch = takeAll() { return batch.elements }
    } while try await waitForMore(isolation: #isolation)
    return nil
  }
}

@Suite(.inTurn) struct ChannelTests {
  private static let failure = LocationError(.connectionLost, "The other end hung up.")

  private func channel(_ limit: Int = 8) -> BoundedChannel<Int> { BoundedChannel(.newest(limit)) }

  // MARK: Elements

  @Test func elementsComeInOrder() async throws {
    let channel = channel()
    #expect(channel.send([1, 2]) == Tally(delivered: 2, dropped: 0))
    channel.send([3])
    for expected in 1...3 { #expect(try await channel.next() == expected) }
  }

  @Test func fullChannelKeepsTheNewestAndCountsTheDropped() async throws {
    let channel = channel(3)
    #expect(channel.send([1, 2]) == Tally(delivered: 2, dropped: 0))
    #expect(channel.send([3, 4, 5]) == Tally(delivered: 3, dropped: 2))
    #expect(channel.dropped == 2)
    for expected in 3...5 { #expect(try await channel.next() == expected) }
  }

  @Test func fillingHalfDropsElementsBeyondHalf() async throws {
    let channel = channel(5)
    var wakes = Wakes()
    #expect(channel.push([1], filling: .half, waking: &wakes) == Tally(delivered: 1, dropped: 0))
    #expect(
      channel.push([2, 3], filling: .half, waking: &wakes) == Tally(delivered: 2, dropped: 2))
    #expect(channel.push([4], filling: .half, waking: &wakes) == Tally(delivered: 1, dropped: 0))
    #expect(channel.push([5], filling: .half, waking: &wakes) == Tally(delivered: 1, dropped: 1))
    #expect(channel.push([6], waking: &wakes) == Tally(delivered: 1, dropped: 0))
    wakes.perform()
    #expect(channel.dropped == 3)
    #expect(channel.counts.evicted == 3)
    for expected in [1, 4, 6] { #expect(try await channel.next() == expected) }
  }

  /// Half of a capacity of one is one.
  @Test func fillingHalfOfABufferOfOneKeepsOne() async throws {
    let channel = channel(1)
    var wakes = Wakes()
    #expect(channel.push([1], filling: .half, waking: &wakes).dropped == 0)
    #expect(channel.push([2], filling: .half, waking: &wakes).dropped == 1)
    #expect(channel.push([3], waking: &wakes).dropped == 1)
    wakes.perform()
    #expect(try await channel.next() == 3)
  }

  @Test func filteredElementsAreNotCounted() async throws {
    let channel = channel()
    var wakes = Wakes()
    let elements = Array(1...6)
    let tally = channel.push(
      elements, ElementRuns(of: elements) { $0 % 3 == 0 }, .unrestricted, waking: &wakes)
    wakes.perform()
    #expect(tally == Tally(delivered: 2, dropped: 0))
    #expect(try await channel.next() == 3)
    #expect(try await channel.next() == 6)
  }

  @Test func batchTakesAllBufferedElements() async throws {
    let channel = channel()
    channel.send([1, 2, 3])
    #expect(try await channel.nextBatch() == [1, 2, 3])
    channel.send([4])
    channel.send([5])
    #expect(try await channel.nextBatch() == [4, 5])
    channel.send([6, 7])
    #expect(channel.take() == 6)
    #expect(try await channel.nextBatch() == [7])
    channel.end()
    #expect(try await channel.nextBatch() == nil)
  }

  // MARK: The end

  @Test func endFollowsBufferedElements() async throws {
    let channel = channel()
    channel.send([1, 2])
    channel.end(Self.failure)
    #expect(try await channel.next() == 1)
    #expect(try await channel.next() == 2)
    await #expect(throws: Self.failure) { try await channel.next() }
    #expect(try await channel.next() == nil)
  }

  @Test func aBatchPrecedesTheEnd() async throws {
    let channel = channel()
    channel.send([1])
    channel.end(Self.failure)
    #expect(try await channel.nextBatch() == [1])
    await #expect(throws: Self.failure) { try await channel.nextBatch() }
    #expect(try await channel.nextBatch() == nil)
  }

  @Test func elementsAfterTheEndAreIgnored() async throws {
    let channel = channel()
    channel.end()
    #expect(channel.send([1]) == Tally())
    #expect(try await channel.next() == nil)
    #expect(channel.dropped == 0)
  }

  @Test(arguments: [nil, failure])
  func onlyTheFirstEndIsDelivered(_ first: LocationError?) async throws {
    let channel = channel()
    channel.end(first)
    channel.end(first == nil ? Self.failure : nil)
    let end = await Task { try await channel.next() }.result
    switch end {
    case .success(let element):
      #expect(first == nil)
      #expect(element == nil)
    case .failure(let error): #expect(error as? LocationError == first)
    }
  }

  // MARK: Waiting

  @Test func pushWakesTheWaitingConsumer() async throws {
    let channel = channel()
    let consumer = Task.immediate { try await channel.next() }
    channel.send([7])
    #expect(try await consumer.value == 7)
  }

  @Test func pushWakesAConsumerWaitingForABatch() async throws {
    let channel = channel()
    let consumer = Task.immediate { try await channel.nextBatch() }
    channel.send([7, 8])
    #expect(try await consumer.value == [7, 8])
  }

  @Test func twoWaitingConsumersGetOneEach() async throws {
    let channel = channel()
    let first = Task.immediate { try await channel.next() }
    let second = Task.immediate { try await channel.next() }
    channel.send([1])
    channel.send([2])
    let taken = try await [first.value, second.value]
    #expect(Set(taken) == [1, 2])
  }

  @Test func endWakesAllConsumers() async throws {
    let channel = channel()
    let consumers = (0..<3).map { _ in Task.immediate { try await channel.next() } }
    channel.end()
    for consumer in consumers { #expect(try await consumer.value == nil) }
  }

  @Test func errorIsThrownToOneWaitingConsumer() async {
    let channel = channel()
    let consumers = (0..<3).map { _ in Task.immediate { try await channel.next() } }
    channel.end(Self.failure)
    var errors = 0
    for consumer in consumers {
      switch await consumer.result {
      case .success(let element): #expect(element == nil)
      case .failure(let error):
        #expect(error as? LocationError == Self.failure)
        errors += 1
      }
    }
    #expect(errors == 1)
  }

  @Test func undeliveredPushLeavesTheConsumerWaiting() async throws {
    let channel = channel()
    let consumer = Task.immediate { try await channel.next() }
    var wakes = Wakes()
    #expect(channel.push([1], ElementRuns(), .unrestricted, waking: &wakes) == Tally())
    wakes.perform()
    channel.send([2])
    #expect(try await consumer.value == 2)
  }

  // MARK: Cancelling

  @Test func cancelEndsAWait() async throws {
    let channel = channel()
    let consumer = Task.immediate { try await channel.next() }
    consumer.cancel()
    #expect(try await consumer.value == nil)
    // The cancelled consumer loses no element.
    channel.send([1])
    #expect(try await channel.next() == 1)
  }

  @Test func cancelEndsAWaitForABatch() async throws {
    let channel = channel()
    let consumer = Task.immediate { try await channel.nextBatch() }
    consumer.cancel()
    #expect(try await consumer.value == nil)
  }

  @Test func cancelAffectsNoOtherConsumer() async throws {
    let channel = channel()
    let first = Task.immediate { try await channel.next() }
    let second = Task.immediate { try await channel.next() }
    first.cancel()
    #expect(try await first.value == nil)
    channel.send([1])
    #expect(try await second.value == 1)
  }

  @Test func aCancelledTaskTakesNoElement() async throws {
    let channel = channel()
    channel.send([1])
    let consumer = Task {
      withUnsafeCurrentTask { unsafe $0?.cancel() }
      return try await channel.next()
    }
    #expect(try await consumer.value == nil)
    #expect(try await channel.next() == 1)
  }
}
