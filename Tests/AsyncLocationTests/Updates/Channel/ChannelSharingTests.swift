import TestSupport
import Testing

@testable import AsyncLocation

/// Consumers that share a channel: none sleeps while there are elements.
@Suite(.tags(.cancellation), .inTurn)
struct ChannelSharingTests {
  @Test func aBatchWakesOneConsumerPerElement() async throws {
    let channel = BoundedChannel<Int>(.newest(8))
    let consumers = (0..<3).map { _ in Task.immediate { try await channel.next() } }
    var wakes = Wakes()
    _ = channel.push([1, 2, 3], waking: &wakes)
    wakes.perform()
    var taken: [Int?] = []
    for consumer in consumers { taken.append(try await consumer.value) }
    #expect(Set(taken) == [1, 2, 3])
  }

  @Test func aCancelledConsumerLeavesTheElementToAnother() async throws {
    for round in 0..<500 {
      let channel = BoundedChannel<Int>(.newest(8))
      let first = Task.immediate { try await channel.next() }
      let second = Task.immediate { try await channel.next() }
      var wakes = Wakes()
      _ = channel.push([round], waking: &wakes)
      wakes.perform()
      first.cancel()
      // One of the consumers receives the element; it is not left while another consumer sleeps.
      if try await first.value == nil {
        #expect(try await second.value == round)
      } else {
        second.cancel()
        #expect(try await second.value == nil)
      }
    }
  }
}
