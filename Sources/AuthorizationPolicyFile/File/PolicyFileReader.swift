import FileAccess

/// Reads a complete policy file, and refuses a file that other users could have written.
struct PolicyFileReader: Sendable {
  static let maximumLength = 1 << 20
  /// The maximum number of readings of a file that changes while it is read.
  private static let attempts = 5

  /// Why a file cannot be used.
  struct Problem: Error, Hashable, Sendable {
    let message: String
    var kind = Kind.mistake

    enum Kind: Sendable {
      /// Wrong contents or a missing file. Both can occur while the file is being saved.
      case mistake
      /// An error that may pass without a change of the file, such as a lack of descriptors.
      case transient
      /// Another user could have written the file.
      case insecure
    }
  }

  let path: String

  func read() throws(Problem) -> AuthorizationRules {
    let bytes = try bytes()
    do throws(AuthorizationRules.Fault) {
      return try AuthorizationRules(bytes)
    } catch {
      throw Problem(message: "line \(error.line): \(error.message)")
    }
  }

  /// Returns the whole file as of one moment.
  private func bytes() throws(Problem) -> [UInt8] {
    guard !path.utf8.contains(0) else { throw Problem(message: "its path holds a NUL") }
    for _ in 0..<Self.attempts {
      let file = try Problem.describing("it") { () throws(SystemFailure) in
        try OpenFile(reading: path)
      }
      try check(status(of: file), of: "the file", remedy: "chmod go-w")
      try checkPath()
      let before = try status(of: file)
      guard before.length <= Self.maximumLength else { throw Self.tooLong }
      let bytes = try Problem.describing("it") { () throws(SystemFailure) in
        try file.contents(limit: Self.maximumLength)
      }
      guard bytes.count <= Self.maximumLength else { throw Self.tooLong }
      let after = try status(of: file)
      if bytes.count == after.length, before == after { return bytes }
    }
    throw Problem(message: "it changes while it is read", kind: .transient)
  }

  private static let tooLong = Problem(message: "it is longer than \(maximumLength) bytes")

  private func status(of file: OpenFile) throws(Problem) -> FileStatus {
    try Problem.describing("it") { () throws(SystemFailure) in try file.status() }
  }

  // MARK: Ownership and permissions

  private func check(
    _ status: FileStatus, of what: String, remedy: String
  ) throws(Problem) {
    if what == "the file", status.kind != .regular {
      throw Problem(message: "it is not a plain file")
    }
    guard status.isTrusted else {
      throw Problem(
        message: "\(what) belongs to user \(status.owner), who is neither root nor the one who "
          + "runs this program (\(FileStatus.currentUser)); change its owner", kind: .insecure)
    }
    let isSticky = status.kind == .folder && status.isSticky
    guard !status.isWritableByOthers || isSticky else {
      let mode = String(status.mode, radix: 8)
      throw Problem(
        message: "\(what) can be written by others (mode 0\(mode)); \(remedy)",
        kind: .insecure)
    }
  }

  /// Checks the folders and links on the path: a user who can write one of the folders, or owns one
  /// of the links, can redirect the path.
  private func checkPath() throws(Problem) {
    for step in PathWalk.steps(to: path) {
      let folder = try Problem.describing("its folder") { () throws(SystemFailure) in
        try FileStatus(ofPath: step.folder, followsLinks: true)
      }
      try check(
        folder, of: "the folder \(step.folder.quotedForMessage)",
        remedy: "chmod go-w, or make it sticky")
      guard folder.isWritableByOthers else { continue }
      // In a sticky folder, other users can still create names that do not exist yet.
      let name = step.folder == "/" ? "/\(step.name)" : "\(step.folder)/\(step.name)"
      let status = try Problem.describing("it") { () throws(SystemFailure) in
        try FileStatus(ofPath: name, followsLinks: false)
      }
      guard status.isTrusted else {
        throw Problem(
          message: "\(name.quotedForMessage), on the way to it, belongs to user \(status.owner)",
          kind: .insecure)
      }
    }
  }
}

extension PolicyFileReader.Problem {
  /// Makes a call, and describes its failure as one of reading `what`.
  static func describing<Value>(
    _ what: String, _ call: () throws(SystemFailure) -> Value
  ) throws(Self) -> Value {
    do throws(SystemFailure) {
      return try call()
    } catch {
      throw unreadable(what, error)
    }
  }

  static func unreadable(_ what: String, _ failure: SystemFailure) -> Self {
    Self(
      message: "\(what) cannot be read: \(failure)", kind: failure.mayPass ? .transient : .mistake)
  }
}

extension FileStatus {
  /// Whether the file belongs to root or to the user of this process.
  fileprivate var isTrusted: Bool { owner == 0 || owner == Self.currentUser }
  fileprivate var isWritableByOthers: Bool { mode & 0o022 != 0 }
}
