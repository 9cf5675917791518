import AsyncLocation
import FileAccess

/// A new file that appears under its name when it is complete.
///
/// Until then its content is in a draft file in the same directory, with permissions for the owner
/// only. The draft is removed unless ``complete()`` succeeds.
final class CompletedFile {
  let path: String
  /// Receives the content.
  let output: any TextOutput
  private let replaces: Bool
  private let folder: Folder
  private let name: String
  private let draftName: String
  private let draft: OpenFile
  private var isComplete = false

  /// - Throws: ``UsageError`` if the path is taken by anything but a file that may be replaced, and
  ///   ``FileFault`` if nothing can be written there.
  init(path: String, replaces: Bool) throws {
    try Self.check(path, replaces: replaces)
    guard let split = SplitPath(path) else {
      throw FileFault(path, "cannot be created: it names no file, or its name is too long")
    }
    (self.path, self.replaces, name) = (path, replaces, split.name)
    draftName = ".\(Help.name)-\(String(UInt64.random(in: .min ... .max), radix: 36))"
    do throws(SystemFailure) {
      folder = try Folder(split.folder)
      draft = try folder.create(draftName)
    } catch {
      throw FileFault(path, "cannot be created", error.number)
    }
    output = DraftOutput(draft)
  }

  deinit {
    if !isComplete { try? folder.remove(draftName) }
  }

  /// Renames the draft to the name of the file. The content is then on the disk; a failure to
  /// synchronize the directory is ignored.
  ///
  /// - Throws: ``UsageError`` if another file has the path by then, and ``FileFault`` if a system
  ///   call fails.
  func complete() async throws {
    try await runBlocking { [path, replaces, folder, name, draftName, draft] in
      var action = "written"
      do {
        try draft.synchronize()
        // The file at the path may have changed since the first check.
        try Self.check(path, replaces: replaces)
        action = "created"
        // Creates an empty file with the name first, so that no file of another program is
        // replaced.
        if !replaces { try folder.create(name) }
        do {
          try folder.rename(draftName, to: name)
        } catch {
          if !replaces { try? folder.remove(name) }
          throw error
        }
      } catch let failure as SystemFailure {
        throw FileFault(path, "cannot be \(action)", failure.number)
      }
      try? folder.synchronize()
    }
    isComplete = true
  }

  /// Rejects a path that is taken by anything but a file that may be replaced.
  static func check(_ path: String, replaces: Bool) throws(UsageError) {
    guard let status = try? FileStatus(ofPath: path, followsLinks: false) else { return }
    let problem =
      switch status.kind {
      case .regular where replaces: ""
      case .regular: "exists; add --replace, or choose another name"
      case .link: "is a symbolic link; name the file itself"
      case .folder: "is a directory; name a file in it"
      case .other: "is not a regular file; use - for standard output"
      }
    guard problem.isEmpty else { throw UsageError("\(path) \(problem)") }
  }
}

/// Writes to the end of a file, outside the cooperative thread pool.
private actor DraftOutput: TextOutput {
  private let file: OpenFile
  private let thread = FileThread(label: "draft")
  private var length = 0

  nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

  init(_ file: OpenFile) { self.file = file }

  func write(_ text: String) throws(OutputError) {
    let bytes = Array(text.utf8)
    do throws(SystemFailure) {
      try file.write(bytes[...], at: length)
    } catch {
      throw .failed(error.number)
    }
    length += bytes.count
  }
}
