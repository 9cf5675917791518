import AsyncLocation
import Glibc
package import Testing

/// A real gpsd on a free port of 127.0.0.1, fed with NMEA through a listener of the test.
/// Deallocation ends both and removes gpsd's shared memory.
package final class RealGPSD: Sendable {
  package struct NoAnswer: Error {}

  /// The path of gpsd; nil if it is not installed.
  package static let path: String? = ["/usr/sbin/gpsd", "/usr/local/sbin/gpsd", "/usr/bin/gpsd"]
    .first { access($0, X_OK) == 0 }
  /// Whether tests that need gpsd run: gpsd is installed, or they must fail without it.
  package static var isExpected: Bool { path != nil || requiresServers }

  /// The key under which this process looks for shared memory. It is set only once, because the
  /// environment must not be changed while other threads read it.
  package static let ownKey: Int32 = {
    let key = Int32(0x4152_0000 | (getpid() & 0xffff))
    setenv("GPSD_SHM_KEY", String(key), 1)
    return key
  }()

  package let port: Int
  package let sharedMemoryKey: Int32
  package let feed: NMEAFeed
  /// The feed of the second receiver; nil with one receiver.
  package let secondFeed: NMEAFeed?
  private let process = Locked<ServerProcess?>(nil)

  /// The name of the first receiver in gpsd's reports.
  package var device: String { "tcp://127.0.0.1:\(feed.port)" }

  package var secondDevice: String? { secondFeed.map { "tcp://127.0.0.1:\($0.port)" } }

  package init(
    feed: NMEAFeed = NMEAFeed(), sharedMemoryKey: Int32? = nil, receivers: Int = 1
  ) throws {
    port = freePort()
    self.feed = feed
    secondFeed = receivers > 1 ? NMEAFeed() : nil
    self.sharedMemoryKey = sharedMemoryKey ?? Int32(0x4153_0000 | port)
    try start()
  }

  deinit {
    // With SIGTERM, gpsd would take a moment to end.
    process.withLock { $0 }?.stop(SIGKILL)
    unlink(controlPath)
    let segment = shmget(sharedMemoryKey, 0, 0)
    if segment >= 0 { shmctl(segment, IPC_RMID, nil) }
  }

  package func start() throws {
    let program = try ServerProcess(
      [Self.path ?? "gpsd", "-N", "-n", "-b", "-S", String(port), "-F", controlPath, device]
        + [secondDevice].compactMap { $0 },
      environment: ["GPSD_SHM_KEY=\(sharedMemoryKey)", "PATH=/usr/bin:/bin"])
    process.withLock { $0 = program }
  }

  private var controlPath: String { "/tmp/async-location-gpsd-\(port).sock" }

  /// Makes gpsd add ("+") or remove ("-") a receiver, by default the first, as a hot-plug script
  /// does. Returns the answer.
  package func control(_ sign: String, _ path: String? = nil) async throws -> String {
    try await onThread { [self] in try send("\(sign)\(path ?? device)\n") }
  }

  private func send(_ command: String) throws -> String {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: controlPath.utf8) }
    let status = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard status == 0 else { throw NoAnswer() }
    let command = Array(command.utf8)
    guard Glibc.send(descriptor, command, command.count, Int32(MSG_NOSIGNAL)) == command.count
    else { throw NoAnswer() }
    var answer = [UInt8](repeating: 0, count: 64)
    let count = recv(descriptor, &answer, answer.count, 0)
    return String(decoding: answer.prefix(max(0, count)), as: UTF8.self)
  }

  /// Sends a signal to gpsd, without waiting for its end.
  package func send(_ signal: Int32) {
    process.withLock { $0 }?.send(signal)
  }

  /// Ends gpsd, waits for it and returns its exit status.
  @discardableResult
  package func stop(_ signal: Int32) async -> Int32 {
    guard let process = process.withLock({ $0 }) else { return 0 }
    return await onThread { process.stop(signal, isRepeated: true) }
  }
}

extension Trait where Self == ConditionTrait {
  /// Skips a test if gpsd is not installed, unless the test must fail in this case.
  package static var needsGPSD: Self {
    .enabled(if: RealGPSD.isExpected, "gpsd is not installed: apt-get install gpsd")
  }
}
