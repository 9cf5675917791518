import TestSupport
import Testing

@testable import async_location_example

@Suite(.inTurn)
struct FleetStoreTests {
  @Test(
    "--storage is a file or a database",
    arguments: [
      ("fleet.db", FleetStore.file("fleet.db")),
      ("/var/lib/postgres/fleet.db", .file("/var/lib/postgres/fleet.db")),
      ("postgresql://u@h/d", .database("postgresql://u@h/d")),
      ("host=h dbname=d", .database("host=h dbname=d")),
    ])
  func read(text: String, store: FleetStore) {
    #expect(FleetStore(text) == store)
    #expect(FleetStore(nil) == nil)
  }
}
