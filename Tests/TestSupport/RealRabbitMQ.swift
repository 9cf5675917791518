import Foundation
import Glibc
package import Testing

/// A RabbitMQ with its MQTT plugin on a free port of 127.0.0.1, with a folder of its own.
/// Deallocation ends the server, and Erlang's port mapper that it has started, and removes the folder.
package final class RealRabbitMQ: Sendable {
  package static let path: String? = ["/usr/lib/rabbitmq/bin/rabbitmq-server"]
    .first { access($0, X_OK) == 0 }

  /// The port for MQTT.
  package let port = freePort()
  private let mapperPort = freePort()
  private let folder = NSTemporaryDirectory() + "rabbitmq-\(UUID().uuidString)"
  private let process: ServerProcess

  /// Starts a server, and returns when it accepts MQTT connections.
  package init() async throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let configuration = """
      listeners.tcp = none
      mqtt.listeners.tcp.1 = 127.0.0.1:\(port)
      mqtt.allow_anonymous = true

      """
    try configuration.write(toFile: folder + "/rabbit.conf", atomically: true, encoding: .utf8)
    try "[rabbitmq_mqtt].\n".write(toFile: folder + "/plugins", atomically: true, encoding: .utf8)
    let log = try ServerProcess.pipe()
    process = try ServerProcess(
      [Self.path ?? "rabbitmq-server"],
      environment: [
        "PATH=/usr/bin:/bin:/usr/sbin", "HOME=\(folder)", "LANG=C.UTF-8",
        "RABBITMQ_NODENAME=test\(port)@localhost", "RABBITMQ_MNESIA_BASE=\(folder)/data",
        "RABBITMQ_LOG_BASE=\(folder)/log", "RABBITMQ_LOGS=-",
        "RABBITMQ_CONFIG_FILE=\(folder)/rabbit",
        "RABBITMQ_ENABLED_PLUGINS_FILE=\(folder)/plugins",
        "RABBITMQ_GENERATED_CONFIG_DIR=\(folder)/generated",
        "RABBITMQ_DIST_PORT=\(freePort())", "ERL_EPMD_PORT=\(mapperPort)",
        // Makes the script become the server, so that a signal reaches it.
        "RUNNING_UNDER_SYSTEMD=1",
      ], standardOutput: log.writing, standardError: log.writing)
    close(log.writing)
    let reader = LogReader(log.reading)
    Thread.detachNewThread { reader.run() }
    let isReady = await onThread { reader.waitForLines(1) { $0.contains("startup complete") } }
    guard isReady else { throw RealBroker.NotReady(log: reader.log) }
  }

  deinit {
    process.stop(SIGKILL)
    _ = try? ServerProcess(["/usr/bin/epmd", "-port", String(mapperPort), "-kill"]).wait()
    try? FileManager.default.removeItem(atPath: folder)
  }
}

extension Trait where Self == ConditionTrait {
  /// Skips tests without RabbitMQ.
  package static var needsRabbitMQ: Self {
    .enabled(if: RealRabbitMQ.path != nil, "rabbitmq-server is not installed")
  }
}
