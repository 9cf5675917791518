import AsyncLocation
import LocationStorage
import MQTTBackend
import PostgreSQLStorage

/// The storage that `--storage` names: a file, or a database that several servers share.
enum FleetStore: Equatable {
  case file(String)
  case database(String)

  /// Nil if there is no text.
  init?(_ text: String?) {
    guard let text else { return nil }
    self = PostgreSQLFleetStorage.isConnection(text) ? .database(text) : .file(text)
  }

  /// Creates a fleet with this storage. In a database, waits until no other server owns the part.
  func fleet(
    _ configuration: FleetConfiguration, part: String, _ context: CommandContext
  ) async throws -> Fleet {
    switch self {
    case .file(let path):
      return try await Fleet(configuration, storage: SQLiteFleetStorage(file: path))
    case .database(let connection):
      var storage = PostgreSQLFleetStorage(connection, part: part)
      storage.waitsForOwner = true
      storage.didBeginWaiting = { await context.printMessage("waiting: " + Reason.text($0)) }
      do {
        return try await Fleet(configuration, storage: storage)
      } catch {
        // If the command was cancelled while it waited, the error is not reported.
        try Task.checkCancellation()
        throw error
      }
    }
  }
}
