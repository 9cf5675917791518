import AsyncLocation
import LocationStorage
import TestSupport
import Testing

/// Checks that the code in the articles compiles: each block occurs in a file of this folder.
@Suite(.inTurn) @MainActor
struct ArticleTests {
  private static let folder = String(#filePath.dropLast("/ArticleTests.swift".count))

  @Test func everyBlockCompiles() throws {
    let blocks = try CodeBlocks(
      in: [Self.folder + "/../../../Sources/LocationStorage/LocationStorage.docc"],
      knownFrom: [Self.folder])
    blocks.expectKnown()
    #expect(blocks.count == 3)
  }

  /// The code of the overview.
  @Test func aStorageIsCreatedInADirectory() {
    let storage = SQLiteMonitorStorage(directory: "/var/lib/harbour-map/monitors")
    _ = storage
  }

  /// The code of the features.
  private func theDeliveriesAreMonitored(_ manager: LocationManager, _ depot: Coordinate)
    async throws
  {
    let monitor = try await Monitor(
      "deliveries", manager: manager,
      storage: SQLiteMonitorStorage(directory: "/var/lib/deliveries"))
    try await monitor.add(.circle(center: depot, radius: 150), identifier: "depot")

    for await event in monitor.events {
      print(event.date, event.identifier, event.state)
    }
  }

  /// The code of "The answers of a geocoder"; a test does not write to that folder.
  private func theCacheIsMade(_ server: any Geocoder) async throws {
    let storage = SQLiteGeocodingStorage(file: "/var/cache/harbour-map/places.sqlite")
    let geocoder = try await CachingGeocoder(server, storage: storage)
    _ = geocoder
  }

  /// The code of "Publications that wait for a broker".
  private func thePublicationsWait() async throws {
    let storage = SQLitePublicationStorage(file: "/var/lib/harbour-map/publications.sqlite")
    let limits = PublicationLimits(count: 20_000, age: .seconds(86_400), bytes: 16 << 20)
    let (session, stored) = try await storage.open(limits)
    _ = (session, stored)
  }
}
