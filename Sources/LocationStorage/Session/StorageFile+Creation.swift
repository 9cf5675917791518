import AsyncLocation
import FileAccess
import FoundationEssentials

extension StorageFile {
  /// Creates the file and opens it.
  ///
  /// - Parameter files: The suffixes of the existing files: logs without a database, or an empty
  ///   database.
  func openNew(
    besides files: [String], in folder: Folder, lock: FileLock
  ) throws(LocationError) -> Opened {
    // A log without its database remains when someone removes the database.
    let logs = files.filter { !$0.isEmpty }
    for suffix in logs { try checkLog(suffix, in: folder) }
    let aside = logs.isEmpty ? nil : try setAside(in: folder)
    try createDraft(in: folder, files.isEmpty ? schema : schemaAfterLoss)
    try publishDraft(in: folder)
    var opened = try openCreated(in: folder, lock: lock)
    if let aside {
      opened.stored.problem = notice("was missing, but not its log", aside: aside)
    } else if !files.isEmpty {
      opened.stored.problem = emptinessNotice
    }
    return opened
  }

  /// Renames a damaged file, creates a new one and opens it.
  func startAgain(
    in folder: Folder, lock: FileLock?, because cause: SQLiteFailure
  ) throws(LocationError) -> Opened {
    guard let lock else {
      throw failure(
        "read", because: "it is damaged (\(cause)), and without a lock it cannot be renamed",
        cause: cause)
    }
    // The new file is created first: if there is no space for it, the damaged file keeps its name.
    do throws(LocationError) {
      try createDraft(in: folder, schemaAfterLoss)
    } catch {
      throw failure(
        "read", because: "it is damaged (\(cause)), and a new one cannot be created", cause: error)
    }
    let aside = try setAside(in: folder)
    try publishDraft(in: folder)
    var opened = try openCreated(in: folder, lock: lock)
    opened.stored.problem = notice("was damaged (\(cause))", aside: aside, cause: cause)
    return opened
  }

  /// Opens the file after it was created.
  func openCreated(
    in folder: Folder, lock: FileLock
  ) throws(LocationError) -> Opened {
    do throws(DatabaseProblem) {
      return try openDatabase(in: folder, lock: lock)
    } catch {
      throw failure("open", because: "\(error)", cause: error)
    }
  }

  /// Creates the file under a draft name. It is renamed when it is complete and on the disk, so a
  /// file with the final name is either complete or damaged.
  func createDraft(
    in folder: Folder, _ schema: DatabaseSchema
  ) throws(LocationError) {
    try attempt("create") { () throws(SystemFailure) in
      for suffix in Self.suffixes { try folder.removeIfPresent(draftName + suffix) }
      try folder.create(draftName)
    }
    do throws(SQLiteFailure) {
      try schema.create(at: "\(folder.path)/\(draftName)")
    } catch {
      for suffix in Self.suffixes { try? folder.remove(draftName + suffix) }
      throw failure("create", because: "\(error)", cause: error)
    }
    try attempt("create") { () throws(SystemFailure) in
      try folder.open(draftName, for: .reading).synchronize()
    }
  }

  /// The schema of the file that replaces one whose content is unknown.
  private var schemaAfterLoss: DatabaseSchema { Database.schema(after: remainder) ?? schema }

  /// Gives the complete draft the file's final name.
  func publishDraft(in folder: Folder) throws(LocationError) {
    try attempt("create") { () throws(SystemFailure) in
      try folder.rename(draftName, to: name)
      try folder.synchronize()
    }
  }

  /// The name of the file while it is being created.
  private var draftName: String { Self.draftName(of: name) }

  /// The name of a file until it is complete. The suffix avoids the names of other programs' files.
  static func draftName(of name: String) -> String { "\(name).async-location-new" }

  /// Throws if another program's file has the name of a SQLite log.
  private func checkLog(_ suffix: String, in folder: Folder) throws(LocationError) {
    // A file that cannot be read is not checked.
    guard let beginning = try? folder.beginning(of: name + suffix, limit: 8),
      !Self.isLog(beginning, suffix)
    else { return }
    throw LocationError(
      .unsupported,
      "\(Self.printable(path + suffix)) has the name of a log of SQLite and is none: it is another "
        + "program's. Use another path, or move it away.")
  }

  /// Whether a file begins with the magic number of a SQLite log, or with the version of a log's
  /// index; see SQLite's file format, sections 3 and 4.1, and the format of the WAL index, section
  /// 2.1. A beginning of zeros counts, too: after a loss of power, the header may not have been
  /// written.
  static func isLog(_ beginning: [UInt8], _ suffix: String) -> Bool {
    let headers: [[UInt8]] =
      switch suffix {
      case "-wal": [[0x37, 0x7F, 0x06, 0x82], [0x37, 0x7F, 0x06, 0x83]]
      case "-journal": [[0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]]
      default: [[0x18, 0xE2, 0x2D, 0x00], [0x00, 0x2D, 0xE2, 0x18]]
      }
    return beginning.allSatisfy { $0 == 0 } || headers.contains { beginning.starts(with: $0) }
  }

  /// The beginning of the names of files that were set aside.
  var asidePrefix: String { "\(name).corrupt-" }

  /// Renames the file and its companion files to unused names. Returns the new name of the file.
  private func setAside(in folder: Folder) throws(LocationError) -> String {
    // For example 20261122T101848Z.
    let time = Timestamp.format(now()).prefix { $0 != "." }.filter { $0 != "-" && $0 != ":" } + "Z"
    var aside = "\(asidePrefix)\(time)"
    var count = 1
    while try !existing(aside, in: folder).isEmpty {
      count += 1
      aside = "\(asidePrefix)\(time)-\(count)"
    }
    let suffixes = try existing(name, in: folder)
    return try attempt("rename") { () throws(SystemFailure) in
      for suffix in suffixes { try folder.rename(name + suffix, to: aside + suffix) }
      try folder.synchronize()
      return aside
    }
  }
}
