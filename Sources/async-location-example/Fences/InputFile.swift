import LocationRecording

/// Reads a file that the user names.
struct InputFile: Sendable {
  let path: String

  /// Returns the whole file.
  ///
  /// - Throws: ``UsageError`` with the path and the reason.
  func read() throws(UsageError) -> [UInt8] {
    do throws(RecordingError) {
      return try RecordingFile.contents(of: path)
    } catch {
      throw UsageError("\(path): \(error)")
    }
  }
}
