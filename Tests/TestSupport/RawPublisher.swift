import Foundation
import Glibc

/// An MQTT 3.1.1 client that writes packets to a socket itself, so that it can send messages that a
/// library refuses. Its blocking calls run on threads of their own.
package final class RawPublisher: Sendable {
  package struct Failure: Error {
    package let what: String
  }

  package struct Message: Sendable {
    package var topic: [UInt8]
    package var payload: [UInt8]
    package var isRetained: Bool

    package init(_ topic: String, _ payload: String, isRetained: Bool = false) {
      self.init(Array(topic.utf8), Array(payload.utf8), isRetained: isRetained)
    }

    package init(_ topic: [UInt8], _ payload: [UInt8], isRetained: Bool = false) {
      (self.topic, self.payload, self.isRetained) = (topic, payload, isRetained)
    }
  }

  /// The number of messages after which the publisher waits for their acknowledgements.
  private static let window = 1_000

  private let descriptor: Int32
  private let lock = NSLock()

  package init(to port: Int) async throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    try await onThread { [self] in try connect(to: port) }
  }

  private func connect(to port: Int) throws {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    address.sin_port = UInt16(port).bigEndian
    let status = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard status == 0 else { throw Failure(what: "connect: \(errno)") }
    let name = Array("raw-\(UUID().uuidString)".utf8)
    let body = Self.text(Array("MQTT".utf8)) + [4, 0x02, 0, 0] + Self.text(name)
    try write([0x10] + Self.length(body.count) + body)
    // CONNACK has 4 bytes, of which the last is the return code.
    guard try read(4).last == 0 else { throw Failure(what: "CONNECT was refused") }
  }

  deinit { close(descriptor) }

  /// Publishes with QoS 1 and returns when the broker has acknowledged all messages.
  package func publish(_ messages: [Message]) async throws {
    try await onThread { try self.publishBlocking(messages) }
  }

  private func publishBlocking(_ messages: [Message]) throws {
    try lock.withLock {
      var rest = messages[...]
      while !rest.isEmpty {
        let part = rest.prefix(Self.window)
        rest = rest.dropFirst(part.count)
        var bytes: [UInt8] = []
        for (index, message) in part.enumerated() {
          let id = index + 1
          let body =
            Self.text(message.topic) + [UInt8(id >> 8), UInt8(id & 0xFF)] + message.payload
          bytes += [0x32 | (message.isRetained ? 1 : 0)] + Self.length(body.count) + body
        }
        try write(bytes)
        // PUBACK has 4 bytes.
        _ = try read(4 * part.count)
      }
    }
  }

  private func write(_ bytes: [UInt8]) throws {
    var start = 0
    while start < bytes.count {
      let count = bytes.withUnsafeBytes {
        send(descriptor, $0.baseAddress! + start, bytes.count - start, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { throw Failure(what: "send: \(errno)") }
      start += count
    }
  }

  private func read(_ count: Int) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let received = recv(descriptor, &bytes, count, Int32(MSG_WAITALL))
    guard received == count else { throw Failure(what: "the broker closed the connection") }
    return bytes
  }

  /// A string as MQTT encodes it: its length in two bytes, and its bytes.
  private static func text(_ bytes: [UInt8]) -> [UInt8] {
    [UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)] + bytes
  }

  /// The remaining length of a packet as MQTT encodes it, in seven bits a byte.
  private static func length(_ count: Int) -> [UInt8] {
    var (rest, bytes) = (count, [UInt8]())
    repeat {
      bytes.append(UInt8(rest & 0x7F) | (rest > 0x7F ? 0x80 : 0))
      rest >>= 7
    } while rest > 0
    return bytes
  }
}
