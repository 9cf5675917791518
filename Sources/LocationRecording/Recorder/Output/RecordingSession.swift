import AsyncLocation
import FileAccess

/// Opens, writes, rotates and closes the files of one recorder, on its own thread.
actor RecordingSession {
  private let thread = FileThread(label: "AsyncLocation.recording")
  private let folder: Folder
  private let format: RecordingWriter.Format
  private var file: GrowingFile?
  /// The last closed file. It is unlocked, but remains open so that its inode is not reused.
  private var closedFile: OpenFile?

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe thread.asUnownedSerialExecutor() }

  init(_ folder: Folder, format: RecordingWriter.Format) {
    (self.folder, self.format) = (folder, format)
  }

  /// Creates the file with a header, or opens an existing one as `existing` determines.
  ///
  /// The last closed file is always continued; `existing` applies to other files.
  ///
  /// - Parameter title: The name of the track in a header.
  /// - Returns: The content after which the recording continues.
  func open(
    _ name: String, existing: ExistingRecording, title: String?
  ) throws(LocationError) -> RecordedContent {
    let failures = OutputFailure(name)
    let status = try failures.attempt("check") { () throws(SystemFailure) in
      try folder.status(of: name)
    }
    guard let status else { return try create(name, title: title) }
    if status.inode == (try? closedFile?.status())?.inode { return try resume(name, title: title) }
    switch existing {
    case .refuse:
      guard isWithoutPoints(name) else { throw failures.taken }
      return try resume(name, title: title)
    case .append: return try resume(name, title: title)
    case .replace: return try replace(name, title: title)
    }
  }

  /// Writes a text and an ending into the current file, at an offset.
  func write(_ text: [UInt8], at offset: Int, ending: [UInt8]) throws(SystemFailure) {
    try file?.write(text, at: offset, ending: ending)
  }

  /// Flushes the current file to the disk.
  func synchronize() throws(SystemFailure) { try file?.synchronize() }

  /// Ends the current file, and begins the next one with a text.
  ///
  /// - Returns: The name of the file: the given name, with a number if it is taken.
  /// - Throws: `SystemFailure.exists` if the names with all numbers are taken.
  func rotate(
    to name: RotatedName, _ text: [UInt8], ending: [UInt8]
  ) throws(SystemFailure) -> String {
    for number in 1... {
      let candidate = name.text(number)
      do throws(SystemFailure) {
        file = try begin(candidate, text, ending: ending)
        return candidate
      } catch {
        guard error == .exists, number < RotatedName.maximumNumber else { throw error }
      }
    }
    throw .exists
  }

  /// Closes the file.
  ///
  /// - Parameter ending: The new ending of the file; nil to leave the ending unchanged. If writing
  ///   it fails, the previous ending remains.
  func close(ending: [UInt8]?) {
    if let ending {
      try? file?.end(with: ending)
      try? file?.synchronize()
    }
    closedFile = file.take()?.file
    closedFile?.unlock()
  }

  // MARK: Opening

  private func create(_ name: String, title: String?) throws(LocationError) -> RecordedContent {
    try OutputFailure(name).attempt("create") { () throws(SystemFailure) in
      var text = RecordingText(format, name: title)
      let header = text.begin()
      file = try begin(name, header, ending: text.end())
      return RecordedContent(bodyLength: header.count)
    }
  }

  /// Creates a file with a first text, and synchronizes it. Removes it again if that fails.
  private func begin(
    _ name: String, _ text: [UInt8], ending: [UInt8]
  ) throws(SystemFailure) -> GrowingFile {
    let new = try folder.create(name)
    do throws(SystemFailure) {
      _ = try Self.lock(new)
      var file = GrowingFile(new)
      try file.write(text, at: 0, ending: ending)
      try file.synchronize()
      try folder.synchronize()
      return file
    } catch {
      try? folder.remove(name)
      throw error
    }
  }

  /// Opens an existing recording, and removes its ending and an incomplete last point.
  private func resume(_ name: String, title: String?) throws(LocationError) -> RecordedContent {
    let failures = OutputFailure(name)
    let existing = try openExisting(name)
    var content = try scan(existing, failures)
    var text = RecordingText(format, afterSegment: content.lastSegment)
    var header: [UInt8] = []
    if content.bodyLength == 0 {
      // The file may end within its header, which is written again.
      text = RecordingText(format, name: title)
      header = text.begin()
    } else if content.lacksLineFeed {
      header = [10]
    }
    try failures.attempt("write") { () throws(SystemFailure) in
      var grown = GrowingFile(existing, bodyLength: content.bodyLength)
      try grown.write(header, at: content.bodyLength, ending: text.end())
      try grown.synchronize()
      file = grown
    }
    content.bodyLength += header.count
    return content
  }

  /// Whether an existing file is a recording that ended before its first point, but is not empty.
  /// Continuing it loses nothing.
  private func isWithoutPoints(_ name: String) -> Bool {
    guard let file = try? openExisting(name), (try? file.status())?.length != 0,
      let content = try? scan(file, OutputFailure(name))
    else { return false }
    return content.lastSegment == 0
  }

  /// Reads an existing file, and returns the content to continue.
  private func scan(
    _ file: OpenFile, _ failures: OutputFailure
  ) throws(LocationError) -> RecordedContent {
    var scanner = RecordedContentScanner(format)
    var offset = 0
    while true {
      let bytes = try failures.attempt("read") { () throws(SystemFailure) in
        try file.read(1 << 16, at: offset)
      }
      do throws(RecordedContentScanner.ForeignFile) {
        if bytes.isEmpty { return try scanner.finish() }
        try scanner.read(bytes)
      } catch {
        throw failures.foreign(format)
      }
      offset += bytes.count
    }
  }

  /// Replaces an existing file atomically with a new one.
  private func replace(_ name: String, title: String?) throws(LocationError) -> RecordedContent {
    let failures = OutputFailure(name)
    // Holds the lock of the replaced file until the new file has its name.
    let replaced = try openExisting(name)
    let draft = ".\(name).new"
    try failures.attempt("replace") { () throws(SystemFailure) in
      // An existing draft is from a killed recorder, since no other recorder has the lock.
      try folder.removeIfPresent(draft)
    }
    let content = try create(draft, title: title)
    try failures.attempt("replace") { () throws(SystemFailure) in
      try folder.rename(draft, to: name)
      try folder.synchronize()
    }
    return withExtendedLifetime(replaced) { content }
  }

  /// Opens and locks an existing file, if a recorder may write to it.
  private func openExisting(_ name: String) throws(LocationError) -> OpenFile {
    let failures = OutputFailure(name)
    let named = try failures.attempt("check") { () throws(SystemFailure) in
      try folder.status(of: name)
    }
    if let named { try failures.check(named) }
    let file = try failures.attempt("open") { () throws(SystemFailure) in
      try folder.open(name, for: .readingAndWriting)
    }
    // Checks again: the name may now refer to another file.
    let status = try failures.attempt("check") { () throws(SystemFailure) in try file.status() }
    try failures.check(status)
    let isLocked = try failures.attempt("lock") { () throws(SystemFailure) in
      try Self.lock(file)
    }
    guard isLocked else { throw failures.inUse }
    return file
  }

  /// Locks a file until it is closed. Returns false if another recorder has locked it.
  private static func lock(_ file: OpenFile) throws(SystemFailure) -> Bool {
    do throws(SystemFailure) {
      return try file.lock()
    } catch {
      // A file system without locks cannot prevent a second recorder.
      guard error.isLackOfLocks else { throw error }
      return true
    }
  }
}
