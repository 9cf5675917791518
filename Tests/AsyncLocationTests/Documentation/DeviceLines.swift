import AsyncLocation
import Foundation

/// The lines of a device whose reads block, such as a serial port.
struct DeviceLines: Sendable {
  private let device: FileHandle  // Closed when the thread and the stream are both done.
  private let wakeUp = Pipe()

  /// Opens a device and reads it on a thread of its own, until the stream is dropped or its
  /// consumer is cancelled. The newest 64 lines wait for a slow consumer.
  static func open(_ path: String) throws -> AsyncThrowingStream<String, any Error> {
    let source = try DeviceLines(path)
    return AsyncThrowingStream(bufferingPolicy: .bufferingNewest(64)) { continuation in
      continuation.onTermination = { _ in
        try? source.wakeUp.fileHandleForWriting.write(contentsOf: [0])
      }
      Thread.detachNewThread {
        continuation.finish(throwing: source.readLines { continuation.yield($0) })
      }
    }
  }

  private init(_ path: String) throws {
    let descriptor = Foundation.open(path, O_RDONLY | O_NOCTTY | O_CLOEXEC)
    guard descriptor >= 0 else {
      let reason = String(cString: strerror(errno))
      throw LocationError(.backendUnavailable, "\(path) cannot be opened: \(reason).")
    }
    device = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }

  /// Hands over line after line. Returns what failed; nil at the end of the input or the stream.
  private func readLines(_ take: (String) -> Void) -> LocationError? {
    let descriptors = [device, wakeUp.fileHandleForReading].map(\.fileDescriptor)
    var line: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1_024)
    while true {
      var events = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      if poll(&events, 2, -1) < 0, errno == EINTR { continue }
      if events[1].revents != 0 { return nil }  // The stream is done.
      let count = read(descriptors[0], &chunk, chunk.count)
      if count < 0, errno == EINTR || errno == EAGAIN { continue }
      if count < 0 {
        let reason = String(cString: strerror(errno))
        return LocationError(.connectionLost, "The device cannot be read: \(reason).")
      }
      if count == 0 { return nil }
      for byte in chunk[..<count] {
        if byte == UInt8(ascii: "\n") {
          take(String(decoding: line, as: UTF8.self))
          line.removeAll()
        } else if line.count < 4_096 {  // A device may send no end of a line at all.
          line.append(byte)
        }
      }
    }
  }
}
