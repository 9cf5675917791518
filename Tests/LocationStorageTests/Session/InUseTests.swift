import AsyncLocation
import Foundation
import Glibc
import TestSupport
import Testing

@testable import LocationStorage

/// A monitor can be open once at a time, in this process and in others.
@Suite(.inTurn)
struct InUseTests {
  @Test("F50 a second open in this process is refused by name, and the first is unharmed")
  func inThisProcess() async throws {
    let folder = try StorageFolder(isInMemory: true)
    let (session, _) = try await folder.storage.open("harbour")
    for _ in 1...3 {
      let error = await #expect(throws: LocationError.self) {
        _ = try await folder.storage.open("harbour")
      }
      #expect(error == .monitorInUse("harbour"))
      try await session.commit([.add(try RoundTripTests.condition("a"))])
    }
    await session.close()
    #expect(try await folder.storage.content(of: "harbour").conditions.count == 1)
  }

  @Test("F50 a second process is refused, the first is unharmed, and a crash frees the monitor")
  func inAnotherProcess() async throws {
    let folder = try StorageFolder()
    let writer = try WriterProcess("monitor-writer", [folder.path, "1"])
    #expect(await writer.line() == "open 0")
    for expected in 1...3 {
      let error = await #expect(throws: LocationError.self) {
        _ = try await folder.storage.open("m")
      }
      #expect(error == .monitorInUse("m"))
      #expect(await writer.line() == "\(expected)")
    }
    writer.kill()
    _ = await writer.finish()
    let stored = try await folder.storage.content()
    #expect(stored.problem == nil)
    #expect(!stored.conditions.isEmpty)
  }

  @Test("F50 another process finds the monitor of this one in use, also after a refused open")
  func inThisProcessFirst() async throws {
    let folder = try StorageFolder()
    let (session, _) = try await folder.storage.open("m")
    await #expect(throws: LocationError.self) { _ = try await folder.storage.open("m") }
    #expect(
      try await WriterProcess("monitor-writer", [folder.path, "1", "2"]).finish() == [
        "refused monitorInUse"
      ])
    await session.close()
    #expect(
      try await WriterProcess("monitor-writer", [folder.path, "1", "2"]).finish().last == "closed")
  }

  /// A process that is being started has all descriptors until it runs its program.
  @Test("F50 a lock ends although another process still has a copy of its descriptor")
  func copiedDescriptor() async throws {
    let folder = try StorageFolder(isInMemory: true)
    let (session, _) = try await folder.storage.open("m")
    let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
    let copies = descriptors.compactMap { Int32($0) }.filter {
      let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
      return path == folder("m.sqlite.lock")
    }.map { dup($0) }
    defer { for copy in copies { close(copy) } }
    #expect(copies.count == 1)
    await session.close()
    #expect(try await folder.storage.content().problem == nil)
  }

  @Test("F50 a session that is dropped without a close frees the monitor")
  func dropped() async throws {
    let folder = try StorageFolder(isInMemory: true)
    for _ in 1...3 {
      let (session, _) = try await folder.storage.open("m")
      try await session.commit([.add(try RoundTripTests.condition("a"))])
    }
    #expect(try await folder.storage.content().conditions.count == 1)
  }

  @Test("F51 a file that another program has locked is a typed error, and stays as it is")
  func lockedByAnotherProgram() async throws {
    let folder = try StorageFolder()
    let (session, _) = try await folder.storage.open("m")
    try await session.commit([.add(try RoundTripTests.condition("a"))])
    await session.close()
    let locker = try WriterProcess("monitor-writer", ["--lock", folder("m.sqlite")])
    try #require(await locker.line() == "locked")
    let error = await #expect(throws: LocationError.self) { _ = try await folder.storage.open("m") }
    #expect(error?.code == .storageUnavailable)
    #expect(error?.message.contains("another program has locked it") == true)
    _ = await locker.finish()
    let stored = try await folder.storage.content()
    #expect(stored.problem == nil)
    #expect(stored.conditions.count == 1)
  }

  @Test("F51 other programs cannot lock or change the file of an open monitor")
  func otherProgramsAreRefused() async throws {
    let folder = try StorageFolder()
    let (session, _) = try await folder.storage.open("m")
    #expect(
      try await WriterProcess("monitor-writer", ["--lock", folder("m.sqlite")]).finish() == [
        "failed"
      ])
    try await session.commit([.add(try RoundTripTests.condition("a"))])
    await session.close()
    #expect(try await folder.storage.content().conditions.count == 1)
  }
}
