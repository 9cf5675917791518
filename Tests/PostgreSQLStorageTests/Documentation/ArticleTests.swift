import AsyncLocation
import MQTTBackend
import PostgreSQLStorage
import TestSupport
import Testing

/// Checks that the code in the articles compiles: each block occurs in a file of this folder.
@Suite(.inTurn) @MainActor
struct ArticleTests {
  private static let folder = String(#filePath.dropLast("/ArticleTests.swift".count))

  @Test func everyBlockCompiles() throws {
    let blocks = try CodeBlocks(
      in: [Self.folder + "/../../../Sources/PostgreSQLStorage/PostgreSQLStorage.docc"],
      knownFrom: [Self.folder])
    blocks.expectKnown()
    #expect(blocks.count == 2)
  }

  /// The code of the overview; a test has no such server.
  private func theFleetIsStored(_ broker: MQTTConfiguration) async throws {
    let storage = PostgreSQLFleetStorage("postgresql://dispatch@db.example/fleet")
    let fleet = try await Fleet(FleetConfiguration(broker), storage: storage)
    _ = fleet
  }

  /// The code of "Several servers".
  private func aPartIsStored(_ broker: MQTTConfiguration) async throws {
    let storage = PostgreSQLFleetStorage(
      "postgresql://db.example/fleet", part: "north")
    let fleet = try await Fleet(FleetConfiguration(broker, base: "fleet/north"), storage: storage)
    _ = fleet
  }
}
