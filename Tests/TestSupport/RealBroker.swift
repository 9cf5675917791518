import Foundation
import Glibc
package import Testing

/// A mosquitto broker on a free port of 127.0.0.1, with a folder of its own. Deallocation ends the
/// broker and removes the folder. Blocking calls run on threads of their own.
package final class RealBroker: @unchecked Sendable {
  package static let path: String? = ["/usr/sbin/mosquitto", "/usr/local/sbin/mosquitto"]
    .first { access($0, X_OK) == 0 }
  /// Whether tests that need mosquitto run: it is installed, or they must fail without it.
  fileprivate static var isExpected: Bool { path != nil || requiresServers }

  // SAFETY: only the thread that `init` waits for changes it.
  package private(set) var port: Int
  /// The folder of the configuration, for certificates and rules.
  package let folder: String
  private let configuration: String
  private let hasOwnNetwork: Bool
  // SAFETY: a test starts and stops its broker from one task at a time.
  private var process: ServerProcess?

  /// Starts a broker.
  ///
  /// - Parameters:
  ///   - lines: Added to the configuration; `$FOLDER` is ``folder``. By default, clients may do
  ///     everything.
  ///   - files: Written to the folder first.
  ///   - passwords: The users of the file `$FOLDER/passwords`.
  ///   - hasOwnNetwork: Whether the broker runs in a network namespace of its own, which has no
  ///     interface yet, and listens on all addresses there. Needs root.
  ///   - prepare: Called with the folder before the broker starts.
  package init(
    _ lines: [String] = ["allow_anonymous true"], files: [String: String] = [:],
    passwords: [String: String] = [:], hasOwnNetwork: Bool = false,
    prepare: @escaping @Sendable (String) throws -> Void = { _ in }
  ) async throws {
    port = freePort()
    self.hasOwnNetwork = hasOwnNetwork
    folder = NSTemporaryDirectory() + "broker-\(UUID().uuidString)"
    configuration = folder + "/mosquitto.conf"
    try await onThread { [self] in try setUp(lines, files, passwords, prepare) }
  }

  private func setUp(
    _ lines: [String], _ files: [String: String], _ passwords: [String: String],
    _ prepare: (String) throws -> Void
  ) throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let user = getuid() == 0 ? ["user root"] : []
    let settings =
      ["log_dest stderr", "log_type all"] + user
      + lines.map { $0.replacingOccurrences(of: "$FOLDER", with: folder) }
    for (name, content) in files { try write(content, to: name) }
    if !passwords.isEmpty { try write("", to: "passwords") }
    for (user, password) in passwords {
      let arguments = ["/usr/bin/mosquitto_passwd", "-b", folder + "/passwords", user, password]
      guard try ServerProcess(arguments).wait() == 0 else { throw NotReady(log: arguments) }
    }
    try prepare(folder)
    while true {
      let address = hasOwnNetwork ? "0.0.0.0" : "127.0.0.1"
      try write(
        (["listener \(port) \(address)"] + settings).joined(separator: "\n") + "\n",
        to: "mosquitto.conf")
      do {
        try launch()
        break
      } catch let error as NotReady where error.isPortTaken {
        port = freePort()
      }
    }
  }

  deinit {
    process?.stop(SIGKILL)
    try? FileManager.default.removeItem(atPath: folder)
  }

  package func write(_ content: String, to name: String) throws {
    try content.write(toFile: folder + "/" + name, atomically: true, encoding: .utf8)
    chmod(folder + "/" + name, 0o600)
  }

  /// Starts the broker and returns when it accepts connections.
  package func start() async throws { try await onThread { [self] in try launch() } }

  private func launch() throws {
    let log = try ServerProcess.pipe()
    let isolation = hasOwnNetwork ? ["/usr/bin/unshare", "--net"] : []
    process = try ServerProcess(
      isolation + [Self.path ?? "mosquitto", "-c", configuration], standardError: log.writing)
    close(log.writing)
    let reader = LogReader(log.reading)
    Thread.detachNewThread { reader.run() }
    guard reader.waitForLines(1, where: { $0.contains(" running") }) else {
      throw NotReady(log: reader.log)
    }
    // mosquitto logs that it is running before it handles signals. Once it has answered a client,
    // it handles them.
    if !hasOwnNetwork { waitForAnswer() }
    self.log = reader
  }

  /// Returns once the broker has handled a connection.
  private func waitForAnswer() {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    address.sin_port = UInt16(port).bigEndian
    withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        _ = connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    // The broker answers by closing its side of the connection.
    shutdown(descriptor, Int32(SHUT_WR))
    var byte: UInt8 = 0
    _ = recv(descriptor, &byte, 1, 0)
  }

  package struct NotReady: Error {
    package let log: [String]
    fileprivate var isPortTaken: Bool { log.contains { $0.contains("Address already in use") } }
  }

  // SAFETY: as `process`.
  private var log: LogReader?

  /// The lines that the broker has logged since it was started.
  package var lines: [String] { log?.log ?? [] }

  /// Waits until the broker has logged a text in `count` lines since its start.
  ///
  /// - Returns: False if the broker ended before.
  @discardableResult
  package func waitForLog(_ text: String, count: Int = 1) async -> Bool {
    await waitForLog(count) { $0.contains(text) }
  }

  @discardableResult
  private func waitForLog(
    _ count: Int, where isWanted: @escaping @Sendable (String) -> Bool
  ) async -> Bool {
    guard let log else { return false }
    return await onThread { log.waitForLines(count, where: isWanted) }
  }

  /// Returns when `count` clients have ended since the broker's start, with DISCONNECT or without:
  /// a client that closes before it has read everything resets the connection, and then the broker
  /// may not read the DISCONNECT.
  package func waitForEnds(_ count: Int) async {
    await waitForLog(count) { Self.ended(in: $0) != nil }
  }

  /// The name of the client that ended, according to a line of the log; nil also for a client
  /// without a name, as in ``waitForAnswer()``.
  package static func ended(in line: String) -> Substring? {
    let words = line.split(separator: " ")
    guard let index = words.firstIndex(of: "Client"), index + 2 < words.count,
      words[index + 1] != "<unknown>"
    else { return nil }
    // "disconnected." and, with the error of a write, "disconnected: Broken pipe."
    let hasEnded =
      words[index + 2].hasPrefix("disconnected")
      || ["already", "been", "closed", "has"].contains(words[index + 2])
    return hasEnded ? words[index + 1] : nil
  }

  /// The number of connected clients whose subscriptions were confirmed. A subscription to a `$SYS`
  /// topic does not count, since the client's other subscriptions follow it.
  package var subscriberCount: Int {
    var names: Set<Substring> = []
    var isSystemTopic = false
    for line in lines {
      let words = line.split(separator: " ")
      if line.contains(": \t") {
        isSystemTopic = line.contains("\t$SYS/")
      } else if line.contains("Sending SUBACK to ") {
        if !isSystemTopic { names.insert(words[words.count - 1]) }
      } else if let name = Self.ended(in: line) {
        names.remove(name)
      }
    }
    return names.count
  }

  /// Returns when a number of clients are subscribed, or the task is cancelled.
  package func waitForSubscribers(_ count: Int) async {
    while subscriberCount < count, !Task.isCancelled { await Task.yield() }
  }

  /// The broker's process; 0 if it does not run.
  package var processIdentifier: Int32 { process?.identifier ?? 0 }

  package func send(_ signal: Int32) { process?.send(signal) }

  package func stop(_ signal: Int32 = SIGTERM) async {
    guard let process = process.take() else { return }
    await onThread { _ = process.stop(signal) }
  }
}

extension RealBroker {
  /// Configures mosquitto's own plugin with the rules of the file `$FOLDER/rules.json`. A plain
  /// `acl_file` refuses no subscription: it withholds the messages.
  package static let dynamicRules = [
    "allow_anonymous true",
    "plugin \(pluginFolder)/mosquitto_dynamic_security.so",
    "plugin_opt_config_file $FOLDER/rules.json",
  ]

  /// Rules that allow everything but subscriptions.
  package static let noSubscriptions = [
    "rules.json": """
    {"defaultACLAccess":{"publishClientSend":true,"publishClientReceive":true,"subscribe":false,\
    "unsubscribe":true},"clients":[],"groups":[],"roles":[]}
    """
  ]

  private static let pluginFolder =
    ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/local/lib"]
    .first { access($0 + "/mosquitto_dynamic_security.so", R_OK) == 0 } ?? "/usr/lib"
}

extension Trait where Self == ConditionTrait {
  /// Skips a test if mosquitto is not installed, unless ``requiresServers`` is set.
  package static var needsBroker: Self {
    .enabled(if: RealBroker.isExpected, "mosquitto is not installed")
  }
}
