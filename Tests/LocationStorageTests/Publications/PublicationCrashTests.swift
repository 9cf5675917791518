import AsyncLocation
import Foundation
import MockBackend
import TestSupport
import Testing

@testable import LocationStorage
@testable import monitor_writer

/// A process that is killed while it writes loses no stored publication and leaves none incomplete.
@Suite(.inTurn)
struct PublicationCrashTests {
  /// The content that the output of killed processes requires of the file.
  struct Promise {
    /// The last number of the appends that returned.
    private var last: UInt64 = 0
    /// The last number that was removed, and the last number that may have been removed.
    private var (removed, removing): (UInt64, UInt64) = (0, 0)

    mutating func read(_ lines: [String]) {
      for line in lines {
        let words = line.split(separator: " ")
        guard words.count == 2, let number = UInt64(words[1]) else { continue }
        switch words[0] {
        case "open", "added": last = number
        case "removing": removing = max(removed, number)
        case "removed": removed = max(removed, number)
        default: Issue.record("unknown line \(line)")
        }
      }
    }

    mutating func check(_ bench: PublicationBench, _ comment: Comment) async throws {
      let (stored, kept) = try await bench.content()
      #expect(stored.problem == nil, comment)
      #expect(!bench.folder.names().contains { $0.contains("corrupt") }, comment)
      let next = PublicationWriter.batch(after: last).upperBound
      try #require([last, next].contains(stored.lastNumber), comment)
      let numbers = kept.map(\.number)
      let possible = [removed, removing].map { Array($0 + 1..<stored.lastNumber + 1) }
      try #require(possible.contains(numbers), comment)
      for stored in kept {
        #expect(stored.publication == PublicationWriter.publication(stored.number), comment)
      }
      last = stored.lastNumber
      removed = numbers.first.map { $0 - 1 } ?? last
      removing = removed
    }
  }

  @Test("F55 F36 after kill -9 at any moment, the stored publications are complete")
  func killedFromOutside() async throws {
    let bench = try PublicationBench(isInMemory: false)
    var random = SplitMix64(seed: 55)
    var promise = Promise()
    for round in 1...CrashTests.rounds {
      let writer = try WriterProcess("monitor-writer", ["--publications", bench.path, "none"])
      var lines: [String] = []
      for _ in 0..<Int.random(in: 1...60, using: &random) {
        if let line = await writer.line() { lines.append(line) }
      }
      writer.kill()
      promise.read(await lines + writer.finish())
      try await promise.check(bench, "round \(round)")
    }
  }

  @Test("F55 F36 killed at each call that changes the disk", arguments: [false, true])
  func killedAtEachCall(tearsWrites: Bool) async throws {
    var (call, isEnded) = (0, false)
    while !isEnded {
      call += 1
      let bench = try PublicationBench()
      let lines = try await WriterProcess(
        "monitor-writer",
        ["--publications", bench.path, "10", "\(call)"] + (tearsWrites ? ["torn"] : [])
      ).finish()
      isEnded = lines.last == "closed"
      var promise = Promise()
      promise.read(lines.filter { $0 != "closed" })
      try await promise.check(bench, "call \(call)")
    }
    #expect(call > 40, "the calls are not counted")
  }

  @Test(
    "F65 a process that is killed while it deletes leaves a removal, or has deleted nothing",
    arguments: [false, true])
  func killedWhileDeleting(tearsWrites: Bool) async throws {
    var (call, isEnded, removals) = (0, false, 0)
    while !isEnded {
      call += 1
      let bench = try PublicationBench()
      let lines = try await WriterProcess(
        "monitor-writer",
        ["--publication-removal", bench.path, "0", "\(call)"] + (tearsWrites ? ["torn"] : [])
      ).finish()
      isEnded = lines.last == "closed"
      guard lines.contains("removing") else { continue }
      let (stored, waiting) = try await bench.content()
      #expect(stored.retainedTopics == [PublicationWriter.removedTopic], "call \(call)")
      #expect(stored.lastNumber == waiting.first?.number, "call \(call)")
      #expect(waiting.map(\.publication.topic) == [PublicationWriter.removedTopic])
      if waiting.first?.publication.isRemoval == true { removals += 1 }
    }
    #expect(removals > 5, "the calls are not counted")
  }

  @Test("F50 the files are the owner's, and another process finds them in use")
  func anotherProcess() async throws {
    let bench = try PublicationBench(isInMemory: false)
    let writer = try WriterProcess(
      "monitor-writer", ["--publications", bench.path, "none"], umask: "000")
    #expect(await writer.line() == "open 0")
    #expect(await writer.line() == "added 1")
    let error = await #expect(throws: LocationError.self) { _ = try await bench.open() }
    #expect(error?.message.contains("\(bench.path) is open in another publisher") == true)
    // The writer could remove files before their modes are read.
    writer.kill()
    _ = await writer.finish()
    for name in bench.folder.names() { #expect(bench.folder.mode(name) == 0o600, "\(name)") }
    #expect(try await bench.content().0.lastNumber > 0)
  }

  @Test("F55 F36 appends are written through to the disk at most once a second")
  func writtenToTheDisk() async throws {
    let folder = try StorageFolder()
    let lines = try await WriterProcess(
      "monitor-writer", ["--publication-syncs", folder("q.sqlite")]
    )
    .finish()
    #expect(
      lines == [
        "append after 999 ms: 0", "append after 1 s: 1", "append after 1 s: 0",
        "append after 3 s: 1", "remove after 5 s: 0",
      ])
  }
}
