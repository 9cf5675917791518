import FleetChecks
import LocationFleet

@testable import LocationStorage

/// The file of a fleet in a temporary folder.
final class FleetBench: Sendable {
  let folder: StorageFolder

  init(isInMemory: Bool = true) throws { folder = try StorageFolder(isInMemory: isInMemory) }

  var path: String { folder("fleet.sqlite") }
  var storage: SQLiteFleetStorage { SQLiteFleetStorage(file: path) }

  /// Requires that the file has the commits up to a number, and answers as the storage in memory
  /// does.
  func check(_ last: UInt64, _ comment: String) async throws {
    let (session, stored) = try await storage.open()
    try await FleetComparison.compare(session, stored, last, comment)
    await session.close()
  }
}
