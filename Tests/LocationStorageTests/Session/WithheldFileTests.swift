import AsyncLocation
import Foundation
import MockBackend
import TestSupport
import Testing

@testable import LocationStorage
@testable import monitor_writer

/// F62 F65: the process ends after a withdrawal of permission, before the file is replaced.
@Suite(.inTurn) struct WithheldFileTests {
  private let folder: StorageFolder

  init() throws { folder = try StorageFolder(isInMemory: true) }

  /// Leaves the files of a process that stored locations, withheld them, and was killed.
  private func leaveWithheldFile(through number: UInt64 = 2) async throws {
    let (session, _) = try await folder.storage.open("m")
    try await session.replace(with: WithdrawnContent.stored)
    try await session.withhold(through: number)
    let files = try folder.names().map { ($0, try folder.bytes($0)) }
    await session.close()
    for (name, bytes) in files { try folder.write(bytes, to: name) }
    #expect(try leaks() != [])
    #expect(folder.names().contains("m.sqlite.withheld"))
  }

  /// The files that contain the location.
  private func leaks() throws -> [String] {
    let bytes = Data("\(WithdrawnContent.latitude)".utf8)
    return try folder.names().filter { Data(try folder.bytes($0)).range(of: bytes) != nil }
  }

  /// Opens the monitor as the next process does, and checks that nothing reveals the place.
  private func expectWithheld(isFinished: Bool = false, _ comment: Comment? = nil) async throws {
    let (session, stored) = try await folder.storage.open("m")
    expectNoPlace(stored, isFinished: isFinished, comment)
    #expect(try leaks() == [], comment)
    #expect(!folder.names().contains("m.sqlite.withheld"), comment)
    // Later events are stored with permission, so they keep their location.
    let later = try #require(WithdrawnContent.stored.events.first).event
    try await session.commit([.event(later)])
    await session.close()
    #expect(try await folder.storage.content().events.last?.event == later, comment)
  }

  private func expectNoPlace(
    _ stored: StoredMonitor, isFinished: Bool = false, _ comment: Comment? = nil
  ) {
    #expect(stored.lastNumber == 2, comment)
    #expect(stored.conditions.map(\.state) == [.satisfied], comment)
    #expect(stored.conditions.map(\.lastEvent?.number) == [isFinished ? 2 : 1], comment)
    #expect(stored.conditions.allSatisfy { $0.lastEvent?.refinement == nil }, comment)
    #expect(stored.events.map(\.event.number) == (isFinished ? [] : [2]), comment)
    for event in stored.events.map(\.event) {
      #expect(event.state == .satisfied, comment)
      #expect(event.location == nil, comment)
      #expect(event.refinement == nil, comment)
      #expect(event.diagnostics == .locationWithheld, comment)
    }
  }

  @Test("F62 F65 the next process receives no location")
  func theNextProcess() async throws {
    try await leaveWithheldFile()
    try await expectWithheld()
  }

  @Test("F62 what was stored after the withdrawal, with permission, keeps its location")
  func eventsAfterTheWithdrawalKeepTheirLocation() async throws {
    try await leaveWithheldFile(through: 1)
    let stored = try await folder.storage.content()
    #expect(try stored.events == WithdrawnContent.stored.events)
    #expect(stored.conditions.allSatisfy { $0.lastEvent?.refinement == nil })
    #expect(!folder.names().contains("m.sqlite.withheld"))
  }

