import AsyncLocation
import FileAccess

/// The file that stores a key of reduced accuracy across runs.
///
/// The file contains a complete key or does not exist. A key is written under a temporary name,
/// synchronized to the disk and then linked to its final name, which never replaces another file.
/// If several processes find no key, one creates it and all use that one.
struct KeyFile {
  private let calls: any FileCalls
  private let path: String
  private let folder: String
  private let name: String
  private let user: UInt32

  /// - Throws: `LocationError` if the path names no file.
  init(
    path: String, user: UInt32 = FileStatus.currentUser, calls: any FileCalls = SystemFileCalls()
  ) throws(LocationError) {
    guard let place = SplitPath(path) else {
      throw LocationError(
        .invalidValue,
        "The key of reduced accuracy needs a file path with a name of at most "
          + "\(SplitPath.longestName) bytes.")
    }
    (self.calls, self.path, self.user) = (calls, path, user)
    (folder, name) = (place.folder, place.name)
  }

  /// The stored key, and a notice if a damaged file was set aside.
  typealias Loaded = (key: ReducedAccuracyKey, notice: String?)

  /// Loads the stored key, or creates one if there is none. Returns nil if another process has
  /// locked the folder to repair a damaged file.
  func loadUnlessLocked(
    using generator: inout some RandomNumberGenerator
  ) throws(LocationError) -> Loaded? {
    let folder = try openFolder()
    var notice: String?
    var isLocked = false
    // Each turn returns, continues a repair, or finds that another process has changed the file.
    for _ in 0..<Self.maximumTurns {
      switch try read(in: folder) {
      case .key(let key, let hasLeftovers):
        if hasLeftovers { removeLeftovers(in: folder) }
        return (key, notice)
      case .none:
        if let key = try create(in: folder, using: &generator) { return (key, notice) }
      case .damaged where !isLocked:
        // The file is read again under the lock: another process may have just repaired it. File
        // systems without locks cannot prevent two repairs at the same time.
        isLocked = (try? folder.lock()) ?? true
        if !isLocked { return nil }
      case .damaged:
        guard let aside = try setAside(in: folder) else { continue }
        notice =
          "The key of reduced accuracy in \(path) was damaged; it was renamed to \(aside), "
          + "and a new one was created. Reduced locations now use another grid."
      }
    }
    throw failure("create", because: "another process keeps changing it")
  }

  /// The maximum number of turns of a loop that other processes or files can prolong.
  private static var maximumTurns: Int { 2_000 }

  /// Loads the stored key, or creates one if there is none. Waits while another process repairs a
  /// damaged file.
  ///
  /// - Parameter pause: Waits between two attempts. When it throws, or after the last of
  ///   ``pauses``, ``lockError`` is thrown.
  func load(
    using generator: inout some RandomNumberGenerator,
    pause: (Duration) async throws -> Void
  ) async throws(LocationError) -> Loaded {
    for duration in Self.pauses {
      if let loaded = try loadUnlessLocked(using: &generator) { return loaded }
      guard (try? await pause(duration)) != nil else { throw lockError }
    }
    guard let loaded = try loadUnlessLocked(using: &generator) else { throw lockError }
    return loaded
  }

  /// The pauses between attempts, about two seconds in total. A blocking lock has no deadline, and
  /// any process that may read the folder can hold it. So the lock is tried again after growing
  /// pauses.
  static var pauses: [Duration] {
    [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_000].map { .milliseconds($0) }
  }

  // MARK: Examining

  /// The state of a key file.
  enum Condition: Hashable, Sendable { case intact, missing, damaged }

  /// Checks the key file without writing anything.
  ///
  /// - Throws: `LocationError` if the file is refused, or if a file is needed and cannot be
  ///   created in its folder.
  func examine() throws(LocationError) -> Condition {
    let folder: Folder
    do throws(SystemFailure) {
      folder = try Folder(self.folder, calls: calls)
    } catch {
      guard error == .missing else { throw failure("open the folder of", cause: error) }
      try checkWritable()
      return .missing
    }
    switch try read(in: folder) {
    case .key: return .intact
    case .damaged:
      try checkWritable()
      return .damaged
    case .none:
      try checkWritable()
      return .missing
    }
  }

  /// Checks that the folder, or its nearest existing ancestor, allows new files.
  private func checkWritable() throws(LocationError) {
    var path = folder
    while true {
      do throws(SystemFailure) {
        return try calls.checkWritable(path)
      } catch {
        guard error == .missing, path != "/", path != "." else {
          throw failure("create", cause: error)
        }
        path = Folder.parent(of: path) ?? "."
      }
    }
  }

  // MARK: Folder

