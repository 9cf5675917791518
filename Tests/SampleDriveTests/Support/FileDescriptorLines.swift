import Foundation

/// Reads the lines of a pipe or socket, and closes it on deallocation.
final class FileDescriptorLines {
  private let descriptor: Int32
  private var buffer: [UInt8] = []
  private static let timeoutMilliseconds: Int32 = 30_000

  init(_ descriptor: Int32) {
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// Connects to a port of this machine.
  convenience init(connectingTo port: UInt16) throws {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    self.init(descriptor)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
    let status = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard status == 0 else {
      throw ChildProcess.Failure(
        description: "no connection to port \(port): \(String(cString: strerror(errno)))")
    }
  }

  func send(_ text: String) throws {
    let bytes = Array(text.utf8)
    guard Foundation.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
      throw ChildProcess.Failure(description: "could not send \(text)")
    }
  }

  /// Ends the connection in both directions.
  func disconnect() { shutdown(descriptor, Int32(SHUT_RDWR)) }

  /// Returns the next line without its line feed; nil at the end, where a line without a line feed
  /// is dropped.
  ///
  /// - Throws: If nothing arrives for 30 seconds.
  func next() throws -> String? {
    while true {
      if let end = buffer.firstIndex(of: 10) {
        defer { buffer.removeFirst(end + 1) }
        return String(decoding: buffer[..<end], as: UTF8.self)
      }
      var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&polled, 1, Self.timeoutMilliseconds) > 0 else {
        throw ChildProcess.Failure(description: "nothing came for \(Self.timeoutMilliseconds) ms")
      }
      var chunk = [UInt8](repeating: 0, count: 65_536)
      let count = read(descriptor, &chunk, chunk.count)
      guard count > 0 else { return nil }
      buffer += chunk[..<count]
    }
  }
}