  /// Otherwise the mark would remove the locations of later events.
  @Test("F65 nothing is stored beside a mark that cannot be removed")
  func unremovableMarkBlocksCommits() async throws {
    try await leaveWithheldFile()
    // A folder with the name of a file that was set aside cannot be deleted, so the mark stays.
    let other = folder("m.sqlite.corrupt-20261122T101848Z")
    try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: false)
    let (session, stored) = try await folder.storage.open("m")
    expectNoPlace(stored)
    #expect(folder.names().contains("m.sqlite.withheld"))
    let later = try #require(WithdrawnContent.stored.events.first).event
    let error = await #expect(throws: LocationError.self) {
      try await session.commit([.event(later)])
    }
    #expect(error?.code == .storageUnavailable)
    try FileManager.default.removeItem(atPath: other)
    try await session.replace(with: try WithdrawnContent.stored)
    #expect(!folder.names().contains("m.sqlite.withheld"))
    await session.close()
    #expect(try await folder.storage.content().events == WithdrawnContent.stored.events)
  }

  @Test("F65 an empty mark, from a full disk, withholds the locations, too")
  func anEmptyMark() async throws {
    try await leaveWithheldFile()
    try folder.write([], to: "m.sqlite.withheld")
    try await expectWithheld()
  }

  @Test("F62 a damaged file is deleted, too, with the mark")
  func aDamagedFile() async throws {
    try await leaveWithheldFile()
    try folder.write(
      try folder.bytes("m.sqlite").prefix(100) + "\(WithdrawnContent.latitude)".utf8,
      to: "m.sqlite")
    let (session, stored) = try await folder.storage.open("m")
    #expect(stored.problem != nil)
    #expect(stored.events == [])
    #expect(try leaks() == [])
    #expect(!folder.names().contains { $0.contains("corrupt") || $0.contains("withheld") })
    await session.close()
  }

  @Test("F65 killed at each call that changes the disk", arguments: [false, true], [false, true])
  func killedAtEachCall(tearsWrites: Bool, isFinished: Bool) async throws {
    var (call, isEnded, withheld) = (0, false, 0)
    while !isEnded {
      call += 1
      try folder.removeAll()
      let lines = try await WriterProcess(
        "monitor-writer",
        ["--withdrawal", folder.path, isFinished ? "finished" : "waiting", "\(call)"]
          + (tearsWrites ? ["torn"] : [])
      ).finish()
      isEnded = lines.last == "closed"
      guard lines.contains("withheld") else { continue }
      withheld += 1
      try await expectWithheld(isFinished: isFinished, "call \(call)")
    }
    #expect(withheld > 5, "the calls are not counted")
  }

  @Test("F38 the file of another program is not taken for a mark", arguments: [false, true])
  func anotherProgram(isFolder: Bool) async throws {
    if isFolder {
      try FileManager.default.createDirectory(
        atPath: folder("m.sqlite.withheld"), withIntermediateDirectories: false)
    } else {
      try folder.write("secrets".utf8, to: "m.sqlite.withheld")
    }
    let error = await #expect(throws: LocationError.self) { try await folder.storage.open("m") }
    #expect(error?.code == .storageUnavailable)
    #expect(error?.message.contains("m.sqlite.withheld") == true)
    #expect(folder.names().contains("m.sqlite.withheld"))
    try FileManager.default.removeItem(atPath: folder("m.sqlite.withheld"))
    _ = try await folder.storage.content()
  }

  @Test(
    "F62 F65 a full disk takes the mark, and a read-only one keeps it",
    .enabled(if: SmallDisk.isPossible, "a tmpfs cannot be mounted: run as root"))
  func aFullDisk() async throws {
    let disk = try SmallDisk(kibibytes: 400)
    let (session, _) = try await disk.storage.open("m")
    try await session.replace(with: WithdrawnContent.stored)
    try await disk.fill()
    try await session.withhold(through: 2)
    await session.close()
    // No place is read, whether or not the file can be replaced.
    expectNoPlace(try await disk.storage.content())
    try disk.empty()
    try await disk.setReadOnly(true)
    let (other, withheld) = try await disk.storage.open("m")
    expectNoPlace(withheld)
    try await disk.setReadOnly(false)
    // The file could not be replaced, and permission is withdrawn again.
    try? await other.withhold(through: 2)
    await #expect(throws: LocationError.self) { try await other.deleteRemains() }
    #expect(FileManager.default.fileExists(atPath: disk("m.sqlite.withheld")))
    await other.close()
    let (reopened, stored) = try await disk.storage.open("m")
    expectNoPlace(stored)
    #expect(!FileManager.default.fileExists(atPath: disk("m.sqlite.withheld")))
    await reopened.close()
  }
}
