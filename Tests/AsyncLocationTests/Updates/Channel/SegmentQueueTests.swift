import MockBackend
import TestSupport
import Testing

@testable import AsyncLocation

@Suite(.inTurn) struct SegmentQueueTests {
  private typealias Queue = SegmentQueue<Int>

  /// A model of the queue that uses an array.
  private struct Model {
    let limit: Int
    var elements: [(number: Int, isOld: Bool)] = []

    mutating func append(_ numbers: [Int], isOld: Bool) -> Int {
      elements += numbers.map { ($0, isOld) }
      let dropped = max(0, elements.count - limit)
      elements.removeFirst(dropped)
      return dropped
    }
  }

  private enum Step: CaseIterable {
    case one, three, odd, old, pop, popSegment, removeOld
  }

  private static let old = DeliveryStamp(generation: 1, isPrecise: true)
  private static let new = DeliveryStamp(generation: 2, isPrecise: true)

  private static func contents(_ queue: Queue) -> [Int] {
    var (queue, left) = (queue, [Int]())
    while let element = pop(&queue) { left.append(element) }
    return left
  }

  private static func pop(_ queue: inout Queue) -> Int? {
    var element: Int?
    _ = queue.popFirst(into: &element)
    return element
  }

  /// Every sequence of steps up to a length, compared with the model.
  @Test(.longWork, arguments: [1, 2, 3, 5])
  func agreesWithAnArray(_ limit: Int) {
    var (sequences, mismatches) = (0, [String]())
    func explore(_ queue: Queue, _ model: Model, _ next: Int, _ history: [Step]) {
      if history.count == 5 {
        sequences += 1
        return
      }
      for step in Step.allCases {
        var (queue, model, next) = (queue, model, next)
        let isRight: Bool
        switch step {
        case .one, .old:
          let stamp = step == .old ? Self.old : Self.new
          isRight =
            queue.append([next], 0..<1, stamp) == model.append([next], isOld: step == .old)
          next += 1
        case .three:
          isRight =
            queue.append([next, next + 1, next + 2], 0..<3, Self.new)
            == model.append([next, next + 1, next + 2], isOld: false)
          next += 3
        case .odd:
          let array = Array(next..<next + 5)
          var dropped = 0
          ElementRuns(of: array) { $0 % 2 == 1 }.visit {
            dropped += queue.append(array, $0, Self.new)
          }
          isRight = dropped == model.append(array.filter { $0 % 2 == 1 }, isOld: false)
          next += 5
        case .pop:
          let expected = model.elements.isEmpty ? nil : model.elements.removeFirst().number
          isRight = Self.pop(&queue) == expected
        case .popSegment:
          let taken = queue.popSegment().map { Array($0.elements[$0.range]) } ?? []
          isRight = taken == model.elements.prefix(taken.count).map(\.number)
          model.elements.removeFirst(min(taken.count, model.elements.count))
        case .removeOld:
          let removed = queue.remove { $0 == Self.old }.reduce(0) { $0 + $1.count }
          isRight = removed == model.elements.count(where: \.isOld)
          model.elements.removeAll(where: \.isOld)
        }
        let isSame =
          queue.count == model.elements.count && queue.isEmpty == model.elements.isEmpty
          && Self.contents(queue) == model.elements.map(\.number)
        if !isRight || !isSame { mismatches.append("\(history + [step])") }
        explore(queue, model, next, history + [step])
      }
    }
    explore(Queue(.count(limit)), Model(limit: limit), 1, [])
    #expect(mismatches.isEmpty, "\(mismatches.prefix(3))")
    #expect(sequences == 16_807)
  }

  /// A queue pins a bounded number of elements, whatever the subscriber's filter admits.
  @Test(.longWork, arguments: [1, 8, 64])
  func pinnedMemoryIsBounded(_ limit: Int) {
    var queue = Queue(.count(limit))
    var random = SplitMix64(seed: UInt64(limit))
    var expected: [Int] = []
    for round in 0..<2_000 {
      let array = Array(round * 1_000..<round * 1_000 + Int.random(in: 1...300, using: &random))
      let runs = ElementRuns(of: array) { _ in Int.random(in: 0..<40, using: &random) == 0 }
      runs.visit {
        _ = queue.append(array, $0, Self.new)
        expected += array[$0]
      }
      expected = Array(expected.suffix(limit))
      if Int.random(in: 0..<9, using: &random) == 0, !expected.isEmpty {
        #expect(Self.pop(&queue) == expected.removeFirst())
      }
      #expect(
        queue.pinned <= max(Queue.pinnedFactor * limit + 1, Queue.pinnedAllowance), "\(round)")
    }
    #expect(Self.contents(queue) == expected)
  }

  /// Copying across permissions keeps each element's stamp.
  @Test func copiesKeepTheirStamps() {
    var queue = Queue(.count(2))
    let array = Array(0..<100)
    _ = queue.append(array, 0..<1, Self.old)
    _ = queue.append(array, 1..<2, Self.new)
    #expect(queue.pinned == 2)
    #expect(queue.stamp == Self.old)
    #expect(queue.remove { $0 == Self.old }.map(\.count) == [1])
    #expect(queue.stamp == Self.new)
    #expect(Self.pop(&queue) == 1)
  }

  @Test func bufferedBytesAreBounded() {
    var queue = Queue(.bytes(100) { $0 })
    #expect(queue.append([40, 50], 0..<2, Self.new) == 0)
    #expect(queue.append([20], 0..<1, Self.new) == 1)
    #expect(Self.contents(queue) == [50, 20])
    // An element larger than the bound is buffered alone.
    #expect(queue.append([500], 0..<1, Self.new) == 2)
    #expect(Self.contents(queue) == [500])
    #expect(queue.append([1], 0..<1, Self.new) == 1)
    #expect(Self.pop(&queue) == 1)
    #expect(queue.append([60, 40], 0..<2, Self.new) == 0)
  }

  @Test func evictedElementsAreReturnedToTheCaller() {
    var queue = Queue(.count(1))
    var retired: [[Int]] = []
    _ = queue.append([1], 0..<1, Self.new) { retired.append($0.elements) }
    _ = queue.append([2], 0..<1, Self.new) { retired.append($0.elements) }
    #expect(retired == [[1]])
  }

  /// A subscriber that drains its queue frees the memory.
  @Test func anEmptiedQueueFreesItsMemory() {
    var queue = Queue(.count(10_000))
    for number in 0..<10_000 { _ = queue.append([number], 0..<1, Self.new) }
    #expect(queue.capacity >= 10_000)
    while Self.pop(&queue) != nil {}
    #expect(queue.capacity <= RingQueue<Int>.keptCapacity)
    #expect(queue.pinned == 0)
  }
}
