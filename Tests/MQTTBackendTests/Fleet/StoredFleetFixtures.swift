import AsyncLocation
import LocationFleet
import LocationStorage
import PostgreSQLStorage
import TestSupport

@testable import MQTTBackend

/// The kinds of storages for fleets.
enum FleetEngine: String, Sendable {
  case memory, sqlite, postgreSQL

  /// The engines that are installed or required.
  static let all: [Self] = [.memory, .sqlite] + (RealDatabase.isExpected ? [.postgreSQL] : [])

  func storage(in folder: TestFolder) async throws -> any FleetStorage {
    switch self {
    case .memory: MemoryFleetStorage()
    case .sqlite: SQLiteFleetStorage(file: "\(folder.path)/fleet.sqlite")
    case .postgreSQL: PostgreSQLFleetStorage(try await RealDatabase.shared().database())
    }
  }
}

/// An area around the place of ``location(at:latitude:longitude:)``.
let depot = try! Condition.circle(
  center: Coordinate(latitude: 47, longitude: 8), radius: 1_000)

extension FleetTrack {
  var locations: [Location] {
    get async throws {
      var locations: [Location] = []
      for try await location in self { locations.append(location) }
      return locations
    }
  }
}
