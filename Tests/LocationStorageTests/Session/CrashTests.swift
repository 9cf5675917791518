import Foundation
import MockBackend
import TestSupport
import Testing

@testable import AsyncLocation
@testable import LocationStorage
@testable import monitor_writer

/// A process that is killed while it writes leaves a prefix of its commits.
@Suite(.inTurn)
struct CrashTests {
  static let rounds =
    ProcessInfo.processInfo.environment["ASYNC_LOCATION_CRASHES"].flatMap { Int($0) } ?? 20

  @Test("F49 F36 after kill -9 in the middle of commits, the file has a prefix of them")
  func killedFromOutside() async throws {
    let folder = try StorageFolder()
    let seed: UInt64 = 49
    var random = SplitMix64(seed: seed)
    var expected = Replay(seed: seed)
    for round in 1...Self.rounds {
      let writer = try WriterProcess("monitor-writer", [folder.path, "\(seed)"])
      var lines: [String] = []
      for _ in 0..<Int.random(in: 1...40, using: &random) {
        if let line = await writer.line() { lines.append(line) }
      }
      writer.kill()
      lines += await writer.finish()
      let acknowledged = lines.compactMap { Int($0) }.last ?? 0
      let stored = try await folder.storage.content()
      #expect(stored.problem == nil, "round \(round)")
      try expected.check(stored, acknowledged: acknowledged, "round \(round)")
    }
    print("F49: \(Self.rounds) times killed, \(expected.commits) commits, none lost or torn")
  }

  @Test("F36 F49 killed at each call that changes the disk", arguments: [false, true])
  func killedAtEachCall(tearsWrites: Bool) async throws {
    let commits = 6
    var (call, isEnded) = (0, false)
    while !isEnded {
      call += 1
      let folder = try StorageFolder(isInMemory: true)
      var arguments = [folder.path, "7", "\(commits)", "\(call)"]
      if tearsWrites { arguments.append("torn") }
      let lines = try await WriterProcess("monitor-writer", arguments).finish()
      isEnded = lines.last == "closed"
      var expected = Replay(seed: 7)
      let stored = try await folder.storage.content()
      #expect(stored.problem == nil, "call \(call)")
      try expected.check(
        stored, acknowledged: lines.compactMap { Int($0) }.last ?? 0, "call \(call)")
      // A file whose creation was interrupted is not set aside: the next creation removes it.
      #expect(!folder.names().contains { $0.contains("corrupt") }, "call \(call)")
    }
    #expect(call > 10, "the calls are not counted")
  }

  @Test("F49 F36 a commit is synchronized to the disk before it returns")
  func writtenToTheDisk() async throws {
    let folder = try StorageFolder()
    let lines = try await WriterProcess("monitor-writer", ["--syncs", folder.path]).finish()
    #expect(
      lines == [
        "add 1", "event 1", "candidate 0", "offer 0", "finish 0", "event 1", "discard 1",
        "remove 1", "replace 3",
      ])
  }

  @Test("F36 F37 killed while a damaged file is replaced")
  func killedWhileReplacing() async throws {
    let beginning = try await DamageTests.sample().bytes.prefix(100)
    var (call, isEnded) = (0, false)
    while !isEnded {
      call += 1
      let folder = try StorageFolder(isInMemory: true)
      let damaged = Array(beginning) + [UInt8](repeating: 7, count: 3_000)
      try folder.write(damaged, to: "m.sqlite")
      let lines = try await WriterProcess("monitor-writer", [folder.path, "7", "2", "\(call)"])
        .finish()
      isEnded = lines.last == "closed"
      var expected = Replay(seed: 7)
      let stored = try await folder.storage.content()
      try expected.check(
        stored, acknowledged: lines.compactMap { Int($0) }.last ?? 0, "call \(call)")
      let aside = folder.names().filter { $0.contains("corrupt") }
      try #require(aside.count == 1, "call \(call): \(folder.names())")
      #expect(try folder.bytes(aside[0]) == damaged)
    }
    #expect(call > 10, "the calls are not counted")
  }
}

/// Repeats the commits of a seed in memory, to check a content against them.
struct Replay {
  private var changes: RandomChanges
  private var content = MonitorContent()
  var commits: Int { changes.commits }

  init(seed: UInt64) { changes = RandomChanges(seed: seed) }

  /// Checks that a content is the one after the acknowledged commits, or after one more.
  mutating func check(
    _ stored: StoredMonitor, acknowledged: Int, _ comment: Comment
  ) throws {
    let count = try #require(RandomChanges.commits(in: stored), comment)
    #expect(count >= acknowledged, comment)
    #expect(count >= commits, comment)
    #expect(acknowledged == 0 || count <= acknowledged + 1, comment)
    while commits < count { content.apply(try changes.next()) }
    try #require(stored.sorted == content.stored.sorted, comment)
  }
}
