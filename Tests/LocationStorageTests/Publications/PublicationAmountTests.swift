import AsyncLocation
import Foundation
import MockBackend
import TestSupport
import Testing

@testable import LocationStorage

/// As many publications as the limits allow.
@Suite(.inTurn)
struct PublicationAmountTests {
  @Test(
    "F55 100,000 publications wait, and are read and removed in order",
    arguments: PublicationBench.Kind.allCases)
  func manyPublications(_ kind: PublicationBench.Kind) async throws {
    let bench = try PublicationBench(kind)
    let count = 100_000
    let (session, _) = try await bench.open(PublicationLimits(count: count))
    var change: PublicationChange?
    for batch in 0..<101 {
      let added = (1...1_000).map { publication("\(batch * 1_000 + $0)") }
      change = try await session.append(added)
      #expect(change?.dropped.count == (batch < 100 ? 0 : 1_000))
    }
    #expect(change?.backlog.count == count)
    await session.close()
    let (reopened, stored) = try await bench.open(PublicationLimits(count: count))
    #expect(stored.backlog == change?.backlog)
    #expect(stored.lastNumber == 101_000)
    var last: UInt64 = 1_000
    while true {
      let found = try await reopened.publications(after: 0, count: 2_500, bytes: .max)
      guard !found.isEmpty else { break }
      for stored in found {
        last += 1
        guard stored.number == last, stored.publication.payload == Array("\(last)".utf8) else {
          Issue.record("\(stored) instead of \(last)")
          break
        }
      }
      try await reopened.remove(found.map(\.number).shuffled())
    }
    #expect(last == 101_000)
    #expect(try await reopened.remove([]) == PublicationBacklog())
    await reopened.close()
  }

  @Test("F55 a file gives its space back when nothing waits any more")
  func space() async throws {
    let bench = try PublicationBench()
    let (session, _) = try await bench.open()
    for _ in 0..<10 {
      _ = try await session.append((0..<10).map { _ in publication(bytes: 100_000) })
    }
    await session.close()
    #expect(try bench.folder.bytes("q.sqlite").count > 9_000_000)
    let (half, _) = try await bench.open()
    try await half.remove((1...99).map { UInt64($0) })
    await half.close()
    #expect(try bench.folder.bytes("q.sqlite").count < 200_000)
    let (reopened, _) = try await bench.open()
    try await reopened.remove([100])
    #expect(try await reopened.append([publication("new")]).numbers == 101..<102)
    await reopened.close()
    #expect(try bench.folder.bytes("q.sqlite").count < 65_536)
    #expect(try await bench.content().1.map(\.number) == [101])
  }
}
