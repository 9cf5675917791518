import AsyncLocation
import FileAccess

extension StorageFile {
  /// Deletes the file and the files that were set aside, and creates a new file. The file must not
  /// be open.
  ///
  /// A mark is written first and removed last: if the deletion fails or the process ends, the next
  /// open completes the deletion before it reads anything.
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
    // The log is deleted first: a file without its log has older content, but a log without its
    // file would be set aside.
    let companions = Self.suffixes.filter { !$0.isEmpty }.map { name + $0 }
    try remove(companions + aside, in: folder)
    // A disk that was full may have room for the mark now.
    try set(.deletion, remainder, in: folder)
    do throws(LocationError) {
      try createDraft(in: folder, schema)
    } catch {
      // On a full disk, deleting the file itself frees the space for the draft.
      try remove([name], in: folder)
      try set(.deletion, remainder, in: folder)
      try createDraft(in: folder, schema)
    }
    try publishDraft(in: folder)
    try clear(.deletion, in: folder)
    return try openCreated(in: folder, lock: lock)
  }

  /// Deletes the damaged files that were set aside.
  func deleteFilesSetAside() throws(LocationError) {
    let folder = try openFolder()
    try remove(try filesSetAside(in: folder), in: folder)
  }

  /// The names of the damaged files that were set aside. Logs come before their databases, because
  /// some logs are recognized only by their database. Another program's file with such a name is
  /// left out.
  private func filesSetAside(in folder: Folder) throws(LocationError) -> [String] {
    let names = try attempt("list the folder of") { () throws(SystemFailure) in
      try folder.names().filter(isAside)
    }
    var files: [String] = []
    for name in names where Self.logSuffix(of: name) == nil {
      let isOurs = try begins(name, in: folder) { !$0.isEmpty && schema.hasApplicationID(in: $0) }
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

  /// Whether the beginning of a file satisfies a condition; false if there is no file. True if the
  /// file is not regular or cannot be read, so that its deletion is attempted.
  private func begins(
    _ name: String, in folder: Folder, _ condition: ([UInt8]) -> Bool
  ) throws(LocationError) -> Bool {
    let status = try attempt("check") { () throws(SystemFailure) in try folder.status(of: name) }
    guard let status else { return false }
    guard status.kind == .regular else { return true }
    return (try? folder.beginning(of: name)).map(condition) ?? true
  }

  /// Completes a deletion that was begun earlier.
  func replaceMarked(
    in folder: Folder, holding held: FileLock?
  ) throws(LocationError) -> Opened {
    let markedRemainder = try text(of: .deletion, in: folder) ?? ""
    try checkOwnership(in: folder)
    try checkFiles(in: folder)
    return try keeping(markedRemainder.isEmpty ? remainder : markedRemainder)
      .replace(in: folder, holding: held)
  }

  /// The file that replaces this one after its deletion, with the content that is carried over.
  func keeping(_ remainder: String) -> Self {
    var file = self
    file.schema = Database.schema(after: remainder) ?? schema
    file.remainder = remainder
    return file
  }

  /// Throws if the file belongs to another program or was written by a later version.
  private func checkOwnership(in folder: Folder) throws(LocationError) {
    try checkApplicationID(in: folder)
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
