import MockBackend
import Synchronization
import TestSupport
import Testing

@testable import AsyncLocation

/// Many tasks on one channel; their work depends on a seed, their order on the threads.
@Suite(.inTurn) struct ChannelStressTests {
  private final class Flag: Sendable {
    let isSet = Atomic(false)
  }

  /// Element `number` of producer `producer`.
  private struct Element: Hashable, Sendable {
    let producer: Int
    let number: Int
  }

  @Test(arguments: 1...8 as ClosedRange<UInt64>)
  func everyElementReachesOneConsumerInOrder(_ seed: UInt64) async throws {
    var random = SplitMix64(seed: seed)
    let (producers, perProducer) = (Int.random(in: 1...4, using: &random), 2_000)
    let channel = BoundedChannel<Element>(.newest(producers * perProducer))
    let consumers = (0..<Int.random(in: 1...4, using: &random)).map { index in
      Task { index % 2 == 0 ? try await Self.single(channel) : try await Self.batched(channel) }
    }
    // Consumers that are cancelled must not lose an element.
    let cancelledConsumers = (0..<4).map { _ in Task { try await Self.single(channel) } }
    await withTaskGroup(of: Tally.self) { group in
      for producer in 0..<producers {
        var random = SplitMix64(seed: seed &* 31 &+ UInt64(producer))
        group.addTask {
          var (number, tally) = (0, Tally())
          while number < perProducer {
            let end = min(perProducer, number + Int.random(in: 1...5, using: &random))
            tally += channel.send((number..<end).map { Element(producer: producer, number: $0) })
            number = end
            if Int.random(in: 0..<4, using: &random) == 0 { await Task.yield() }
            if producer == 0, number > perProducer / 2 {
              for consumer in cancelledConsumers { consumer.cancel() }
            }
          }
          return tally
        }
      }
      var total = Tally()
      for await tally in group { total += tally }
      #expect(total == Tally(delivered: UInt64(producers * perProducer), dropped: 0))
    }
    for consumer in cancelledConsumers { consumer.cancel() }
    channel.end()
    var seen: Set<Element> = []
    var count = 0
    for task in consumers + cancelledConsumers {
      let elements = try await task.value
      #expect(Self.isOrdered(elements))
      count += elements.count
      seen.formUnion(elements)
    }
    #expect(count == producers * perProducer)
    #expect(seen.count == count)
  }

  /// A lost wakeup leaves both sides waiting forever.
  @Test func noWakeupIsLostBetweenTwoConsumers() async throws {
    let (forth, back) = (BoundedChannel<Int>(.newest(1)), BoundedChannel<Int>(.newest(1)))
    let echo = Task {
      while let number = try await forth.next() { back.send([number]) }
      back.end()
    }
    for number in 1...20_000 {
      forth.send([number])
      guard try await back.next() == number else {
        Issue.record("number \(number) did not come back")
        break
      }
    }
    forth.end()
    try await echo.value
  }

  /// An element and a cancellation race: the element is taken or stays, and the task ends.
  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func cancelAndPushRace(_ seed: UInt64) async throws {
    var random = SplitMix64(seed: seed)
    for round in 0..<2_000 {
      let channel = BoundedChannel<Int>(.newest(2))
      let consumer = Task { try await channel.next() }
      let (yields, isLate) = (Int.random(in: 0...3, using: &random), Bool.random(using: &random))
      let pusher = Task {
        if isLate { for _ in 0..<yields { await Task.yield() } }
        channel.send([round])
      }
      let canceller = Task {
        if !isLate { for _ in 0..<yields { await Task.yield() } }
        consumer.cancel()
      }
      _ = await (pusher.value, canceller.value)
      let taken = try await consumer.value
      channel.end()
      let remaining = try await channel.next()
      #expect((taken == round) != (remaining == round), "round \(round)")
    }
  }

  /// A cancel just before the wait must not leave the task waiting forever.
  @Test func cancelIsNeverLost() async throws {
    var random = SplitMix64(seed: 1)
    let channel = BoundedChannel<Int>(.newest(1))
    let flag = Flag()
    for _ in 0..<20_000 {
      flag.isSet.store(false, ordering: .relaxed)
      let consumer = Task.detached {
        flag.isSet.store(true, ordering: .relaxed)
        return try await channel.next()
      }
      let spins = Int.random(in: 0...400, using: &random)
      if spins > 0 { while !flag.isSet.load(ordering: .relaxed) { await Task.yield() } }
      for _ in 0..<spins { _ = flag.isSet.load(ordering: .relaxed) }
      consumer.cancel()
      #expect(try await consumer.value == nil)
    }
  }

  private static func single(_ channel: BoundedChannel<Element>) async throws -> [Element] {
    var elements: [Element] = []
    while let element = try await channel.next() { elements.append(element) }
    return elements
  }

  private static func batched(_ channel: BoundedChannel<Element>) async throws -> [Element] {
    var elements: [Element] = []
    while let batch = try await channel.nextBatch() { elements += batch }
    return elements
  }

  private static func isOrdered(_ elements: [Element]) -> Bool {
    var last: [Int: Int] = [:]
    for element in elements {
      if let previous = last[element.producer], previous >= element.number { return false }
      last[element.producer] = element.number
    }
    return true
  }
}
