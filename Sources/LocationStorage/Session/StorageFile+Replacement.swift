import AsyncLocation
import FileAccess

extension StorageFile {
  /// Deletes the file and what was set aside, and creates a new one. No one has the file open.
  ///
  /// A mark is written first and removed last: if the deletion fails or the process ends, the next
  /// open deletes before it reads anything.
  ///
  /// - Parameter held: The lock, if it is held already.
  func replace(holding held: FileLock?) throws(LocationError) -> Opened {
    let folder = try openFolder()
    try set(.deletion, remainder, in: folder)
    return try replace(in: folder, holding: held)
  }

  private func replace(
    in folder: Folder, holding held: FileLock?
  ) throws(LocationError) -> Opened {
    try checkFiles(in: folder)
    let lock: FileLock
    switch acquireLock(in: folder, holding: held) {
    case .held(let held): lock = held
    case .inUse: throw inUse
    case .failed(let reason): throw reason
    }
    let aside = try filesSetAside(in: folder)
    // The log goes first: a file without its log is an older content, but a log without its file
    // would be set aside.
    let companions = Self.suffixes.filter { !$0.isEmpty }.map { name + $0 }
    try remove(companions + aside, in: folder)
    // A disk that was full may have room now.
    try set(.deletion, remainder, in: folder)
    do throws(LocationError) {
      try createDraft(in: folder, schema)
    } catch {
      // A full disk: the file itself has the space.
      try remove([name], in: folder)
      try set(.deletion, remainder, in: folder)
      try createDraft(in: folder, schema)
    }
    try publishDraft(in: folder)
    try clear(.deletion, in: folder)
    return try openCreated(in: folder, lock: lock)
  }

  func deleteFilesSetAside() throws(LocationError) {
    let folder = try openFolder()
    try remove(try filesSetAside(in: folder), in: folder)
  }

  /// The names of the damaged files that were set aside, logs before their files: a log may be known
  /// by its file only. The file of another program may have such a name; it stays.
  private func filesSetAside(in folder: Folder) throws(LocationError) -> [String] {
    let names = try attempt("list the folder of") { () throws(SystemFailure) in
      try folder.names().filter(isAside)
    }
    var files: [String] = []
    for name in names where Self.logSuffix(of: name) == nil {
      let isOurs = try begins(name, in: folder) { !$0.isEmpty && schema.isMark(in: $0) }
      if isOurs { files.append(name) }
    }
    var logs: [String] = []
    for name in names {
      guard let suffix = Self.logSuffix(of: name) else { continue }
      let isLog = try begins(name, in: folder) { Self.isLog(Array($0.prefix(8)), suffix) }
      if isLog || files.contains(String(name.dropLast(suffix.count))) { logs.append(name) }
    }
    return logs + files
  }

  private static func logSuffix(of name: String) -> String? {
    suffixes.last { !$0.isEmpty && name.hasSuffix($0) }
  }

  /// Whether the beginning of a file satisfies a condition, or cannot be read: then its deletion fails
  /// with an error.
  private func begins(
    _ name: String, in folder: Folder, _ condition: ([UInt8]) -> Bool
  ) throws(LocationError) -> Bool {
    let status = try attempt("check") { () throws(SystemFailure) in try folder.status(of: name) }
    guard let status else { return false }
    guard status.kind == .regular else { return true }
    return (try? folder.beginning(of: name)).map(condition) ?? true
  }

  /// Ends a deletion that began before.
  func replaceMarked(
    in folder: Folder, holding held: FileLock?
  ) throws(LocationError) -> Opened {
    let marked = try text(of: .deletion, in: folder) ?? ""
    try checkOwnership(in: folder)
    try checkFiles(in: folder)
    return try keeping(marked.isEmpty ? remainder : marked).replace(in: folder, holding: held)
  }

  /// The file that follows this one after its deletion.
  func keeping(_ remainder: String) -> Self {
    var file = self
    file.schema = Database.schema(after: remainder) ?? schema
    file.remainder = remainder
    return file
  }

  /// Refuses to delete a file that is not ours, or a later version's.
  private func checkOwnership(in folder: Folder) throws(LocationError) {
    try checkMark(in: folder)
    guard try existing(name, in: folder).first == "" else { return }
    do throws(DatabaseProblem) {
      _ = try Database.open("\(folder.path)/\(name)", schema: schema, lock: nil)
    } catch {
      switch error {
      case .laterVersion(let version, let supported):
        throw refusal(laterVersion: version, supported: supported)
      case .failed, .unreadable: break  // Damaged by the deletion, or a log without its file.
      }
    }
  }

  private func remove(
    _ names: [String], in folder: Folder
  ) throws(LocationError) {
    try attempt("delete") { () throws(SystemFailure) in
      for name in names { try folder.removeIfPresent(name) }
    }
  }

  /// True for the names that damaged files get, such as `q.sqlite.corrupt-20261122T101848Z-2-wal`.
  private func isAside(_ name: String) -> Bool {
    guard name.hasPrefix(asidePrefix) else { return false }
    var rest = name.utf8.dropFirst(asidePrefix.utf8.count)
    let time = rest.prefix(16)
    rest = rest.dropFirst(16)
    if let suffix = Self.logSuffix(of: name) { rest = rest.dropLast(suffix.utf8.count) }
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    let isTime =
      time.count == 16
      && time.enumerated().allSatisfy { index, byte in
        switch index {
        case 8: byte == UInt8(ascii: "T")
        case 15: byte == UInt8(ascii: "Z")
        default: digits.contains(byte)
        }
      }
    let isNumber =
      rest.count > 1 && rest.first == UInt8(ascii: "-")
      && rest.dropFirst().allSatisfy(digits.contains)
    return isTime && (rest.isEmpty || isNumber)
  }
}
