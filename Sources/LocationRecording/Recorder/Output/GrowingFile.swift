import FileAccess

/// A file whose body grows, followed by an ending that each write replaces.
///
/// Between two calls the file ends with the ending.
struct GrowingFile {
  let file: OpenFile
  /// Whether the file system counts the hard links of files; some do not.
  private let countsLinks: Bool
  /// The offset of the next text.
  private var bodyLength: Int
  /// The text after the body.
  private var ending: [UInt8]
  /// The length of the file in bytes.
  var length: Int { bodyLength + ending.count }

  /// Continues an open file after a body of a length. The first write replaces the bytes after it.
  init(_ file: OpenFile, bodyLength: Int = 0) {
    (self.file, self.bodyLength, ending) = (file, bodyLength, [])
    countsLinks = (try? file.status())?.links != 0
  }

  /// Replaces the bytes after an offset in the body with a text and an ending. Other programs can
  /// then read them; they are on the disk after ``synchronize()``.
  ///
  /// If the write fails, the previous ending is restored at the offset, even after a partial write,
  /// so that the same text can be written again. The file lacks a complete ending only if the
  /// restoration also fails, or if the process is killed.
  ///
  /// Throws ``SystemFailure/lost`` if another program removed or truncated the file.
  mutating func write(
    _ text: [UInt8], at offset: Int, ending next: [UInt8]
  ) throws(SystemFailure) {
    bodyLength = offset
    try check()
    do throws(SystemFailure) {
      try write(text + next)
      try file.truncate(to: bodyLength + text.count + next.count)
    } catch {
      try? write(ending)
      try? file.truncate(to: length)
      throw error
    }
    bodyLength += text.count
    ending = next
  }

  /// Replaces the ending.
  mutating func end(with ending: [UInt8]) throws(SystemFailure) {
    try write([], at: bodyLength, ending: ending)
  }

  /// Flushes the file to the disk. Throws ``SystemFailure/lost`` as a write does.
  func synchronize() throws(SystemFailure) {
    try file.synchronize()
    try check()
  }

  private func check() throws(SystemFailure) {
    let status = try file.status()
    guard status.length >= bodyLength, status.links > 0 || !countsLinks else { throw .lost }
  }

  private func write(_ bytes: [UInt8]) throws(SystemFailure) {
    try file.write(bytes[...], at: bodyLength)
  }
}

extension SystemFailure {
  /// Another program removed or truncated the file. No system call fails with this number.
  static var lost: Self { Self(-1) }
}
