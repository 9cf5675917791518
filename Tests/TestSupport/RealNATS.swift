import Foundation
import Glibc
package import Testing

/// A `nats-server` with JetStream and MQTT 3.1.1 on a free port of 127.0.0.1, with a folder of its
/// own. Deallocation ends the server and removes the folder.
package final class RealNATS: Sendable {
  package static let path: String? =
    (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    .map { $0 + "/nats-server" }.first { access($0, X_OK) == 0 }

  /// The port for MQTT.
  package let port = freePort()
  private let folder = NSTemporaryDirectory() + "nats-\(UUID().uuidString)"
  private let process: ServerProcess

  /// Starts a server, and returns when it accepts MQTT connections.
  package init() async throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let configuration = """
      server_name: test
      listen: "127.0.0.1:-1"
      jetstream { store_dir: "\(folder)" }
      mqtt { listen: "127.0.0.1:\(port)" }
      """
    try configuration.write(toFile: folder + "/nats.conf", atomically: true, encoding: .utf8)
    let log = try ServerProcess.pipe()
    process = try ServerProcess(
      [Self.path ?? "nats-server", "-c", folder + "/nats.conf"], standardError: log.writing)
    close(log.writing)
    let reader = LogReader(log.reading)
    Thread.detachNewThread { reader.run() }
    let isReady = await onThread { reader.waitForLines(1) { $0.contains("Server is ready") } }
    guard isReady else { throw RealBroker.NotReady(log: reader.log) }
  }

  deinit {
    process.stop(SIGKILL)
    try? FileManager.default.removeItem(atPath: folder)
  }
}

extension Trait where Self == ConditionTrait {
  /// Skips tests without a `nats-server` in the path.
  package static var needsNATS: Self {
    .enabled(if: RealNATS.path != nil, "nats-server is not in the path")
  }
}
