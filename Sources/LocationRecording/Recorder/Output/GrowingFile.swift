import FileAccess

/// A file that grows at its end and has a text after it, which each write replaces.
///
/// Between two calls it ends with that text.
struct GrowingFile {
  private let file: OpenFile
  /// Some file systems count no names.
  private let hasNames: Bool
  /// Where the next text begins.
  private var bodyLength: Int
  /// The text after the body.
  private var ending: [UInt8]
  /// The bytes of the file.
  var length: Int { bodyLength + ending.count }

  /// Opens a file whose body has a length; the first write replaces the bytes after it.
  init(_ file: OpenFile, bodyLength: Int = 0) {
    (self.file, self.bodyLength, ending) = (file, bodyLength, [])
    hasNames = (try? file.status())?.links != 0
  }

  /// Replaces what follows an offset within the body, and the ending, by a text and another ending.
  /// Other programs can read it then; the disk has it after ``synchronize()``.
  ///
  /// If a call fails, the file is as it was, without what followed the offset: also after a failure
  /// of the disk, which may have written any of it, so that the same text can be written again. Only
  /// if the disk fails again while this is done, or the process is killed in that moment, the file is
  /// cut after its body.
  ///
  /// Throws ``SystemFailure/lost`` if the file was removed, or another program has cut it.
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

  /// Throws ``SystemFailure/lost`` as a write does.
  func synchronize() throws(SystemFailure) {
    try file.synchronize()
    try check()
  }

  private func check() throws(SystemFailure) {
    let status = try file.status()
    guard status.length >= bodyLength, status.links > 0 || !hasNames else { throw .lost }
  }

  private func write(_ bytes: [UInt8]) throws(SystemFailure) {
    try file.write(bytes[...], at: bodyLength)
  }
}

extension SystemFailure {
  /// The file was removed or cut by another program. No call of the system fails with this number.
  static var lost: Self { Self(-1) }
}
