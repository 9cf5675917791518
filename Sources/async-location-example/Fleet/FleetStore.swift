import AsyncLocation
import LocationStorage
import MQTTBackend
import PostgreSQLStorage

/// What `--storage` names: a file, or a database that several servers share.
enum FleetStore: Equatable {
  case file(String)
  case database(String)

  /// Nil for no text.
  ///
  /// - Throws: ``UsageError`` for text that is meant as another database; it may have a password, so the error
  ///   does not repeat it.
  init?(_ text: String?) throws(UsageError) {
    guard let text else { return nil }
    guard !text.hasPrefix("postgresql://"), !text.hasPrefix("postgres://") else {
      self = .database(text)
      return
    }
    let lowercase = text.lowercased()
    let isDatabase =
      ["://", "postgresql:", "postgres:", "password=", "dbname="].contains(
        where: lowercase.contains)
    guard !isDatabase else {
      throw UsageError(
        "--storage takes a file, or a database as postgresql://USER@HOST/DATABASE in small letters")
    }
    self = .file(text)
  }

  /// Creates a fleet that is stored here. In a database, waits until no other server owns the part of these
  /// topics.
  func fleet(
    _ configuration: FleetConfiguration, topic: String, _ context: CommandContext
  ) async throws -> Fleet {
    switch self {
    case .file(let path):
      return try await Fleet(configuration, storage: SQLiteFleetStorage(file: path))
    case .database(let connection):
      var storage = PostgreSQLFleetStorage(connection, part: topic)
      storage.waitsForOwner = true
      storage.didBeginWaiting = {
        await context.say("waiting: another server follows \(Escaping.escape(topic, limit: 200))")
      }
      do {
        return try await Fleet(configuration, storage: storage)
      } catch {
        try Task.checkCancellation()
        throw error
      }
    }
  }
}
