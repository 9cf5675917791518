import Glibc

/// The file that keeps a key of reduced accuracy from one run to the next.
///
/// A key is there whole or not at all: it is written under another name, brought to the disk, and
/// only then given its name, which nobody else's is replaced by. Of several processes that find none
/// one makes it, and all take that.
struct KeyFile<Calls: FileCalls> {
  private let calls: Calls
  private let path: String
  private let folder: String
  private let name: String
  private let user: UInt32

  /// - Throws: ``LocationError`` for a path that names no file.
  init(path: String, user: UInt32, calls: Calls) throws(LocationError) {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    guard let name = parts.last, !["", ".", ".."].contains(name), !path.utf8.contains(0),
      name.utf8.count <= 200
    else {
      throw LocationError(
        .invalidValue,
        "The key of reduced accuracy needs the path of a file, its name of 200 bytes at most.")
    }
    (self.calls, self.path, self.user, self.name) = (calls, path, user, String(name))
    folder =
      switch parts.count {
      case 1: "."
      case 2 where parts[0].isEmpty: "/"
      default: String(parts.dropLast().joined(separator: "/"))
      }
  }

  /// The key that is kept, and a notice of a file that was set aside.
  typealias Loaded = (key: ReducedAccuracyKey, notice: String?)

  /// The key that is kept; made if there is none. Nil when another process has the folder locked to
  /// repair a damaged file.
  func loadUnlessLocked(
    using generator: inout some RandomNumberGenerator
  ) throws(LocationError) -> Loaded? {
    let folder = try openFolder()
    defer { calls.close(folder) }
    var notice: String?
    var isLocked = false
    // Each turn ends it, or finds that another process was faster.
    for _ in 0..<Self.turns {
      switch try read(in: folder) {
      case .key(let key, let hasLeftovers):
        if hasLeftovers { removeLeftovers(in: folder) }
        return (key, notice)
      case .none:
        if let key = try make(in: folder, using: &generator) { return (key, notice) }
      case .corrupt where !isLocked:
        // Under the lock it is read once more: another process may just have put a sound one there.
        // File systems that know no lock leave that to luck.
        isLocked = (try? calls.lock(folder)) ?? true
        if !isLocked { return nil }
      case .corrupt:
        try setAside(in: folder)
        notice =
          "The key of reduced accuracy in \(path) was damaged; it was renamed to \(asideName), "
          + "and a new one made. Coarse locations now lie on another grid."
      }
    }
    throw failure("make, as another process keeps changing it,", cause: nil)
  }

  private static var turns: Int { 2_000 }

  /// The key that is kept; made if there is none. Waits for a process that repairs a damaged file.
  ///
  /// - Parameter pause: Waits between two attempts. The last error is thrown when it throws, or
  ///   after as many pauses as ``pauses`` has.
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

  /// Two seconds in all. A lock that is waited for has no deadline and anybody may hold it who may
  /// read the folder, so it is tried again after growing pauses.
  static var pauses: [Duration] {
    [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_000].map { .milliseconds($0) }
  }

  // MARK: Examining

  /// What there is of a key.
  enum Condition: Hashable, Sendable { case kept, missing, damaged }

  /// Looks at what there is, and writes nothing.
  ///
  /// - Throws: ``LocationError`` when the file is not taken, or when one that is needed cannot be
  ///   made in its folder.
  func examine() throws(LocationError) -> Condition {
    let folder: Int32
    do throws(SystemFailure) {
      folder = try calls.openFolder(self.folder)
    } catch {
      guard error.number == ENOENT else { throw failure("open the folder of", cause: error) }
      try checkWritable()
      return .missing
    }
    defer { calls.close(folder) }
    switch try read(in: folder) {
    case .key: return .kept
    case .corrupt:
      try checkWritable()
      return .damaged
    case .none:
      try checkWritable()
      return .missing
    }
  }

  /// The folder, or the nearest above it that is there, takes a new file.
  private func checkWritable() throws(LocationError) {
    var path = folder
    while true {
      do throws(SystemFailure) {
        return try calls.checkWritable(path)
      } catch {
        guard error.number == ENOENT, path != "/", path != "." else {
          throw failure("make", cause: error)
        }
        path = Self.parent(of: path) ?? "."
      }
    }
  }

  // MARK: Folder

  private func openFolder() throws(LocationError) -> Int32 {
    do throws(SystemFailure) {
      return try calls.openFolder(folder)
    } catch {
      guard error.number == ENOENT else { throw failure("open the folder of", cause: error) }
    }
    return try attempt("make the folder of") { () throws(SystemFailure) in
      try makeFolder(folder)
      return try calls.openFolder(folder)
    }
  }

