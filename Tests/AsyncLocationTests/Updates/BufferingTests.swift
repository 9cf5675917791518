import Testing

@testable import AsyncLocation

@Suite struct BufferingTests {
  @Test(arguments: [(Int.min, 1), (-1, 1), (0, 1), (1, 1), (64, 64), (Int.max, Int.max)])
  func keepsAtLeastOne(_ limit: Int, _ kept: Int) {
    #expect(Buffering.newest(limit).limit == kept)
  }

  @Test func optionsKeepSixtyFourUnlessTold() {
    #expect(UpdateOptions().buffering == .newest(64))
    #expect(HeadingOptions().buffering == .newest(64))
    #expect(LocationManager.Configuration().buffering == .newest(64))
  }

  @Test func hugeBoundCostsNothingBeforeItIsUsed() {
    var buffer = RingBuffer<Int>(limit: Buffering.newest(.max).limit)
    let dropped = (1...100).map { buffer.append($0) }
    #expect(!dropped.contains(true))
    #expect(buffer.popFirst() == 1)
    #expect(buffer.append(101) == false)
    #expect(buffer.count == 100)
  }
}
