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
      ("postgres:///d", .database("postgres:///d")),
    ])
  func read(text: String, store: FleetStore) throws {
    #expect(try FleetStore(text) == store)
    #expect(try FleetStore(nil) == nil)
  }

  @Test(
    "a database that is written otherwise is refused, and a password is not repeated",
    arguments: [
      "PostgreSQL://u:sesame@/d", "postgresql:/u:sesame@h/d", " postgresql://u:sesame@h/d",
      "mysql://u:sesame@h/d", "host=h password=sesame dbname=d",
    ])
  func refused(text: String) {
    let error = #expect(throws: UsageError.self) { _ = try FleetStore(text) }
    #expect(error?.message.contains("sesame") == false)
  }
}
