import Glibc

/// A new file that appears under its name when it is complete.
///
/// Until then its content is in a file beside it, with a name of its own and permissions for the
/// owner only. That file is removed unless ``complete()`` succeeds.
final class CompletedFile {
  let path: String
  /// Receives the content.
  let output: FileOutput
  private let replaces: Bool
  private let folder: String
  private let temporaryPath: String
  private let descriptor: Int32
  private var isComplete = false

  /// - Throws: ``UsageError`` if the path is taken by anything but a file that may be replaced, and
  ///   ``FileFault`` if nothing can be written there.
  init(path: String, replaces: Bool) throws {
    try Self.check(path, replaces)
    let end = path.lastIndex(of: "/")
    folder = end.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    var template = Array("\(folder)/.\(Help.name)-XXXXXX".utf8CString)
    descriptor = mkstemp(&template)  // For the owner only.
    guard descriptor >= 0 else { throw FileFault(path, "cannot be created", errno) }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    temporaryPath = String(
      decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    output = FileOutput(descriptor)
    (self.path, self.replaces) = (path, replaces)
  }

  deinit {
    close(descriptor)
    if !isComplete { unlink(temporaryPath) }
  }

  static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// Gives the file its name. Returns when the disk has it.
  ///
  /// - Throws: ``UsageError`` if the path has been taken meanwhile, and ``FileFault`` if the system
  ///   fails.
  func complete() async throws {
    try await offPool { [descriptor, temporaryPath, path, folder, replaces] in
      guard fsync(descriptor) == 0 else { throw FileFault(path, "cannot be written", errno) }
      try Self.rename(temporaryPath, path, replaces: replaces)
      let parent = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      if parent >= 0 {
        fsync(parent)
        close(parent)
      }
    }
    isComplete = true
  }

  /// Rejects a path that is taken by anything but a file that may be replaced.
  static func check(_ path: String, _ replaces: Bool) throws(UsageError) {
    var information = stat()
    guard lstat(path, &information) == 0 else { return }
    let kind =
      switch information.st_mode & S_IFMT {
      case S_IFREG where replaces: ""
      case S_IFREG: "exists; add --replace, or choose another name"
      case S_IFLNK: "is a symbolic link; name the file itself"
      case S_IFDIR: "is a directory; name a file in it"
      default: "is not a regular file; use - for standard output"
      }
    guard kind.isEmpty else { throw UsageError("\(path) \(kind)") }
  }

  private static func rename(_ source: String, _ path: String, replaces: Bool) throws {
    // The file there may have changed since.
    try check(path, replaces)
    if !replaces {
      // Claims the name, so that nothing is replaced that appears now.
      let claim = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
      guard claim >= 0 else { throw FileFault(path, "cannot be created", errno) }
      close(claim)
    }
    guard Glibc.rename(source, path) == 0 else {
      let number = errno
      if !replaces { unlink(path) }
      throw FileFault(path, "cannot be created", number)
    }
  }
}
