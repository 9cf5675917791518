import AsyncLocation
import Foundation
import Glibc
import TestSupport
import Testing

@testable import GPSDBackend
@testable import LocationTransport

/// A real gpsd on a free port of 127.0.0.1, fed with NMEA through a listener of the test.
/// Deallocation ends both and removes gpsd's shared memory.
final class RealGPSD: Sendable {
  struct NoAnswer: Error {}

  /// The path of gpsd; nil if it is not installed.
  static let path: String? = ["/usr/sbin/gpsd", "/usr/local/sbin/gpsd", "/usr/bin/gpsd"]
    .first { access($0, X_OK) == 0 }
  /// Whether tests that need gpsd run: gpsd is installed, or they must fail without it.
  static var isExpected: Bool { path != nil || requiresServers }

  /// The key under which this process looks for shared memory. It is set only once, because the
  /// environment must not be changed while other threads read it.
  static let ownKey: Int32 = {
    let key = Int32(0x4152_0000 | (getpid() & 0xffff))
    setenv("GPSD_SHM_KEY", String(key), 1)
    return key
  }()

  let port: Int
  let sharedMemoryKey: Int32
  let feed: NMEAFeed
  /// The feed of the second receiver; nil with one receiver.
  let secondFeed: NMEAFeed?
  private let process = Locked<ServerProcess?>(nil)

  /// The name of the first receiver in gpsd's reports.
  var device: String { "tcp://127.0.0.1:\(feed.port)" }

  var secondDevice: String? { secondFeed.map { "tcp://127.0.0.1:\($0.port)" } }

  init(
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

  func start() throws {
    let program = try ServerProcess(
      [Self.path ?? "gpsd", "-N", "-n", "-b", "-S", String(port), "-F", controlPath, device]
        + [secondDevice].compactMap { $0 },
      environment: ["GPSD_SHM_KEY=\(sharedMemoryKey)", "PATH=/usr/bin:/bin"])
    process.withLock { $0 = program }
  }

  private var controlPath: String { "/tmp/async-location-gpsd-\(port).sock" }

  /// Makes gpsd add ("+") or remove ("-") a receiver, by default the first, as a hot-plug script
  /// does. Returns the answer.
  func control(_ sign: String, _ path: String? = nil) async throws -> String {
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

  /// Allows the receiver to send `epochs` epochs once the run's connection state lists it. Returns
  /// the next `count` locations of the run, or fewer if the run ends, and pauses the receiver.
  func drive(_ run: BackendRun, count: Int = 5, epochs: Int = 500) async -> [Location] {
    defer { feed.pause() }
    var locations: [Location] = []
    for await event in run.events {
      switch event {
      case .connection(let state)
      where state.phase == .connected && state.receivers.contains { $0.name == device }:
        feed.start(epochs)
      case .location(let location):
        locations.append(location)
        if locations.count >= count { return locations }
      default: break
      }
    }
    return locations
  }

  /// Sends a signal to gpsd, without waiting for its end.
  func send(_ signal: Int32) {
    process.withLock { $0 }?.send(signal)
  }

  /// Ends gpsd, waits for it and returns its exit status.
  @discardableResult
  func stop(_ signal: Int32) async -> Int32 {
    guard let process = process.withLock({ $0 }) else { return 0 }
    return await onThread { process.stop(signal, isRepeated: true) }
  }
}

/// A TCP server that a gpsd uses as a receiver: sends epochs of NMEA as fast as they are read,
/// under the test's control. Time continues across connections, so every fix is newer than the
/// previous one. A test may also provide the epochs.
final class NMEAFeed: Sendable {
  private final class Core: Sendable {
    private struct State {
      /// The number of further epochs that may be sent.
      var allowance = 0
      var isStopped = false
      /// The number of epochs that were sent.
      var sent = 0
    }

    // SAFETY: `state` is accessed only between `lock` and `unlock` of this condition.
    private let condition = NSCondition()
    nonisolated(unsafe) private var state = State()
    private let sequence: [[UInt8]]?

    init(_ sequence: [[UInt8]]?) { self.sequence = sequence }

    private func change(_ body: (inout State) -> Void) {
      condition.lock()
      body(&state)
      condition.broadcast()
      condition.unlock()
    }

    func setAllowance(_ count: Int) { change { $0.allowance = count } }
    func addAllowance(_ count: Int) { change { $0.allowance += count } }
    func stop() { change { $0.isStopped = true } }

    /// The next epoch, once it may be sent; nil at the end.
    func next() -> [UInt8]? {
      condition.lock()
      defer { condition.unlock() }
      while state.allowance == 0, !state.isStopped { condition.wait() }
      guard !state.isStopped, state.sent < (sequence?.count ?? NMEAFeed.length) else {
        return nil
      }
      state.sent += 1
      state.allowance -= 1
      return sequence?[state.sent - 1] ?? Array(NMEAFeed.epoch(state.sent).joined().utf8)
    }

    func serve(_ connection: Int32) {
      while let bytes = next() {
        guard Glibc.send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL)) > 0 else { break }
      }
      close(connection)
    }
  }

  /// The number of generated epochs; the last one is before midnight.
  static let length = 40_000

  var port: Int { listener.port }
  private let listener = Listener(backlog: 8)
  private let core: Core

  /// A recording as one epoch.
  convenience init(playing recording: [UInt8]) { self.init(sequence: [recording]) }

  /// Consecutive epochs; generated unless provided.
  init(sequence: [[UInt8]]? = nil) {
    core = Core(sequence)
    listener.accept { [core] connection in
      _ = NamedThread.start("nmea-client") { core.serve(connection) }
    }
  }

  deinit {
    core.stop()
    listener.stop()
  }

  /// Sends a number of epochs. Tests send no more than they need, because gpsd handles no client
  /// and no command while a receiver floods it, and drops slow readers.
  func start(_ count: Int = 500) { core.setAllowance(count) }
  /// Sends more epochs.
  func sendMore(_ count: Int) { core.addAllowance(count) }
  func pause() { core.setAllowance(0) }

  /// One epoch of a receiver: GGA, GSA, GSV and RMC at a second after 2026-05-04 12:00 UTC.
  static func epoch(_ second: Int) -> [String] {
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let clock = two(12 + second / 3600) + two(second / 60 % 60) + two(second % 60)
    let minutes = "\(15 + second % 60 / 10).\(1000 + second % 1000)"
    return [
      "GPGGA,\(clock).00,60\(minutes),N,02430.5000,E,1,08,0.9,30.5,M,17.2,M,,",
      "GPGSA,A,3,02,04,06,09,12,17,23,25,,,,,1.8,0.9,1.5",
      "GPGSV,2,1,08,02,45,120,40,04,30,210,38,06,60,300,42,09,15,045,35",
      "GPGSV,2,2,08,12,50,080,41,17,20,150,37,23,70,250,44,25,35,330,39",
      "GPRMC,\(clock).00,A,60\(minutes),N,02430.5000,E,10.0,90.0,040526,,,A",
    ].map { body in
      let sum = body.utf8.reduce(0 as UInt8, ^)
      let digits = String(sum, radix: 16, uppercase: true)
      return "$\(body)*\(digits.count < 2 ? "0" : "")\(digits)\r\n"
    }
  }
}

extension Trait where Self == ConditionTrait {
  /// Skips a test if gpsd is not installed, unless the test must fail in this case.
  static var needsGPSD: Self {
    .enabled(if: RealGPSD.isExpected, "gpsd is not installed: apt-get install gpsd")
  }
}
