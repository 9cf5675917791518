import AsyncLocation
import Foundation
import MockBackend
import TestSupport
import Testing

@testable import LocationStorage

/// Each call of a session, with the storage in memory and with a file.
@Suite(.inTurn)
struct PublicationSessionTests {
  typealias Kind = PublicationBench.Kind

  @Test(
    "F55 what was appended is read in order, as it was, also after a restart",
    arguments: Kind.allCases)
  func roundTrip(_ kind: Kind) async throws {
    let bench = try PublicationBench(kind)
    let sent = [
      publication("{\"lat\":47.1}"), publication("", isRetained: true),
      publication("\0'\u{1F4CD}", at: -0.123_456_789, topic: "a/'ä'/\u{6E2F}"),
      PendingPublication(
        topic: String(repeating: "t", count: 65_535), payload: (0...255).map { UInt8($0) },
        date: PublicationBench.start + 1e9),
    ]
    let (session, stored) = try await bench.open()
    #expect(stored == StoredPublications())
    let change = try await session.append(sent)
    let bytes = sent.map(\.byteCount).reduce(0, +)
    #expect(change.numbers == 1..<5)
    #expect(change.dropped.total == 0)
    #expect(change.problem == nil)
    #expect(change.backlog == PublicationBacklog(count: 4, bytes: bytes))
    await session.close()
    let (storedAfterReopening, kept) = try await bench.content()
    #expect(
      storedAfterReopening
        == StoredPublications(
          backlog: change.backlog, lastNumber: 4, accuracy: .full, retainedTopics: [sent[1].topic]))
    #expect(kept.map(\.number) == [1, 2, 3, 4])
    #expect(kept.map(\.publication) == sent)
  }

  @Test("F55 a read begins after a number and keeps its bounds", arguments: Kind.allCases)
  func reading(_ kind: Kind) async throws {
    let bench = try PublicationBench(kind)
    let (session, _) = try await bench.open()
    #expect(try await session.numbers() == [])
    _ = try await session.append([10, 20, 30, 40, 50].map { publication(bytes: $0) })
    let table: [(after: UInt64, count: Int, bytes: Int, numbers: [UInt64])] = [
      (0, .max, .max, [1, 2, 3, 4, 5]), (0, 2, .max, [1, 2]), (2, 2, .max, [3, 4]),
      (4, 9, .max, [5]), (5, 9, .max, []), (.max, 9, .max, []), (0, 0, .max, []), (0, -1, 9, []),
      (0, 9, 60, [1, 2, 3]), (0, 9, 59, [1, 2]), (1, 9, 0, [2]), (1, 9, -1, [2]), (3, 1, 500, [4]),
    ]
    for (after, count, bytes, numbers) in table {
      let found = try await session.publications(after: after, count: count, bytes: bytes)
      #expect(found.map(\.number) == numbers, "\(after), \(count), \(bytes)")
    }
    await session.close()
  }

  @Test(
    "F55 acknowledgements in any order remove their publications only", arguments: Kind.allCases)
  func removal(_ kind: Kind) async throws {
    let bench = try PublicationBench(kind)
    let (session, _) = try await bench.open()
    _ = try await session.append((1...6).map { publication(bytes: $0 * 10) })
    let rest = try await session.remove([5, 2, 2, 0, 99, .max])
    #expect(rest == PublicationBacklog(count: 4, bytes: 140))
    #expect(try await session.numbers() == [1, 3, 4, 6])
    #expect(try await session.remove([]) == rest)
    #expect(try await session.remove([2, 5]) == rest)
    #expect(try await session.remove([1, 3, 4, 6]) == PublicationBacklog())
    await session.close()
    let (stored, kept) = try await bench.content()
    #expect(kept.isEmpty)
    #expect(stored == StoredPublications(lastNumber: 6, accuracy: .full))
  }

  @Test("F55 a number is never used twice", arguments: Kind.allCases)
  func numbers(_ kind: Kind) async throws {
    let bench = try PublicationBench(kind)
    var last: UInt64 = 0
    for round in 0..<6 {
      let (session, stored) = try await bench.open()
      #expect(stored.lastNumber == last)
      let change = try await session.append([publication("a"), publication("b")])
      #expect(change.numbers == last + 1..<last + 3, "round \(round)")
      last += 2
      if round % 2 == 0 { try await session.remove([last - 1, last]) }
      if round % 3 == 0 { try await session.removeAll() }
      #expect(try await session.append([publication("c")]).numbers == last + 1..<last + 2)
      last += 1
      await session.close()
    }
  }

  @Test(
    "F58 the topics of retained messages are kept until everything is deleted",
    arguments: Kind.allCases)
  func retainedTopics(_ kind: Kind) async throws {
    let bench = try PublicationBench(kind)
    func message(_ topic: String, _ text: String = "x", isRetained: Bool = true)
      -> PendingPublication
    {
      publication(text, topic: topic, isRetained: isRetained)
    }
    func expect(_ topics: [String]) async throws {
      #expect(try await bench.content().0.retainedTopics == topics)
    }
    let (session, _) = try await bench.open(PublicationLimits(count: 2))
    _ = try await session.append([
      message("a"), message("b", isRetained: false), message("c", ""), message("a"),
    ])
    _ = try await session.append([message("d"), message("a"), message("e"), message("f", "")])
    // The broker may have messages that were removed or dropped. The removal of "c" waits.
    try await session.remove([5, 6, 7, 8])
    await session.close()
    try await expect(["a", "c", "d", "e"])
    let (reopened, _) = try await bench.open()
    _ = try await reopened.append([message("g")])
    try await reopened.removeAll(then: [message("a", ""), message("h")])
    await reopened.close()
    try await expect(["a", "h"])
    let (last, _) = try await bench.open()
    _ = try await last.append([message("a"), message("h")])
    await last.close()
    try await expect(["a", "h"])
  }

  @Test("F58 no limit drops a removal", arguments: Kind.allCases)
  func removalsHaveNoLimit(_ kind: Kind) async throws {
    let limits = [
      PublicationLimits(count: 0), PublicationLimits(age: .zero), PublicationLimits(bytes: 0),
    ]
    for limits in limits {
      let bench = try PublicationBench(kind)
      let (session, _) = try await bench.open(limits)
      let removal = publication("", topic: "boat", isRetained: true)
      #expect(try await session.removeAll(then: [removal]).backlog.count == 1)
      let change = try await session.append([publication("a")])
      #expect(change.backlog.count == 1, "\(limits)")
      #expect(change.dropped.total == 1, "\(limits)")
      await session.close()
    }
    // A removal does not displace another publication either.
    for limits in [
      PublicationLimits(count: 1), PublicationLimits(bytes: publication("a").byteCount),
    ] {
      let bench = try PublicationBench(kind)
      var (session, _) = try await bench.open(limits)
      _ = try await session.removeAll(then: [publication("", topic: "boat", isRetained: true)])
      for text in ["a", "b"] {
        let change = try await session.append([publication(text)])
        #expect(change.backlog.count == 2)
        #expect(change.dropped.total == (text == "a" ? 0 : 1))
        // The same applies to a removal of an earlier run.
        await session.close()
        session = try await bench.open(limits).0
      }
      try await session.remove([1])
      #expect(try await session.append([publication("c")]).backlog.count == 1)
      await session.close()
    }
  }

  @Test(
    "F58 the highest accuracy is kept until everything is deleted", arguments: Kind.allCases)
  func accuracy(_ kind: Kind) async throws {
    let bench = try PublicationBench(kind)
    func reopened() async throws -> AccuracyAuthorization? { try await bench.content().0.accuracy }
    func change(_ body: (any PublicationSession) async throws -> Void) async throws {
      let (session, _) = try await bench.open()
      try await body(session)
      await session.close()
    }
    #expect(try await reopened() == nil)
    for (accuracy, kept) in [
      (AccuracyAuthorization.reduced, AccuracyAuthorization.reduced),
      (.full, .full), (.reduced, .full),
    ] {
      try await change { _ = try await $0.append([publication("a")], accuracy: accuracy) }
      #expect(try await reopened() == kept)
    }
    // The broker may have publications that were removed.
    try await change { try await $0.remove([1, 2, 3]) }
    #expect(try await reopened() == .full)
    try await change { session in
      let change = try await session.removeAll(then: [publication("", isRetained: true)])
      #expect(change.numbers == 4..<5)
      #expect(change.backlog.count == 1)
    }
    #expect(try await reopened() == nil)
    #expect(try await bench.content().1.map(\.number) == [4])
    try await change { _ = try await $0.append([publication("a")], accuracy: .reduced) }
    #expect(try await reopened() == .reduced)
  }

  struct Drop: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var limits = PublicationLimits()
    /// The bytes and seconds of the waiting publications, and of those that are appended.
    var waiting: [(bytes: Int, at: Double)] = []
    var added: [(bytes: Int, at: Double)]
    /// The system's clock at the open, and the time until the append by the storage's clock.
    var date = 0.0
    var elapsed = 0.0
    let numbers: [UInt64]
    var dropped = PublicationChange.Dropped()
  }

  static let week = 7 * 86_400.0
  static let drops = [
    Drop(
      testDescription: "the oldest beyond the count go", limits: PublicationLimits(count: 2),
      waiting: [(10, 0), (10, 1)], added: [(10, 2)], numbers: [2, 3], dropped: .init(count: 1)),
    Drop(
      testDescription: "a batch beyond the count is cut", limits: PublicationLimits(count: 2),
      waiting: [(10, 0)], added: [(10, 1), (10, 2), (10, 3)], numbers: [3, 4],
      dropped: .init(count: 2)),
    Drop(
      testDescription: "the oldest beyond the bytes go", limits: PublicationLimits(bytes: 30),
      waiting: [(10, 0), (10, 1), (5, 2)], added: [(20, 3)], numbers: [3, 4],
      dropped: .init(bytes: 2)),
    Drop(
      testDescription: "one that is too large goes alone", limits: PublicationLimits(bytes: 30),
      waiting: [(10, 0), (10, 1)], added: [(31, 2), (10, 3)], numbers: [1, 2, 4],
      dropped: .init(bytes: 1)),
    Drop(
      testDescription: "the exact limits are within",
      limits: PublicationLimits(count: 3, bytes: 30),
      waiting: [(10, 0), (10, 1)], added: [(10, 2)], numbers: [1, 2, 3]),
    Drop(
      testDescription: "no limit of count keeps nothing", limits: PublicationLimits(count: 0),
      waiting: [], added: [(10, 2)], numbers: [], dropped: .init(count: 1)),
    Drop(
      testDescription: "a negative limit keeps nothing", limits: PublicationLimits(count: -1),
      waiting: [], added: [(10, 2)], numbers: [], dropped: .init(count: 1)),
    Drop(
      testDescription: "no limit of bytes keeps nothing", limits: PublicationLimits(bytes: 0),
      waiting: [], added: [(10, 2)], numbers: [], dropped: .init(bytes: 1)),
    Drop(
      testDescription: "no age keeps nothing", limits: PublicationLimits(age: .seconds(-1)),
      waiting: [], added: [(10, 2)], numbers: [], dropped: .init(age: 1)),
    Drop(
      testDescription: "an endless age keeps everything",
      limits: PublicationLimits(age: .seconds(Int64.max)),
      waiting: [(10, -1e10)], added: [(10, 2)], numbers: [1, 2]),
    Drop(
      testDescription: "what is older than the age goes", waiting: [(10, -1), (10, 0), (10, 1)],
      added: [(10, week)], elapsed: week, numbers: [2, 3, 4], dropped: .init(age: 1)),
    Drop(
      testDescription: "a batch of old ones is kept: its newest is the measure",
      waiting: [], added: [(10, -2 * week), (10, -1.5 * week)], numbers: [1, 2]),
    Drop(
      testDescription: "the system's clock alone deletes nothing", waiting: [(10, 0)],
      added: [(10, 1)], date: 100 * week, numbers: [1, 2]),
    Drop(
      testDescription: "a date that is still to come deletes nothing", waiting: [(10, 0)],
      added: [(10, 100 * week)], numbers: [1, 2]),
    Drop(
      testDescription: "a date that is still to come counts as new", waiting: [(10, 100 * week)],
      added: [(10, 2 * week)], date: 2 * week, numbers: [1, 2]),
    Drop(
      testDescription: "a clock that was set back deletes nothing",
      waiting: [(10, 0), (10, 1)], added: [(10, -50 * week)], date: -50 * week,
      numbers: [1, 2, 3]),
    Drop(
      testDescription: "the order is that of the numbers", waiting: [(10, 0), (10, -2 * week)],
      added: [(10, 1)], date: 1, numbers: [1, 2, 3]),
    Drop(
      testDescription: "each drop is counted once",
      limits: PublicationLimits(count: 2, age: .seconds(100), bytes: 25),
      waiting: [(10, -101), (10, 0), (10, 0)], added: [(10, 0), (20, 0)], numbers: [5],
      dropped: .init(count: 2, age: 1, bytes: 1)),
    Drop(
      testDescription: "without a publication the count and the bytes count",
      limits: PublicationLimits(count: 1), waiting: [(10, -100 * week), (10, -100 * week)],
      added: [], numbers: [2], dropped: .init(count: 1)),
  ]

  @Test("F55 the oldest beyond a limit are dropped and counted", arguments: drops, Kind.allCases)
  func limits(_ drop: Drop, _ kind: Kind) async throws {
    let bench = try PublicationBench(kind)
    // An open deletes nothing, whatever its limits are.
    let (first, _) = try await bench.open(
      PublicationLimits(count: .max, age: .seconds(1 << 40), bytes: .max))
    if !drop.waiting.isEmpty {
      _ = try await first.append(drop.waiting.map { publication(bytes: $0.bytes, at: $0.at) })
    }
    await first.close()
    bench.setDate(drop.date)
    let (session, stored) = try await bench.open(drop.limits)
    #expect(stored.backlog.count == drop.waiting.count)
    bench.clock.advance(by: .seconds(drop.elapsed))
    let change = try await session.append(
      drop.added.map { publication(bytes: $0.bytes, at: $0.at) })
    #expect(change.dropped == drop.dropped)
    #expect(change.numbers.count == drop.added.count)
    let kept = try await session.publications(after: 0, count: .max, bytes: .max)
    #expect(kept.map(\.number) == drop.numbers)
    let bytes = kept.map(\.publication.byteCount).reduce(0, +)
    #expect(change.backlog == PublicationBacklog(count: kept.count, bytes: bytes))
    await session.close()
    #expect(try await bench.open().1.backlog == change.backlog)
  }

  @Test("F55 a clock that is set while the storage is open has no effect", arguments: Kind.allCases)
  func clockIsSet(_ kind: Kind) async throws {
    let bench = try PublicationBench(kind)
    let (session, _) = try await bench.open()
    _ = try await session.append([publication("a")])
    bench.setDate(100 * Self.week)
    _ = try await session.append([publication("b", at: 100 * Self.week)])
    #expect(try await session.numbers() == [1, 2])
    bench.clock.advance(by: .seconds(8 * 86_400))
    _ = try await session.append([publication("c", at: 100 * Self.week)])
    #expect(try await session.numbers() == [2, 3])
    await session.close()
  }

  @Test("F58 after a revocation nothing waits", arguments: Kind.allCases)
  func removeAll(_ kind: Kind) async throws {
    let bench = try PublicationBench(kind)
    let (session, _) = try await bench.open()
    try await session.removeAll()
    _ = try await session.append((1...100).map { publication("\($0)") })
    try await session.removeAll()
    #expect(try await session.numbers() == [])
    let change = try await session.append([publication("new")])
    #expect(change.numbers == 101..<102)
    #expect(change.backlog.count == 1)
    #expect(change.problem == nil)
    try await session.removeAll()
    await session.close()
    let (stored, kept) = try await bench.content()
    #expect(kept.isEmpty)
    #expect(stored == StoredPublications(lastNumber: 101))
  }

  @Test("F50 one session is open, until it is closed or released", arguments: Kind.allCases)
  func inUse(_ kind: Kind) async throws {
    let bench = try PublicationBench(kind)
    do {
      let (session, _) = try await bench.open()
      let error = await #expect(throws: LocationError.self) { _ = try await bench.open() }
      #expect(error?.code == .storageUnavailable)
      #expect(error?.message.contains("open in another publisher") == true)
      _ = try await session.append([publication("a")])
      try await session.removeAll()
      await #expect(throws: LocationError.self) { _ = try await bench.open() }
      _ = try await session.append([publication("b")])
    }
    let (session, stored) = try await bench.open()
    #expect(stored.backlog.count == 1)
    await session.close()
    _ = try await bench.content()
  }

  @Test("a closed session refuses every call", arguments: Kind.allCases)
  func closed(_ kind: Kind) async throws {
    let bench = try PublicationBench(kind)
    let (session, _) = try await bench.open()
    _ = try await session.append([publication("a")])
    await session.close()
    let calls: [() async throws -> Void] = [
      { _ = try await session.append([publication("b")]) },
      { _ = try await session.numbers() },
      { try await session.remove([1]) },
      { try await session.removeAll() },
    ]
    for call in calls {
      let error = await #expect(throws: LocationError.self) { try await call() }
      #expect(error?.code == .storageUnavailable)
      #expect(error?.message.contains("closed") == true)
    }
    #expect(try await bench.content().1.count == 1)
  }

  static let invalid = [
    publication("a", topic: ""), publication("a", topic: "a\0b"),
    publication("a", topic: String(repeating: "t", count: 65_536)),
    publication("a", at: 1e15), publication("a", at: -1e15), publication("a", at: .nan),
    PendingPublication(
      topic: "t", payload: [UInt8](repeating: 0, count: 268_435_456),
      date: PublicationBench.start),
  ]

  @Test("a publication that no broker accepts is refused with its batch", arguments: Kind.allCases)
  func invalidPublications(_ kind: Kind) async throws {
    let bench = try PublicationBench(kind)
    let (session, _) = try await bench.open()
    for publication in Self.invalid {
      let error = await #expect(throws: LocationError.self) {
        _ = try await session.append([LocationStorageTests.publication("good"), publication])
      }
      #expect(error?.code == .invalidValue)
    }
    #expect(try await session.numbers() == [])
    await session.close()
  }

  @Test("F55 memory and a file agree in every call", arguments: 1...20 as ClosedRange<UInt64>)
  func agreement(_ seed: UInt64) async throws {
    var random = SplitMix64(seed: seed)
    let benches = try Kind.allCases.map { try PublicationBench($0) }
    let limits = PublicationLimits(
      count: Int.random(in: 1...40, using: &random),
      age: .seconds(Int.random(in: 10...1_000, using: &random)),
      bytes: Int.random(in: 100...4_000, using: &random))
    var sessions: [any PublicationSession] = []
    for bench in benches { sessions.append(try await bench.open(limits).0) }
    var last: UInt64 = 0
    for step in 0..<200 {
      switch Int.random(in: 0..<20, using: &random) {
      case 0..<10:
        let count = Int.random(in: 0...8, using: &random)
        let added = (0..<count).map { _ in
          publication(
            bytes: Int.random(in: 1...300, using: &random),
            at: Double(step * 20 + Int.random(in: -50...50, using: &random)))
        }
        let change = try await sessions[0].append(added)
        #expect(try await sessions[1].append(added) == change, "step \(step)")
        last = change.numbers.upperBound - 1
      case 10..<18:
        let count = Int.random(in: 0...12, using: &random)
        let numbers = (0..<count).map { _ in
          UInt64.random(in: (last > 30 ? last - 30 : 0)...last + 1, using: &random)
        }
        let rest = try await sessions[0].remove(numbers)
        #expect(try await sessions[1].remove(numbers) == rest, "step \(step)")
      case 18:
        for bench in benches { bench.clock.advance(by: .seconds(20)) }
      default:
        if Int.random(in: 0..<4, using: &random) == 0 {
          for session in sessions { try await session.removeAll() }
        }
        for index in sessions.indices {
          await sessions[index].close()
          benches[index].setDate(Double(step * 20))
          let (session, stored) = try await benches[index].open(limits)
          #expect(stored.lastNumber == last, "step \(step)")
          sessions[index] = session
        }
      }
      let after = UInt64.random(in: 0...last + 1, using: &random)
      let (count, bytes) = (
        Int.random(in: 0...20, using: &random), Int.random(in: 0...900, using: &random)
      )
      let found = try await sessions[0].publications(after: after, count: count, bytes: bytes)
      #expect(
        try await sessions[1].publications(after: after, count: count, bytes: bytes) == found,
        "step \(step)")
    }
    for session in sessions { await session.close() }
  }
}
