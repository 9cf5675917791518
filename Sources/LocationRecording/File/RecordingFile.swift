import FileAccess

/// An open file that is read from its beginning. Closed when it is released.
package struct RecordingFile: ~Copyable {
  /// The maximum number of bytes that ``read()`` returns.
  package static let chunkLength = 1 << 16

  private let file: OpenFile

  package init(path: String) throws(RecordingError) {
    do throws(SystemFailure) {
      file = try OpenFile(reading: path)
    } catch {
      throw Self.error("opened", error)
    }
  }

  /// The whole content of a file.
  ///
  /// - Throws: ``RecordingError`` with code ``RecordingError/Code/tooLarge`` beyond 256 MiB.
  package static func contents(of path: String) throws(RecordingError) -> [UInt8] {
    let limit = 256 << 20
    let file = try Self(path: path)
    var bytes: [UInt8] = []
    while let chunk = try file.read() {
      bytes += chunk
      guard bytes.count <= limit else {
        throw RecordingError(.tooLarge, "the file is longer than \(limit >> 20) MiB")
      }
    }
    return bytes
  }

  /// The next bytes; nil at the end of the file.
  package func read() throws(RecordingError) -> [UInt8]? {
    do throws(SystemFailure) {
      let bytes = try file.next(Self.chunkLength)
      return bytes.isEmpty ? nil : bytes
    } catch {
      throw Self.error("read", error)
    }
  }

  private static func error(_ action: String, _ failure: SystemFailure) -> RecordingError {
    RecordingError(.unreadable, "the file cannot be \(action): \(failure)")
  }
}
