import Glibc
import TestSupport

/// A network interface pair between the test and a broker in a network namespace of its own.
///
/// The end of the broker's process removes both interfaces.
struct BrokerNetwork: Sendable {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// The broker's address on this link.
  let address: String
  /// The broker's process. The other end of the link is in its network namespace.
  private let process: Int32
  private let name: String

  /// Adds a link to a broker that was started with `hasOwnNetwork`.
  init(to broker: RealBroker) async throws {
    process = broker.processIdentifier
    // 198.18.0.0/15 is reserved for tests; each link takes four addresses of it.
    let number = UInt32.random(in: 0..<1 << 15)
    let base = UInt32(198) << 24 | 18 << 16 | number << 2
    func text(_ address: UInt32) -> String {
      [24, 16, 8, 0].map { String(address >> $0 & 0xFF) }.joined(separator: ".")
    }
    name = "altest\(number)"
    address = text(base + 2)
    let peer = "\(name)b"
    try await onThread { [self, own = text(base + 1)] in
      try Self.ip("link", "add", name, "type", "veth", "peer", "name", peer, "netns", "\(process)")
      try Self.ip("addr", "add", "\(own)/30", "dev", name)
      try Self.ip("link", "set", name, "up")
      try inNamespace("addr", "add", "\(address)/30", "dev", peer)
      try inNamespace("link", "set", peer, "up")
    }
  }

  /// Sets the broker's end of the link up or down. While it is down no packet passes, and no open
  /// connection is notified.
  func set(up: Bool) async throws {
    try await onThread { [self] in
      try inNamespace("link", "set", "\(name)b", up ? "up" : "down")
    }
  }

  private func inNamespace(_ arguments: String...) throws {
    try Self.run(["/usr/bin/nsenter", "--net=/proc/\(process)/ns/net", Self.path] + arguments)
  }

  private static func ip(_ arguments: String...) throws { try run([path] + arguments) }

  private static let path: String =
    ["/usr/sbin/ip", "/sbin/ip", "/usr/bin/ip"].first { access($0, X_OK) == 0 } ?? "ip"

  private static func run(_ arguments: [String]) throws {
    // Signal 0 ends nothing: `stop` waits until the program ends by itself.
    let status = try ServerProcess(arguments).stop(0)
    guard status == 0 else {
      throw Failure(
        description: "\(arguments.joined(separator: " ")): exit \(status >> 8 & 0xFF)")
    }
  }

  /// Whether this machine permits such links. Prints the reason if it does not.
  static var isPossible: Bool {
    get async {
      guard let reason = await obstacle.value else { return true }
      print("No link to a broker: \(reason)")
      return false
    }
  }

  /// The reason why this machine permits no such links; nil if it does.
  private static let obstacle: Task<String?, Never> = Task { await onThread { findObstacle() } }

  private static func findObstacle() -> String? {
    if access(path, X_OK) != 0 { return "ip (iproute2) is not installed" }
    if geteuid() != 0 { return "a network namespace needs root" }
    do {
      try run(["/usr/bin/unshare", "--net", "/bin/true"])
    } catch {
      return "a network namespace is not permitted (CAP_SYS_ADMIN): \(error)"
    }
    do {
      try run(
        ["/usr/bin/unshare", "--net", path, "link", "add", "altest", "type", "veth"]
          + ["peer", "name", "altestb"])
      return nil
    } catch {
      return "a network interface is not permitted (CAP_NET_ADMIN): \(error)"
    }
  }
}