  /// Makes a folder and those above it that are missing.
  private func makeFolder(_ path: String) throws(SystemFailure) {
    let parent = Self.parent(of: path)
    do throws(SystemFailure) {
      try calls.makeFolder(path)
    } catch {
      if error.number == EEXIST { return }
      guard error.number == ENOENT, let parent else { throw error }
      try makeFolder(parent)
      do throws(SystemFailure) {
        try calls.makeFolder(path)
      } catch {
        if error.number == EEXIST { return }
        throw error
      }
    }
    let made = try calls.openFolder(path)
    defer { calls.close(made) }
    try calls.setMode(0o700, of: made)  // Whatever the umask took away.
    let above = try calls.openFolder(parent ?? ".")
    defer { calls.close(above) }
    try calls.synchronize(above)
  }

  private static func parent(of path: String) -> String? {
    guard let slash = path.lastIndex(of: "/") else { return nil }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  // MARK: Reading

  private enum Found {
    case key(ReducedAccuracyKey, hasLeftovers: Bool)
    case corrupt
    case none
  }

  private func read(in folder: Int32) throws(LocationError) -> Found {
    let file: Int32
    do throws(SystemFailure) {
      file = try calls.openFile(name, in: folder)
    } catch {
      switch error.number {
      case ENOENT: return .none
      case ELOOP: throw refusal("is a symbolic link, which is not followed; remove it")
      default: throw failure("open", cause: error)
      }
    }
    defer { calls.close(file) }
    let status = try attempt("look at") { () throws(SystemFailure) in try calls.status(of: file) }
    guard status.isRegular else { throw refusal("is not a regular file; remove it") }
    guard status.owner == user || status.owner == 0 else {
      throw refusal(
        "belongs to user \(status.owner), not to user \(user), who runs this, nor to root; "
          + "change its owner or remove it")
    }
    guard status.mode & 0o077 == 0 else {
      throw refusal("is open to other users; run 'chmod 600 \(path)'")
    }
    let contents = try attempt("read") { () throws(SystemFailure) in
      var contents: [UInt8] = []
      while contents.count <= KeyFileFormat.size {
        let more = try calls.read(file, count: KeyFileFormat.size + 1 - contents.count)
        if more.isEmpty { break }
        contents += more
      }
      return contents
    }
    guard let key = KeyFileFormat.decode(contents) else { return .corrupt }
    return .key(key, hasLeftovers: status.links > 1)
  }

  // MARK: Making

  /// How the names of drafts begin.
  private var draftPrefix: String { ".\(name).new-" }
  private var asideName: String { "\(name).corrupt" }

  /// The key that was made; nil when another process was faster.
  private func make(
    in folder: Int32, using generator: inout some RandomNumberGenerator
  ) throws(LocationError) -> ReducedAccuracyKey? {
    let key = ReducedAccuracyKey(using: &generator)
    let draft = draftPrefix + String(UInt64.random(in: .min ... .max, using: &generator), radix: 16)
    do throws(SystemFailure) {
      let file = try calls.makeFile(draft, in: folder)
      defer { calls.close(file) }
      try calls.setMode(0o600, of: file)  // Whatever the umask took away.
      var rest = KeyFileFormat.encode(key)
      while !rest.isEmpty { rest.removeFirst(try calls.write(rest, to: file)) }
      try calls.synchronize(file)
      try calls.link(draft, to: name, in: folder)
    } catch {
      try? calls.remove(draft, in: folder)
      switch error.number {
      // The name is taken; or the draft is gone, removed as a leftover.
      case EEXIST, ENOENT: return nil
      default: throw failure("make", cause: error)
      }
    }
    removeLeftovers(in: folder)
    try attempt("bring to the disk") { () throws(SystemFailure) in try calls.synchronize(folder) }
    return key
  }

  /// Gives a damaged file another name.
  private func setAside(in folder: Int32) throws(LocationError) {
    do throws(SystemFailure) {
      try calls.rename(name, to: asideName, in: folder)
    } catch {
      if error.number != ENOENT { throw failure("set aside", cause: error) }
    }
  }

  /// Removes drafts of processes that were killed, once there is a key: a process that still writes
  /// one finds the key instead.
  private func removeLeftovers(in folder: Int32) {
    let names = (try? calls.names(in: folder)) ?? []
    for name in names where name.hasPrefix(draftPrefix) { try? calls.remove(name, in: folder) }
  }

  // MARK: Errors

  private func attempt<Result>(
    _ what: String, _ body: () throws(SystemFailure) -> Result
  ) throws(LocationError) -> Result {
    do throws(SystemFailure) { return try body() } catch { throw failure(what, cause: error) }
  }

  /// Another process kept the folder locked.
  var lockError: LocationError {
    failure("repair, as another process keeps locking the folder of,", cause: nil)
  }

  private func failure(_ what: String, cause: SystemFailure?) -> LocationError {
    LocationError(
      .unsupported,
      "Cannot \(what) the key of reduced accuracy \(path)\(cause.map { ": \($0)" } ?? "").",
      cause: cause)
  }

  private func refusal(_ reason: String) -> LocationError {
    LocationError(
      .unsupported, "The key of reduced accuracy is not taken: \(path) \(reason).")
  }
}
