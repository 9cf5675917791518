import AsyncLocation
import FoundationEssentials
import LocationPublishing
import MockBackend
import TestSupport
import Testing

/// Compares the queue with a linear-search model under random operations, and checks the topics and
/// the accuracy that it records.
@Suite(.inTurn)
struct PublicationQueueTests {
  /// A reference model of the queue: a plain array.
  private struct Model {
    let limits: PublicationLimits
    var waiting: [StoredPublication] = []
    var lastNumber: UInt64 = 0

    var backlog: PublicationBacklog { amount(waiting) }

    /// All publications that a limit may drop. Removals of retained messages are never dropped.
    private var droppable: [StoredPublication] {
      waiting.filter { !($0.publication.isRetained && $0.publication.payload.isEmpty) }
    }

    private func amount(_ publications: [StoredPublication]) -> PublicationBacklog {
      PublicationBacklog(
        count: publications.count,
        bytes: publications.map(\.publication.byteCount).reduce(0, +))
    }

    mutating func append(_ publications: [PendingPublication], now: Date) -> PublicationChange {
      let first = lastNumber + 1
      var dropped = PublicationChange.Dropped()
      for publication in publications {
        lastNumber += 1
        if publication.byteCount > limits.bytes, !publication.payload.isEmpty {
          dropped.bytes += 1
        } else {
          waiting.append(StoredPublication(number: lastNumber, publication))
        }
      }
      let newest = publications.map(\.date).max().map { min($0, now) }
      while let oldest = droppable.first {
        let amount = amount(droppable)
        if let newest, newest.timeIntervalSince(oldest.publication.date) > limits.age / .seconds(1)
        {
          dropped.age += 1
        } else if amount.count > limits.count {
          dropped.count += 1
        } else if amount.bytes > limits.bytes {
          dropped.bytes += 1
        } else {
          break
        }
        waiting.removeAll { $0.number == oldest.number }
      }
      return PublicationChange(
        numbers: first..<lastNumber + 1, dropped: dropped, backlog: backlog)
    }

    func publications(after number: UInt64, count: Int, bytes: Int) -> [StoredPublication] {
      var (found, sum) = ([StoredPublication](), 0)
      for stored in waiting where stored.number > number {
        sum += stored.publication.byteCount
        guard found.count < count, sum <= bytes || found.isEmpty else { break }
        found.append(stored)
      }
      return found
    }
  }

  private static let start = Date(timeIntervalSince1970: 1_800_000_000)

  private static func publication(
    at seconds: Double, using random: inout SplitMix64
  ) -> PendingPublication {
    let isRemoval = Int.random(in: 0..<8, using: &random) == 0
    return PendingPublication(
      topic: random.pick(["a", "b", "c"]),
      payload: [UInt8](repeating: 7, count: isRemoval ? 0 : Int.random(in: 1...40, using: &random)),
      isRetained: isRemoval || Bool.random(using: &random), date: start + seconds)
  }

  @Test(
    "F55 a queue agrees with a plain one in every call", arguments: 1...40 as ClosedRange<UInt64>)
  func agreement(_ seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let limits = PublicationLimits(
      count: Int.random(in: 0...30, using: &random),
      age: .seconds(Int.random(in: 1...400, using: &random)),
      bytes: Int.random(in: 20...900, using: &random))
    var (queue, model) = (PublicationQueue(), Model(limits: limits))
    for step in 0..<300 {
      let now = Double(step)
      switch Int.random(in: 0..<40, using: &random) {
      case 0..<22:
        let added = (0..<Int.random(in: 0...4, using: &random)).map { _ in
          Self.publication(
            at: now + Double(Int.random(in: -30...30, using: &random)), using: &random)
        }
        let change = model.append(added, now: Self.start + now)
        #expect(
          queue.append(added, accuracy: .full, limits, now: Self.start + now) == change,
          "step \(step)")
      case 22..<39:
        let numbers = (0..<Int.random(in: 0...6, using: &random)).map { _ in
          UInt64.random(in: 0...model.lastNumber + 1, using: &random)
        }
        queue.remove(numbers)
        model.waiting.removeAll { numbers.contains($0.number) }
      default:
        queue.removeAll()
        model.waiting = []
      }
      #expect(queue.backlog == model.backlog, "step \(step)")
      #expect(queue.lastNumber == model.lastNumber, "step \(step)")
      let after = UInt64.random(in: 0...model.lastNumber + 1, using: &random)
      let count = Int.random(in: 0...20, using: &random)
      let bytes = Int.random(in: 0...300, using: &random)
      #expect(
        queue.publications(after: after, count: count, bytes: bytes)
          == model.publications(after: after, count: count, bytes: bytes), "step \(step)")
    }
  }

  @Test("F58 each topic with a message at the broker is listed once, until everything is removed")
  func retainedTopics() {
    var queue = PublicationQueue()
    func append(_ topic: String, _ payload: [UInt8], isRetained: Bool = true) {
      _ = queue.append(
        [
          PendingPublication(
            topic: topic, payload: payload, isRetained: isRetained, date: Self.start)
        ], accuracy: .full, PublicationLimits(), now: Self.start)
    }
    append("b", [1])
    append("a", [1])
    append("b", [2])
    append("c", [1], isRetained: false)
    #expect(queue.retainedTopics == ["a", "b"])
    // The broker has received these publications.
    queue.remove([1, 2, 3])
    #expect(queue.retainedTopics == ["a", "b"])
    queue.removeAll()
    #expect(queue.retainedTopics == [])
    // A waiting removal has the topic of a message that the broker may still have.
    append("d", [])
    #expect(queue.retainedTopics == ["d"])
    queue.remove([5])
    #expect(queue.retainedTopics == [])
  }

  @Test("F58 the accuracy is the highest since everything was removed")
  func accuracy() {
    var queue = PublicationQueue()
    #expect(queue.accuracy == nil)
    for (accuracy, expected) in [
      (AccuracyAuthorization.reduced, AccuracyAuthorization.reduced), (.full, .full),
      (.reduced, .full),
    ] {
      _ = queue.append([], accuracy: accuracy, PublicationLimits(), now: Self.start)
      #expect(queue.accuracy == expected)
    }
    queue.removeAll()
    #expect(queue.accuracy == nil)
  }
}
