import Testing

@testable import AsyncLocation

@Suite struct RingBufferTests {
  /// An array that does the same, plainly.
  private struct Model {
    let limit: Int
    var elements: [Int] = []

    mutating func append(_ element: Int) -> Bool {
      elements.append(element)
      guard elements.count > limit else { return false }
      elements.removeFirst()
      return true
    }
  }

  /// Every sequence of appends, pops and clearances up to a length.
  @Test(arguments: 1...4)
  func doesWhatAnArrayDoes(_ limit: Int) {
    var sequences = 0
    var mismatches: [String] = []
    func explore(_ buffer: RingBuffer<Int>, _ model: Model, _ next: Int, _ history: String) {
      if history.count == 10 {
        sequences += 1
        var (buffer, left) = (buffer, [Int]())
        while let element = buffer.popFirst() { left.append(element) }
        if left != model.elements { mismatches.append(history) }
        return
      }
      do {
        var (buffer, model) = (buffer, model)
        if buffer.append(next) != model.append(next) { mismatches.append(history + "+") }
        check(buffer, model, history + "+")
        explore(buffer, model, next + 1, history + "+")
      }
      do {
        var (buffer, model) = (buffer, model)
        let expected = model.elements.isEmpty ? nil : model.elements.removeFirst()
        if buffer.popFirst() != expected { mismatches.append(history + "-") }
        check(buffer, model, history + "-")
        explore(buffer, model, next, history + "-")
      }
      if !history.hasSuffix("0") {
        var (buffer, model) = (buffer, model)
        buffer.removeAll()
        model.elements = []
        check(buffer, model, history + "0")
        explore(buffer, model, next, history + "0")
      }
    }
    func check(_ buffer: RingBuffer<Int>, _ model: Model, _ history: String) {
      if buffer.count != model.elements.count || buffer.isEmpty != model.elements.isEmpty {
        mismatches.append(history)
      }
    }
    explore(RingBuffer(limit: limit), Model(limit: limit), 0, "")
    #expect(mismatches.isEmpty, "\(mismatches.prefix(3))")
    #expect(sequences > 10_000)
  }

  @Test func fullBufferKeepsTheNewest() {
    var buffer = RingBuffer<Int>(limit: 3)
    let dropped = (1...7).map { buffer.append($0) }
    #expect(dropped == [false, false, false, true, true, true, true])
    #expect(buffer.count == 3)
    let kept = (1...4).map { _ in buffer.popFirst() }
    #expect(kept == [5, 6, 7, nil])
  }
}
