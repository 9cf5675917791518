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
      storage.didBeginWaiting = {
        let message = "waiting: " + Reason.text($0)
        await context.printMessage(message)
        // A server that waits for another one runs as it should.
        context.service?.notify(.status(message))
        context.service?.notify(.ready)
      }
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
