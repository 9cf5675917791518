import LocationRecording

/// Reads a file that the user names.
struct InputFile: Sendable {
  static let maximumLength = 256 << 20

  let path: String

  /// Returns the whole file.
  ///
  /// - Throws: ``UsageError`` with the path and the reason.
  func read() throws(UsageError) -> [UInt8] {
    var bytes: [UInt8] = []
    do throws(RecordingError) {
      let file = try RecordingFile(path: path)
      while let chunk = try file.read() {
        bytes += chunk
        guard bytes.count <= Self.maximumLength else {
          throw RecordingError(.tooLarge, "the file is longer than \(Self.maximumLength >> 20) MB")
        }
      }
    } catch {
      throw UsageError("\(path): \(error)")
    }
    return bytes
  }
}
