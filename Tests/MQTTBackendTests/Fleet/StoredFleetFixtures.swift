import AsyncLocation
import LocationFleet
import LocationStorage

@testable import MQTTBackend

/// A storage of a fleet.
enum FleetEngine: String, CaseIterable, Sendable {
  case memory, sqlite

  func storage(in folder: TestFolder) -> any FleetStorage {
    switch self {
    case .memory: MemoryFleetStorage()
    case .sqlite: SQLiteFleetStorage(file: "\(folder.path)/fleet.sqlite")
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
