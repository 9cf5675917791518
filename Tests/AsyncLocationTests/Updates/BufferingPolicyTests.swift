import TestSupport
import Testing

@testable import AsyncLocation

@Suite(.inTurn) struct BufferingTests {
  @Test(arguments: [(Int.min, 1), (-1, 1), (0, 1), (1, 1), (64, 64), (Int.max, Int.max)])
  func aLimitIsAtLeastOne(_ limit: Int, _ kept: Int) {
    #expect(BufferingPolicy.newest(limit).limit == kept)
  }

  @Test func optionsBufferSixtyFourByDefault() {
    #expect(UpdateOptions().buffering == .newest(64))
    #expect(HeadingOptions().buffering == .newest(64))
    #expect(LocationManager.Configuration().buffering == .newest(64))
  }

  @Test func aHugeLimitAllocatesNothingBeforeUse() {
    let channel = BoundedChannel<Int>(.newest(.max))
    #expect(channel.capacity <= 1)
    #expect(channel.send(Array(1...100)) == Tally(delivered: 100, dropped: 0))
    #expect(channel.capacity <= 2)
    #expect(channel.take() == 1)
    #expect(channel.count == 99)
  }
}
