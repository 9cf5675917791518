import AsyncLocation
import Foundation
import MockBackend
import TestSupport
import Testing

@testable import AuthorizationPolicyFile

@Suite(.blocking, .inTurn)
struct KeyFileTests {
  static func load(_ path: String) throws -> (key: ReducedAccuracyKey, notice: String?) {
    let key = try ReducedAccuracyKey.storedHere(at: path)
    return (key, key.notice)
  }

  @Test func aCreatedKeyIsReadAgain() throws {
    try TestFolder.with { folder in
      let first = try Self.load(folder.path("key"))
      let second = try Self.load(folder.path("key"))
      let other = try Self.load(folder.path("other"))
      #expect(first.key == second.key)
      #expect(first.key != other.key)
      #expect(first.notice == nil)
      #expect(second.notice == nil)
      #expect(folder.names() == ["key", "other"])
    }
  }

  @Test("F35: modes 0600 and 0700, missing folders are created")
  func modes() throws {
    try TestFolder.with { folder in
      _ = try Self.load(folder.path("a/b/c/key"))
      for name in ["a", "a/b", "a/b/c"] { #expect(folder.mode(name) == 0o700) }
      #expect(folder.mode("a/b/c/key") == 0o600)
    }
  }

  @Test("F35: a umask that masks the owner's bits changes nothing")
  func umask() throws {
    try TestFolder.with { folder in
      let calls = FaultyCalls(.masked)
      var random = SplitMix64(seed: 1)
      let key = try #require(
        try KeyFile(path: folder.path("a/key"), calls: calls)
          .loadUnlessLocked(using: &random)
      ).key
      #expect(folder.mode("a") == 0o700)
      #expect(folder.mode("a/key") == 0o600)
      #expect(try Self.load(folder.path("a/key")).key == key)
    }
  }

  @Test("F35: no symbolic link is followed")
  func symbolicLinks() throws {
    try TestFolder.with { folder in
      _ = try Self.load(folder.path("real"))
      let contents = try folder.contents("real")
      for target in ["real", "nowhere"] {
        try FileManager.default.createSymbolicLink(
          atPath: folder.path("key"), withDestinationPath: folder.path(target))
        let error = #expect(throws: LocationError.self) { try Self.load(folder.path("key")) }
        #expect(error?.message.contains("symbolic link") == true)
        try FileManager.default.removeItem(atPath: folder.path("key"))
      }
      #expect(try folder.contents("real") == contents)
      #expect(folder.names() == ["real"])
    }
  }

  @Test(
    "F35: a file open to other users is refused",
    arguments: [0o640, 0o604, 0o660, 0o644, 0o666, 0o610, 0o601])
  func permissions(_ mode: Int) throws {
    try TestFolder.with { folder in
      _ = try Self.load(folder.path("key"))
      let contents = try folder.contents("key")
      #expect(chmod(folder.path("key"), mode_t(mode)) == 0)
      let error = #expect(throws: LocationError.self) { try Self.load(folder.path("key")) }
      #expect(error?.message.contains("chmod 600 \(folder.path("key"))") == true)
      #expect(try folder.contents("key") == contents)
      #expect(chmod(folder.path("key"), 0o600) == 0)
      #expect(try Self.load(folder.path("key")).notice == nil)
    }
  }

