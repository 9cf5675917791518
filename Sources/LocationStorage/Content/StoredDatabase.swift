import AsyncLocation
import LocationFleet
import LocationPublishing

/// The content of one kind of file, such as monitor files. One thread uses it at a time.
protocol StoredDatabase: AnyObject {
  /// The content of a file.
  associatedtype Stored: StoredContent

  var connection: Connection { get }

  /// Whether the content can still be changed after a change failed on a full disk; false by
  /// default.
  static var isUsableAfterFullDisk: Bool { get }

  /// Whether a file that cannot be written is read from a copy; true by default. If false, opening
  /// such a file throws.
  static var isReadFromCopies: Bool { get }

  /// Returns the schema of the file that replaces a deleted or damaged file; nil, the default, for
  /// the schema of any new file. The remainder is the text that was carried over from the deleted
  /// file; it is empty if nothing is known.
  static func schema(after remainder: String) -> DatabaseSchema?

  /// Creates the content for a connection to a file with the tables of the current version.
  init(_ connection: Connection) throws(SQLiteFailure)

  /// Reads and checks the content.
  func load() throws(SQLiteFailure) -> Stored
}

/// The content of a file, and the problem that was found in the file.
protocol StoredContent: Sendable {
  var problem: LocationError? { get set }
}

extension StoredMonitor: StoredContent {}
extension StoredAnswers: StoredContent {}
extension StoredPublications: StoredContent {}
extension StoredFleet: StoredContent {}

extension StoredDatabase {
  static var isUsableAfterFullDisk: Bool { false }
  static var isReadFromCopies: Bool { true }
  static func schema(after remainder: String) -> DatabaseSchema? { nil }

  /// Opens a file, checks it, and migrates it to the current version.
  ///
  /// - Parameters:
  ///   - path: An absolute path without symbolic links. The file exists.
  ///   - lock: Held until the file is closed.
  static func open(
    _ path: String, schema: DatabaseSchema, lock: FileLock?
  ) throws(DatabaseProblem) -> Self {
    let version: Int64
    do throws(SQLiteFailure) {
      let connection = try Connection(path: path, lock: lock)
      version = try schema.version(of: connection)
      if version <= schema.version {
        try schema.setModes(of: connection)
        try schema.migrate(connection, from: version)
        return try Self(connection)
      }
    } catch {
      throw .failed(error)
    }
    throw .laterVersion(version, supported: schema.version)
  }

  /// Makes closing the file merge the log into it.
  func mergeLogWhenClosed() throws(SQLiteFailure) { try connection.mergeLogWhenClosed() }
}

/// Why a file could not be opened.
enum DatabaseProblem: Error, CustomStringConvertible {
  case failed(SQLiteFailure)
  case laterVersion(Int64, supported: Int64)
  /// The file could not be copied.
  case unreadable

  var description: String {
    switch self {
    case .failed(let failure): "\(failure)"
    case .laterVersion(let version, let supported): "version \(version) is above \(supported)"
    case .unreadable: "the file cannot be read"
    }
  }
}
