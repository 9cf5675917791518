import AsyncLocation
import Foundation
import MockBackend
import TestSupport
import Testing

@testable import AuthorizationPolicyFile

/// F36: whichever call fails or is the last one, the file is complete or unchanged.
@Suite(.blocking, .inTurn)
struct KeyFileFaultTests {
  enum Start: CaseIterable, Sendable { case noFolder, empty, sound, damaged, leftovers }

  static let faults: [@Sendable (Int) -> FaultyCalls.Fault] = [
    { .death($0) }, { .failure($0, number: ENOSPC) }, { .failure($0, number: EIO) },
    { .failure($0, number: EACCES) }, { .failure($0, number: EMFILE) },
    { .failure($0, number: ENOENT) }, { .failure($0, number: EEXIST) },
    { .failure($0, number: ENOLCK) },
  ]

  @Test(
    "F36: a crash at any call leaves the old or the new key", .longWork, arguments: Start.allCases,
    faults.indices)
  func oldOrNew(_ start: Start, _ fault: Int) throws {
    var random = SplitMix64(seed: 5)
    let sound = ReducedAccuracyKey(using: &random)
    var call = 0
    var hasInjectedFault = true
    while hasInjectedFault {
      try TestFolder.with { folder in
        let before = try prepare(start, in: folder, key: sound)
        let calls = FaultyCalls(Self.faults[fault](call))
        let result = Result {
          try #require(
            try KeyFile(path: folder.path("s/key"), calls: calls)
              .loadUnlessLocked(using: &random)
          ).key
        }
        hasInjectedFault = calls.hasInjectedFault
        if case .failure(let error) = result {
          #expect(error is LocationError)
          #expect("\(error)".contains("s/key"))
          #expect(hasInjectedFault)
        }
        // Other processes see no file, the old file or a complete new key.
        let contents = try? folder.contents("s/key")
        let storedKey = contents.flatMap { KeyFileFormat.decode($0) }
        #expect(contents == nil || contents == before || storedKey != nil)
        if start == .sound || start == .leftovers { #expect(storedKey == sound) }
        if case .success(let key) = result { #expect(storedKey == key) }
        if storedKey != nil { #expect(folder.mode("s/key") == 0o600) }
        // The next process recovers and removes leftovers.
        let next = try ReducedAccuracyKey.storedHere(at: folder.path("s/key"))
        if let storedKey { #expect(next == storedKey) }
        #expect(folder.mode("s") == 0o700)
        var names = Set(try FileManager.default.contentsOfDirectory(atPath: folder.path("s")))
        // A damaged file that was linked to its new name, but not removed, has two names.
        names.subtract(["key.corrupt", "key.corrupt-2"])
        // A leftover that cannot be removed is harmless; others are removed.
        if start == .leftovers, hasInjectedFault { names.remove(".key.new-0") }
        #expect(names == ["key"], "call \(call)")
      }
      call += 1
    }
    #expect(call > 4)
  }

  @Test func aKeyIsReadAndWrittenOneByteAtATime() throws {
    try TestFolder.with { folder in
      var random = SplitMix64(seed: 6)
      func load() throws -> ReducedAccuracyKey {
        try #require(
          try KeyFile(path: folder.path("key"), user: geteuid(), calls: FaultyCalls(.drip))
            .loadUnlessLocked(using: &random)
        ).key
      }
      let first = try load()
      #expect(try load() == first)
    }
  }

  /// Creates the files of a start. Returns the contents of the key's file; nil if there is none.
  private func prepare(
    _ start: Start, in folder: TestFolder, key sound: ReducedAccuracyKey
  ) throws -> [UInt8]? {
    guard start != .noFolder else { return nil }
    try FileManager.default.createDirectory(
      atPath: folder.path("s"), withIntermediateDirectories: false,
      attributes: [.posixPermissions: 0o700])
    switch start {
    case .noFolder, .empty: return nil
    case .damaged: try folder.write(Array("async-location reduced".utf8), "s/key")
    case .sound: try folder.write(KeyFileFormat.encode(sound), "s/key")
    case .leftovers:
      try folder.write(KeyFileFormat.encode(sound), "s/key")
      #expect(link(folder.path("s/key"), folder.path("s/.key.new-12ab")) == 0)
      try folder.write([1], "s/.key.new-0")
    }
    return try folder.contents("s/key")
  }
}
