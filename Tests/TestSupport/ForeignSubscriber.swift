import Foundation
import Glibc

/// `mosquitto_sub` on a broker of a test: a client that is independent of this package.
package final class ForeignSubscriber: Sendable {
  package struct Message: Hashable, Sendable {
    package let topic: String
    package let payload: String

    package init(topic: String, payload: String) {
      (self.topic, self.payload) = (topic, payload)
    }
  }

  private let process: ServerProcess
  private let lines: AsyncStream<String>

  /// Subscribes and returns when the broker has confirmed the subscription.
  package init(to filter: String, of broker: RealBroker) async throws {
    let name = "foreign-\(UUID().uuidString)"
    let output = try ServerProcess.pipe()
    process = try ServerProcess(
      [
        "/usr/bin/mosquitto_sub", "-h", "127.0.0.1", "-p", String(broker.port), "-q", "1",
        "-i", name, "-t", filter, "-F", "%t %p",
      ], standardOutput: output.writing)
    close(output.writing)
    let (lines, sink) = AsyncStream.makeStream(of: String.self, bufferingPolicy: .unbounded)
    self.lines = lines
    let descriptor = output.reading
    Thread.detachNewThread {
      var rest: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: 65_536)
      while true {
        let count = read(descriptor, &buffer, buffer.count)
        guard count > 0 else { break }
        rest += buffer.prefix(count)
        var start = 0
        while let end = rest[start...].firstIndex(of: UInt8(ascii: "\n")) {
          sink.yield(String(decoding: rest[start..<end], as: UTF8.self))
          start = end + 1
        }
        rest.removeFirst(start)
      }
      close(descriptor)
      sink.finish()
    }
    await broker.waitForLog("Sending SUBACK to \(name)")
  }

  /// Returns the next `count` messages; fewer if the client ends first.
  package func messages(_ count: Int) async -> [Message] {
    var messages: [Message] = []
    guard count > 0 else { return [] }
    for await line in lines {
      let parts = line.split(separator: " ", maxSplits: 1)
      messages.append(
        Message(topic: String(parts[0]), payload: parts.count > 1 ? String(parts[1]) : ""))
      if messages.count == count { break }
    }
    return messages
  }
}
