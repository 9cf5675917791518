import AsyncLocation
import Foundation
import MockBackend
import TestSupport
import Testing

@testable import LocationStorage
@testable import monitor_writer

/// The file of a cache: access, files of other programs, damage, and processes that end.
@Suite(.inTurn)
struct CacheFileTests {
  private let folder: CacheFolder

  init() throws { folder = try CacheFolder() }

  @Test("F35 the files are the owner's, and a link is not followed")
  func access() async throws {
    let cache = try await folder.open(server())
    _ = try await cache.geocode("Vaduz")
    await cache.waitUntilStored()
    for name in folder.folder.names() { #expect(folder.folder.mode(name) == 0o600, "\(name)") }
    await cache.close()
    try FileManager.default.moveItem(atPath: folder.path, toPath: folder.folder("other"))
    try FileManager.default.createSymbolicLink(
      atPath: folder.path, withDestinationPath: folder.folder("other"))
    let error = await #expect(throws: LocationError.self) { _ = try await folder.open() }
    #expect(error?.code == .storageUnavailable)
    #expect(error?.message.contains("link") == true)
  }

  @Test("F51 a sound database of something else is refused, and stays as it is")
  func foreignFiles() async throws {
    try DamageTests.execute("CREATE TABLE note (text); PRAGMA user_version = 7", in: folder.path)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder.path)
    let notes = try folder.folder.bytes("places.sqlite")
    let error = await #expect(throws: LocationError.self) { _ = try await folder.open() }
    #expect(error?.code == .unsupported)
    #expect(error?.message.contains("not the file of a geocoding cache") == true)
    #expect(try folder.folder.bytes("places.sqlite") == notes)
    #expect(!folder.folder.names().contains { $0.contains("corrupt") })
  }

  @Test("F51 a monitor and a cache refuse each other's files")
  func filesOfTheOther() async throws {
    let cache = try await folder.open(server())
    _ = try await cache.geocode("Vaduz")
    await cache.close()
    let monitors = SQLiteMonitorStorage(file: folder.path)
    let error = await #expect(throws: LocationError.self) { _ = try await monitors.open("m") }
    #expect(error?.code == .unsupported)
    #expect(try await folder.open().statistics.entries == 1)
  }

  @Test("F50 one cache has the file, and the next one after it is closed")
  func inUse() async throws {
    let first = try await folder.open(server())
    let error = await #expect(throws: LocationError.self) { _ = try await folder.open() }
    #expect(error?.code == .storageUnavailable)
    #expect(error?.message.contains("\(folder.path) is open in another cache") == true)
    _ = try await first.geocode("Vaduz")
    await first.close()
    #expect(try await folder.open().statistics.entries == 1)
  }

  @Test("F51 with any bit flipped, a file is read completely, or set aside and reported")
  func damage() async throws {
    let first = try await folder.open(server())
    for name in ["a", "b", "c"] { _ = try await first.geocode(name) }
    await first.close()
    let bytes = try folder.folder.bytes("places.sqlite")
    var random = SplitMix64(seed: 51)
    for round in 0..<200 {
      var damaged = bytes
      if round % 4 == 0 {
        damaged.removeLast(Int.random(in: 1...bytes.count, using: &random))
      } else {
        let index = Int.random(in: 0..<bytes.count, using: &random)
        damaged[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      }
      try folder.folder.removeAll()
      try folder.folder.write(damaged, to: "places.sqlite")
      let cache = try await folder.open()
      let aside = folder.folder.names().filter { $0.contains("corrupt") }
      if let problem = cache.storageProblem {
        #expect(problem.code == .storageUnavailable)
        #expect(cache.statistics.entries == 0)
        #expect(aside.count == 1, "round \(round)")
        if let aside = aside.first { #expect(try folder.folder.bytes(aside) == damaged) }
      } else {
        #expect(aside.isEmpty, "round \(round)")
        #expect(cache.statistics.entries == 3, "round \(round)")
        for name in ["a", "b", "c"] { #expect(try await cache.geocode(name)[0].name == name) }
      }
      await cache.close()
    }
  }

  @Test("F51 a file of a later version is refused, and stays as it is")
  func laterVersion() async throws {
    var file = try SQLiteGeocodingStorage(file: folder.path).file()
    file.schema.steps.append("CREATE TABLE later (id INTEGER PRIMARY KEY) STRICT")
    let session = StorageSession(file)
    _ = try await session.open()
    await session.close()
    let bytes = try folder.folder.bytes("places.sqlite")
    let error = await #expect(throws: LocationError.self) { _ = try await folder.open() }
    #expect(error?.code == .unsupported)
    #expect(error?.message.contains("version 2") == true)
    #expect(try folder.folder.bytes("places.sqlite") == bytes)
  }

  @Test("F51 a cache whose file cannot be written continues in memory, and reports it")
  func failingWrites() async throws {
    let session = StorageSession(try SQLiteGeocodingStorage(file: folder.path).file())
    let stored = try await session.open()
    let cache = CachingGeocoder(
      server(), configuration: .init(), clock: ManualClock(), session: session, stored: stored)
    await session.close()
    _ = try await cache.geocode("Vaduz")
    await cache.waitUntilStored()
    #expect(cache.storageProblem?.code == .storageUnavailable)
    _ = try await cache.geocode("Vaduz")
    #expect(cache.statistics.hits == 1)
  }

  @Test(arguments: ["", "/", "a/", "..", "a\0b", String(repeating: "x", count: 201)])
  func invalidPaths(_ path: String) async {
    let error = await #expect(throws: LocationError.self) {
      _ = try await CachingGeocoder(server(), storage: SQLiteGeocodingStorage(file: path))
    }
    #expect(error?.code == .invalidValue)
  }

  @Test("F36 F49 killed at each call that changes the disk", arguments: [false, true])
  func killedAtEachCall(tearsWrites: Bool) async throws {
    let count = 4
    var (call, isEnded) = (0, false)
    while !isEnded {
      call += 1
      try folder.folder.removeAll()
      let lines = try await WriterProcess(
        "monitor-writer",
        ["--cache", folder.path, "\(count)", "\(call)"] + (tearsWrites ? ["torn"] : [])
      ).finish()
      isEnded = lines.last == "closed"
      let cache = try await CachingGeocoder(
        MockGeocoder.failing { Issue.record("\($0)") },
        storage: SQLiteGeocodingStorage(file: folder.path))
      #expect(cache.storageProblem == nil, "call \(call)")
      let (kept, stored) = (cache.statistics.entries, lines.compactMap { Int($0) }.last ?? 0)
      #expect(kept == stored || kept == stored + 1, "call \(call)")
      for number in 1..<(kept + 1) {
        let name = CacheWriter.name(number)
        #expect(try await cache.geocode(name) == [CacheWriter.place(name)], "call \(call)")
      }
      await cache.close()
    }
    #expect(call > 10, "the calls are not counted")
  }
}
