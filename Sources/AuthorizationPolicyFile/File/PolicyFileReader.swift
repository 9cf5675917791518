import Glibc

/// Reads a complete policy file, and refuses a file that other users could have written.
struct PolicyFileReader: Sendable {
  static let maximumLength = 1 << 20
  private static let attempts = 5

  /// Why a file cannot be used.
  struct Problem: Error, Hashable, Sendable {
    let message: String
    var kind = Kind.mistake

    enum Kind: Sendable {
      /// Wrong contents or a missing file. Both can occur while the file is being saved.
      case mistake
      /// An error that may pass without a change of the file, such as a lack of descriptors.
      case trouble
      /// Another user could have written it.
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
    for _ in 0..<Self.attempts {
      let file = try OpenedFile(path)
      try check(file.status(), "the file", "chmod go-w")
      try checkWay()
      let before = try file.status()
      guard before.st_size <= Self.maximumLength else {
        throw Problem(message: "it is longer than \(Self.maximumLength) bytes")
      }
      let bytes = try file.read(atMost: Self.maximumLength + 1)
      let after = try file.status()
      if bytes.count == Int(after.st_size), before.isAtTheSameMoment(as: after) { return bytes }
    }
    throw Problem(message: "it changes while it is read", kind: .trouble)
  }

  // MARK: Ownership and permissions

  private func check(_ status: stat, _ what: String, _ remedy: String) throws(Problem) {
    if what == "the file", status.st_mode & S_IFMT != S_IFREG {
      throw Problem(message: "it is not a plain file")
    }
    guard status.st_uid == 0 || status.st_uid == geteuid() else {
      throw Problem(
        message: "\(what) belongs to user \(status.st_uid), who is neither root nor the one who "
          + "runs this program (\(geteuid())); change its owner", kind: .insecure)
    }
    let isSticky = status.st_mode & S_IFMT == S_IFDIR && status.st_mode & S_ISVTX != 0
    guard status.st_mode & 0o022 == 0 || isSticky else {
      let mode = String(status.st_mode & 0o7777, radix: 8)
      throw Problem(
        message: "\(what) can be written by others (mode 0\(mode)); \(remedy)",
        kind: .insecure)
    }
  }

  /// A user who can write a folder on the path, or owns a link on it, can redirect the path.
  private func checkWay() throws(Problem) {
    for step in PathWalk.steps(to: path) {
      var status = stat()
      guard unsafe stat(step.folder, &status) == 0 else { throw .system("its folder", errno) }
      try check(
        status, "the folder \(step.folder.quotedForMessage)", "chmod go-w, or make it sticky")
      guard status.st_mode & 0o022 != 0 else { continue }
      // In a sticky folder, other users can still create names that do not exist yet.
      let name = step.folder == "/" ? "/\(step.name)" : "\(step.folder)/\(step.name)"
      guard unsafe lstat(name, &status) == 0 else { throw .system("it", errno) }
      guard status.st_uid == 0 || status.st_uid == geteuid() else {
        throw Problem(
          message: "\(name.quotedForMessage), on the way to it, belongs to user \(status.st_uid)",
          kind: .insecure)
      }
    }
  }
}

extension PolicyFileReader.Problem {
  static func system(_ what: String, _ number: Int32) -> Self {
    let text = unsafe String(cString: strerror(number))
    let passes = [EMFILE, ENFILE, ENOMEM, EINTR, EAGAIN, EIO].contains(number)
    return Self(message: "\(what) cannot be read: \(text)", kind: passes ? .trouble : .mistake)
  }
}

/// A file descriptor that is closed once.
private struct OpenedFile: ~Copyable {
  private let descriptor: Int32

  init(_ path: String) throws(PolicyFileReader.Problem) {
    guard !path.utf8.contains(0) else {
      throw PolicyFileReader.Problem(message: "its path holds a NUL")
    }
    // `O_NONBLOCK`: opening a FIFO must not wait for a writer.
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0 else { throw .system("it", errno) }
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  func status() throws(PolicyFileReader.Problem) -> stat {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw .system("it", errno) }
    return status
  }

  func read(atMost limit: Int) throws(PolicyFileReader.Problem) -> [UInt8] {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 16_384)
    while bytes.count < limit {
      let count = unsafe chunk.withUnsafeMutableBytes { buffer in
        unsafe Glibc.read(descriptor, buffer.baseAddress, buffer.count)
      }
      if count == 0 { return bytes }
      if count < 0 {
        if errno == EINTR { continue }
        throw .system("it", errno)
      }
      bytes += chunk[..<count]
    }
    throw PolicyFileReader.Problem(message: "it is longer than \(limit - 1) bytes")
  }
}

extension stat {
  fileprivate func isAtTheSameMoment(as other: Self) -> Bool {
    st_size == other.st_size && st_ino == other.st_ino && st_mode == other.st_mode
      && st_mtim.tv_sec == other.st_mtim.tv_sec && st_mtim.tv_nsec == other.st_mtim.tv_nsec
      && st_ctim.tv_sec == other.st_ctim.tv_sec && st_ctim.tv_nsec == other.st_ctim.tv_nsec
  }
}
