#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// An open file that is read from its beginning. Closed when it is released.
package struct RecordingFile: ~Copyable {
  package static let chunkLength = 1 << 16

  private let descriptor: Int32

  package init(path: String) throws(RecordingError) {
    // Opening a FIFO would wait for a writer; without one it is empty.
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw Self.failure("opened") }
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK)
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// The whole content of a file, of at most 256 MiB.
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
    while true {
      var count = 0
      let bytes = unsafe [UInt8](unsafeUninitializedCapacity: Self.chunkLength) { buffer, length in
        count = unsafe Self.read(descriptor, buffer)
        length = max(0, count)
      }
      if count > 0 { return bytes }
      if count == 0 { return nil }
      if errno != EINTR { throw Self.failure("read") }
    }
  }

  private static func read(
    _ descriptor: Int32, _ buffer: UnsafeMutableBufferPointer<UInt8>
  ) -> Int {
    #if canImport(Glibc)
      unsafe Glibc.read(descriptor, buffer.baseAddress, buffer.count)
    #elseif canImport(Musl)
      unsafe Musl.read(descriptor, buffer.baseAddress, buffer.count)
    #elseif canImport(Darwin)
      unsafe Darwin.read(descriptor, buffer.baseAddress, buffer.count)
    #endif
  }

  private static func failure(_ action: String) -> RecordingError {
    let reason = unsafe String(cString: strerror(errno))
    return RecordingError(.unreadable, "the file cannot be \(action): \(reason)")
  }
}