  private func openFolder() throws(LocationError) -> Folder {
    do throws(SystemFailure) {
      return try Folder(folder, calls: calls)
    } catch {
      guard error == .missing else { throw failure("open the folder of", cause: error) }
    }
    return try attempt("create the folder of") { () throws(SystemFailure) in
      try Folder.create(folder, calls: calls)
      return try Folder(folder, calls: calls)
    }
  }

  // MARK: Reading

  private enum Found {
    case key(ReducedAccuracyKey, hasLeftovers: Bool)
    case damaged
    case none
  }

  private func read(in folder: Folder) throws(LocationError) -> Found {
    let file: OpenFile
    do throws(SystemFailure) {
      file = try folder.open(name, for: .reading)
    } catch {
      switch error {
      case .missing: return .none
      case .link: throw refusal("is a symbolic link, which is not followed; remove it")
      default: throw failure("open", cause: error)
      }
    }
    let status = try attempt("check") { () throws(SystemFailure) in try file.status() }
    guard status.kind == .regular else { throw refusal("is not a regular file; remove it") }
    guard status.owner == user || status.owner == 0 else {
      throw refusal(
        "belongs to user \(status.owner), not to user \(user), who runs this, nor to root; "
          + "change its owner or remove it")
    }
    guard status.mode & 0o077 == 0 else {
      throw refusal("is accessible to other users; run 'chmod 600 \(path)'")
    }
    let contents = try attempt("read") { () throws(SystemFailure) in
      try file.contents(limit: KeyFileFormat.size)
    }
    guard let key = KeyFileFormat.decode(contents) else {
      guard KeyFileFormat.isDamaged(contents) else {
        throw refusal("is another program's file; choose another path")
      }
      return .damaged
    }
    return .key(key, hasLeftovers: status.links > 1)
  }

  // MARK: Creating

  /// The prefix of the temporary names.
  private var draftPrefix: String { ".\(name).new-" }

  /// Creates a key; returns nil if another process was faster: the file must then be read again.
  private func create(
    in folder: Folder, using generator: inout some RandomNumberGenerator
  ) throws(LocationError) -> ReducedAccuracyKey? {
    let key = ReducedAccuracyKey(using: &generator)
    let draft = draftPrefix + String(UInt64.random(in: .min ... .max, using: &generator), radix: 16)
    do throws(SystemFailure) {
      try folder.create(draft, containing: KeyFileFormat.encode(key))
      try folder.link(draft, to: name)
    } catch {
      try? folder.remove(draft)
      switch error {
      // The name exists, or another process removed the temporary file as a leftover.
      case .exists, .missing: return nil
      default: throw failure("create", cause: error)
      }
    }
    removeLeftovers(in: folder)
    try attempt("write to disk") { () throws(SystemFailure) in try folder.synchronize() }
    return key
  }

  /// Renames a damaged file to a name that no other file has. Returns the name; nil if another
  /// process renamed it first.
  private func setAside(in folder: Folder) throws(LocationError) -> String? {
    for number in 1...Self.maximumTurns {
      let aside = "\(name).corrupt" + (number > 1 ? "-\(number)" : "")
      do throws(SystemFailure) {
        try folder.link(name, to: aside)
        try folder.remove(name)
        return aside
      } catch {
        switch error {
        case .exists: continue
        case .missing: return nil
        default: throw failure("rename", cause: error)
        }
      }
    }
    throw failure("rename", because: "too many damaged ones are beside it")
  }

  /// Removes temporary files of processes that were killed. Called only once there is a key: a
  /// process that is still writing such a file then uses the existing key instead.
  private func removeLeftovers(in folder: Folder) {
    let names = (try? folder.names()) ?? []
    for name in names where name.hasPrefix(draftPrefix) { try? folder.remove(name) }
  }

  // MARK: Errors

  /// Performs system calls. The message of a failure begins with "Cannot" and `what`.
  private func attempt<Result>(
    _ what: String, _ body: () throws(SystemFailure) -> Result
  ) throws(LocationError) -> Result {
    do throws(SystemFailure) { return try body() } catch { throw failure(what, cause: error) }
  }

  /// Thrown when another process keeps the folder locked.
  var lockError: LocationError {
    failure("repair", because: "another process keeps its folder locked")
  }

  private func failure(_ what: String, cause: SystemFailure) -> LocationError {
    failure(what, because: "\(cause)", cause: cause)
  }

  private func failure(
    _ what: String, because reason: String, cause: SystemFailure? = nil
  ) -> LocationError {
    LocationError(
      .unsupported, "Cannot \(what) the key of reduced accuracy \(path): \(reason).", cause: cause)
  }

  private func refusal(_ reason: String) -> LocationError {
    LocationError(
      .unsupported, "The key of reduced accuracy is refused: \(path) \(reason).")
  }
}