  @Test("F35: a file of another user is refused")
  func owners() throws {
    try TestFolder.with { folder in
      let key = try Self.load(folder.path("key")).key
      var random = SplitMix64(seed: 1)
      func load(owner: UInt32) throws -> ReducedAccuracyKey {
        try #require(
          try KeyFile(path: folder.path("key"), user: 1_000, calls: FaultyCalls(.owner(owner)))
            .loadUnlessLocked(using: &random)
        ).key
      }
      #expect(try load(owner: 1_000) == key)
      #expect(try load(owner: 0) == key)
      let error = #expect(throws: LocationError.self) { try load(owner: 1_001) }
      #expect(error?.message.contains("belongs to user 1001") == true)
    }
  }

  @Test func nonRegularFilesAreRefused() throws {
    try TestFolder.with { folder in
      try FileManager.default.createDirectory(
        atPath: folder.path("folder"), withIntermediateDirectories: false)
      #expect(mkfifo(folder.path("pipe"), 0o600) == 0)
      for name in ["folder", "pipe"] {
        let error = #expect(throws: LocationError.self) { try Self.load(folder.path(name)) }
        #expect(error?.message.contains("not a regular file") == true)
      }
      #expect(folder.names() == ["folder", "pipe"])
    }
  }

  static let badPaths = [
    "", "/", ".", "..", "/tmp/", "/tmp/.", "/tmp/..", "/tmp/a\0b",
    "/tmp/" + String(repeating: "n", count: 201),
  ]

  /// The beginning of the file of a key.
  private static let damaged = Array("async-location reduced".utf8)

  @Test("F38: paths that name no file", arguments: badPaths)
  func paths(_ path: String) {
    #expect(throws: LocationError.self) { try Self.load(path) }
  }

  @Test("F37: flipped bits, truncation and extra bytes are detected", .longWork)
  func corruption() throws {
    var random = SplitMix64(seed: 2)
    let key = ReducedAccuracyKey(using: &random)
    let sound = KeyFileFormat.encode(key)
    #expect(KeyFileFormat.decode(sound) == key)
    for bit in 0..<sound.count * 8 {
      var flipped = sound
      flipped[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(KeyFileFormat.decode(flipped) == nil, "bit \(bit)")
    }
    for length in 0..<sound.count { #expect(KeyFileFormat.decode(Array(sound[..<length])) == nil) }
    for byte in [0, 10, 255] as [UInt8] { #expect(KeyFileFormat.decode(sound + [byte]) == nil) }
    #expect(KeyFileFormat.decode([UInt8](repeating: 0, count: sound.count)) == nil)
  }

  @Test("F37: a damaged key is renamed, replaced and reported")
  func setAside() throws {
    try TestFolder.with { folder in
      let first = try Self.load(folder.path("key")).key
      let sound = try folder.contents("key")
      let zeros = sound.map { _ in 0 as UInt8 }
      var namesSetAside: [String] = []
      for damaged in [[], Array(sound.dropLast()), [0] + sound.dropFirst(), zeros, sound + sound] {
        let suffix = namesSetAside.isEmpty ? "" : "-\(namesSetAside.count + 1)"
        namesSetAside.append("key.corrupt" + suffix)
        try folder.write(damaged, "key")
        let second = try Self.load(folder.path("key"))
        #expect(second.key != first)
        let aside = try #require(namesSetAside.last)
        #expect(second.notice?.contains("renamed to \(aside),") == true)
        #expect(try folder.contents(aside) == damaged)
        #expect(folder.names() == ["key"] + namesSetAside)
        #expect(folder.mode("key") == 0o600)
        let third = try Self.load(folder.path("key"))
        #expect(third.key == second.key)
        #expect(third.notice == nil)
      }
    }
  }

  @Test(
    "F69 another program's file is refused, and stays",
    arguments: ["-----BEGIN PRIVATE KEY-----\n", "async", "SQLite format 3\0", "x"])
  func anotherProgramsFile(_ text: String) throws {
    try TestFolder.with { folder in
      let contents = Array(text.utf8) + (text == "async" ? Array(repeating: 120, count: 90) : [])
      try folder.write(contents, "key")
      let error = #expect(throws: LocationError.self) { try Self.load(folder.path("key")) }
      #expect(error?.message.contains("another program") == true)
      #expect(folder.names() == ["key"])
      #expect(try folder.contents("key") == contents)
    }
  }

  @Test("Concurrent processes get the same key", .longWork, arguments: [false, true])
  func agreement(_ isCorrupt: Bool) throws {
    for _ in 0..<50 {
      try TestFolder.with { folder in
        if isCorrupt { try folder.write(Self.damaged, "a") }
        let path = folder.path("a")
        let keys = Locked<[ReducedAccuracyKey]>([])
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
          let key = try? ReducedAccuracyKey.storedHere(at: path)
          keys.withLock { if let key { $0.append(key) } }
        }
        let found = keys.withLock { $0 }
        #expect(found.count == 8)
        #expect(Set(found).count == 1)
        #expect(folder.names() == (isCorrupt ? ["a", "a.corrupt"] : ["a"]))
      }
    }
  }

  @Test("A process that loses the race uses the other's key and leaves no file")
  func overtaken() throws {
    try TestFolder.with { folder in
      var random = SplitMix64(seed: 3)
      let calls = FaultyCalls(.overtaken(folder.path("key")))
      let key = try #require(
        try KeyFile(path: folder.path("key"), calls: calls)
          .loadUnlessLocked(using: &random)
      ).key
      #expect(key == calls.rival)
      #expect(try Self.load(folder.path("key")).key == key)
      #expect(folder.names() == ["key"])
    }
  }

  @Test("A process that finds a damaged file locked waits for its repair, with a limit")
  func locked() async throws {
    try await TestFolder.whileAwaiting { folder in
      var random = SplitMix64(seed: 4)
      try folder.write(Self.damaged, "key")
      let calls = FaultyCalls(.locked(folder.path("key")))
      let loaded = try await KeyFile(path: folder.path("key"), calls: calls)
        .load(using: &random) { _ in calls.pause() }
      #expect(loaded.key == calls.rival)
      #expect(loaded.notice == nil)
      #expect(calls.pauses == 3)
      #expect(folder.names() == ["key", "key.corrupt"])
      #expect(try folder.contents("key.corrupt") == Self.damaged)

      try folder.write(Self.damaged, "key")
      // The other process cannot create a key at this path, so the file stays damaged.
      let stuck = FaultyCalls(.locked(folder.path("key/not")))
      let file = try KeyFile(path: folder.path("key"), user: geteuid(), calls: stuck)
      var waited = Duration.zero
      do throws(LocationError) {
        _ = try await file.load(using: &random) {
          waited += $0
          stuck.pause()
        }
        Issue.record("a key was made under somebody else's lock")
      } catch {
        #expect(error == file.lockError)
      }
      #expect((.seconds(2)..<(.seconds(3))).contains(waited))
      #expect(try folder.contents("key") == Self.damaged)
      // A cancelled caller stops waiting.
      do throws(LocationError) {
        _ = try await file.load(using: &random) { _ in throw CancellationError() }
        Issue.record("a key was made under somebody else's lock")
      } catch {
        #expect(error == file.lockError)
      }
    }
  }

  @Test("Examining reports the state and writes nothing")
  func examined() throws {
    try TestFolder.with { folder in
      func condition(_ name: String) throws -> KeyFile.Condition {
        try KeyFile(path: folder.path(name)).examine()
      }
      #expect(try condition("a/b/key") == .missing)
      #expect(try condition("key") == .missing)
      #expect(folder.names().isEmpty)
      try folder.write(Self.damaged, "key")
      #expect(try condition("key") == .damaged)
      #expect(try folder.contents("key") == Self.damaged)
      _ = try Self.load(folder.path("other"))
      #expect(try condition("other") == .intact)
      #expect(chmod(folder.path("other"), 0o644) == 0)
      #expect(throws: LocationError.self) { try condition("other") }
      #expect(folder.names() == ["key", "other"])
    }
  }

  @Test("Examining reports a key that cannot be created", arguments: [EACCES, EROFS])
  func examinedWithoutRights(_ number: Int32) throws {
    try TestFolder.with { folder in
      // The third call follows the look-ups of the folder and the file.
      let file = try KeyFile(
        path: folder.path("key"), user: geteuid(), calls: FaultyCalls(.failure(2, number: number)))
      let error = #expect(throws: LocationError.self) { try file.examine() }
      #expect(error?.message.contains("Cannot create") == true)
    }
  }

  @Test func theStandardPathIsInTheStateDirectory() throws {
    typealias Key = ReducedAccuracyKey
    let name = "/async-location/reduced-accuracy.key"
    #expect(try Key.standardPath(in: ["XDG_STATE_HOME": "/s", "HOME": "/h"]) == "/s" + name)
    #expect(try Key.standardPath(in: ["HOME": "/h"]) == "/h/.local/state" + name)
    #expect(
      try Key.standardPath(in: ["XDG_STATE_HOME": "s", "HOME": "/h"]) == "/h/.local/state" + name)
    for environment in [[:], ["HOME": ""], ["HOME": "h", "XDG_STATE_HOME": ""]] {
      let error = #expect(throws: LocationError.self) { try Key.standardPath(in: environment) }
      #expect(error?.message.contains("HOME") == true)
    }
  }
}
