import Foundation
import Glibc

/// Three `nats-server` nodes on free ports of 127.0.0.1, which map `owntracks/USER/DEVICE` to
/// `fleet/PARTITION/USER/DEVICE`. Deallocation ends the nodes and removes their folder.
package final class NATSCluster: Sendable {
  package static let partitionCount = 2
  /// The ports for MQTT.
  package let ports: [Int]
  private let folder = NSTemporaryDirectory() + "nats-\(UUID().uuidString)"
  private let nodes: [ServerProcess]

  /// Starts the nodes, and returns when each has found the others.
  package init() async throws {
    let (ports, monitorPorts) = ((0..<3).map { _ in freePort() }, (0..<3).map { _ in freePort() })
    let routePorts = (0..<3).map { _ in freePort() }
    self.ports = ports
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let routes = routePorts.map { "\"nats-route://127.0.0.1:\($0)\"" }.joined(separator: ", ")
    var nodes: [ServerProcess] = []
    for node in 0..<3 {
      let configuration = """
        server_name: node\(node)
        listen: "127.0.0.1:-1"
        http: "127.0.0.1:\(monitorPorts[node])"
        jetstream { store_dir: "\(folder)/node\(node)" }
        mqtt { listen: "127.0.0.1:\(ports[node])", ack_wait: "1s", stream_replicas: 3 }
        cluster { name: test, listen: "127.0.0.1:\(routePorts[node])", routes: [\(routes)] }
        mappings: {
          "owntracks.*.*":
            "fleet.{{partition(\(Self.partitionCount),1,2)}}.{{wildcard(1)}}.{{wildcard(2)}}"
        }
        """
      let path = folder + "/node\(node).conf"
      try configuration.write(toFile: path, atomically: true, encoding: .utf8)
      nodes.append(try ServerProcess([RealNATS.path ?? "nats-server", "-c", path]))
    }
    self.nodes = nodes
    // Until then, subscriptions seem to work and leave nothing behind.
    for port in monitorPorts { await onThread { Self.waitUntilHealthy(port) } }
  }

  private static func waitUntilHealthy(_ port: Int) {
    let request = """
      exec 3<>/dev/tcp/127.0.0.1/\(port) && printf 'GET /healthz HTTP/1.0\\r\\n\\r\\n' >&3 \
      && grep -q '200 OK' <&3
      """
    while (try? ServerProcess(["/bin/bash", "-c", request]).wait()) != 0 {}
  }

  /// Kills a node with SIGKILL.
  package func kill(_ node: Int) async {
    let process = nodes[node]
    await onThread { _ = process.stop(SIGKILL) }
  }

  deinit {
    for node in nodes { node.stop(SIGKILL) }
    try? FileManager.default.removeItem(atPath: folder)
  }
}
