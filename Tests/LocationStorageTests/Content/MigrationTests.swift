import AsyncLocation
import Foundation
import TestSupport
import Testing

@testable import LocationStorage

@Suite(.inTurn)
struct MigrationTests {
  /// The current schema with one more step.
  static func laterSchema(adding step: String) -> DatabaseSchema {
    var schema = DatabaseSchema.monitor
    schema.steps.append(step)
    return schema
  }

  static func open(
    _ folder: StorageFolder, _ schema: DatabaseSchema
  ) async throws(LocationError) -> (StorageSession<MonitorDatabase>, StoredMonitor) {
    var file = try folder.storage.file(of: "m")
    file.schema = schema
    let session = StorageSession(file)
    return (session, try await session.open())
  }

  @Test("F51 a file of an older version is brought to the current one, once, and keeps its content")
  func olderVersion() async throws {
    let folder = try StorageFolder(isInMemory: true)
    let (first, _) = try await Self.open(folder, .monitor)
    try await first.commit([.add(try RoundTripTests.condition("a"))])
    await first.close()
    let schema = Self.laterSchema(adding: "CREATE TABLE later (id INTEGER PRIMARY KEY) STRICT")
    for _ in 1...2 {
      let (session, stored) = try await Self.open(folder, schema)
      #expect(stored.problem == nil)
      #expect(stored.conditions.map(\.identifier) == ["a"])
      try await session.commit([.add(try RoundTripTests.condition("a"))])
      await session.close()
    }
  }

  @Test("F51 a file of a later version is refused with both versions, and stays as it is")
  func laterVersion() async throws {
    let folder = try StorageFolder(isInMemory: true)
    let (session, _) = try await Self.open(
      folder, Self.laterSchema(adding: "CREATE TABLE later (id INTEGER PRIMARY KEY) STRICT"))
    try await session.commit([.add(try RoundTripTests.condition("a"))])
    await session.close()
    let bytes = try folder.bytes("m.sqlite")
    let error = await #expect(throws: LocationError.self) { _ = try await folder.storage.open("m") }
    #expect(error?.code == .unsupported)
    #expect(error?.isTransient == false)
    #expect(error?.message.contains("version 2") == true)
    #expect(error?.message.contains("version 1") == true)
    #expect(try folder.bytes("m.sqlite") == bytes)
    #expect(folder.names() == ["m.sqlite", "m.sqlite.lock"])
  }

  @Test("F51 a step that fails changes nothing, and the file is set aside")
  func failingStep() async throws {
    let folder = try StorageFolder(isInMemory: true)
    let (first, _) = try await Self.open(folder, .monitor)
    try await first.commit([.add(try RoundTripTests.condition("a"))])
    await first.close()
    let bytes = try folder.bytes("m.sqlite")
    // The second statement fails unless the content is empty.
    let schema = Self.laterSchema(
      adding: """
        CREATE TABLE later (id INTEGER PRIMARY KEY CHECK (id > 5)) STRICT;
        INSERT INTO later SELECT count(*) FROM condition WHERE identifier = 'a' HAVING count(*) > 0;
        """)
    let (session, stored) = try await Self.open(folder, schema)
    #expect(stored.problem != nil)
    #expect(stored.conditions.isEmpty)
    await session.close()
    let aside = try #require(folder.names().first { $0.contains("corrupt") })
    #expect(try folder.bytes(aside) == bytes)
  }

  @Test func theSchemaHasItsVersionAndApplicationID() {
    #expect(DatabaseSchema.monitor.version == 1)
    #expect(DatabaseSchema.monitor.applicationID == 0x414C_4D6F)
  }
}
