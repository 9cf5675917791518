import AsyncLocation
import Foundation
import Glibc
import TestSupport
import Testing

@testable import GeoClueBackend

/// Debian's GeoClue on a private bus, with an NMEA source of the test and an agent for this user.
/// Deallocation ends it.
final class RealGeoClue: Sendable {
  /// The path of the program; nil if it is not installed.
  static let path: String? = ["/usr/libexec/geoclue", "/usr/lib/geoclue-2.0/geoclue"]
    .first { access($0, X_OK) == 0 }

  let bus: PrivateBus
  let source: NMEASocket
  private let process = Locked<ServerProcess?>(nil)
  private let agent = Locked<BusPeer?>(nil)
  private let level = Locked(UInt32(8))

  /// Starts GeoClue, with another configuration if one is given.
  init(configuration: String? = nil) async throws {
    bus = try await PrivateBus()
    source = try NMEASocket(path: bus.folder + "/nmea")
    try await start(configuration: configuration)
  }

  deinit { process.withLock { $0 }?.stop(SIGKILL) }

  /// Starts GeoClue, and returns when it has its name.
  func start(configuration: String? = nil) async throws {
    let watcher = try await BusPeer(on: bus.address)
    var command = [Self.path ?? "geoclue", "-t", "0", "-u", source.path]
    if let configuration {
      let file = bus.folder + "/geoclue.conf"
      try configuration.write(toFile: file, atomically: true, encoding: .utf8)
      // The path of the configuration is fixed, so it is replaced in a namespace of its own.
      command =
        [
          "/usr/bin/unshare", "-m", "/bin/sh", "-c",
          #"mount --bind "$0" /etc/geoclue/geoclue.conf && exec "$@""#, file,
        ] + command
    }
    let program = try ServerProcess(
      command,
      environment: ["PATH=/usr/sbin:/usr/bin:/bin", "DBUS_SYSTEM_BUS_ADDRESS=\(bus.address)"])
    process.withLock { $0 = program }
    while try await watcher.call(BusPeer.bus("NameHasOwner", [.string(FakeGeoClue.name)]))
      != [.boolean(true)]
    { await Task.yield() }
  }

  /// Ends GeoClue, and waits for its end.
  func stop() async {
    let program = process.withLock { $0 }
    await onThread { _ = program?.stop(SIGKILL) }
  }

  /// Registers an agent, and returns when GeoClue has read its level.
  func addAgent(level: UInt32 = 8, grants: Bool = true) async throws {
    self.level.withLock { $0 = level }
    let (reads, sink) = AsyncStream.makeStream(of: Void.self)
    let agent = try await BusPeer(on: bus.address) { [level = self.level] request in
      switch request.member {
      case "GetAll":
        sink.yield()
        return .values([.dictionary(["MaxAccuracyLevel": .uint32(level.withLock { $0 })])])
      case "AuthorizeApp": return .values([.boolean(grants), .uint32(8)])
      default: return .silence
      }
    }
    self.agent.withLock { $0 = agent }
    let manager = "/org/freedesktop/GeoClue2/Manager"
    try await agent.call(
      BusCall(
        destination: FakeGeoClue.name, path: manager, interface: "\(FakeGeoClue.name).Manager",
        member: "AddAgent", arguments: [.string("geoclue-demo-agent")]))
    await reads.first { true }
  }

  /// Changes the level of accuracy that the agent permits, as a switch in settings does.
  func setLevel(_ level: UInt32) {
    self.level.withLock { $0 = level }
    agent.withLock { $0 }?.emit(
      "/org/freedesktop/GeoClue2/Agent", "org.freedesktop.DBus.Properties", "PropertiesChanged",
      [
        .string("\(FakeGeoClue.name).Agent"), .dictionary(["MaxAccuracyLevel": .uint32(level)]),
      ])
  }

  func removeAgent() { agent.withLock { $0 = nil } }

  /// A configuration with only the NMEA source, and sections of programs.
  static func configuration(_ programs: String, agents: String = "geoclue-demo-agent") -> String {
    """
    [agent]
    whitelist=\(agents)
    [network-nmea]
    enable=true
    [3g]
    enable=false
    [cdma]
    enable=false
    [modem-gps]
    enable=false
    [wifi]
    enable=false
    submit-data=false
    [compass]
    enable=false
    \(programs)
    """
  }

  /// Whether a test may replace the configuration: mounts need the rights of root.
  static let mayMount: Bool = {
    let program = try? ServerProcess([
      "/usr/bin/unshare", "-m", "/bin/mount", "--bind", "/etc/hostname", "/etc/hostname",
    ])
    return program?.wait() == 0
  }()
}

extension Trait where Self == ConditionTrait {
  /// Skips a test if GeoClue or `dbus-daemon` is not installed, unless the test must fail in this
  /// case.
  static var needsGeoClue: Self {
    .enabled(
      if: RealGeoClue.path != nil && PrivateBus.path != nil || requiresServers,
      "GeoClue is not installed: apt-get install geoclue-2.0 dbus")
  }

  /// Skips a test that replaces GeoClue's configuration without the right to mount files.
  static var needsMounts: Self {
    .enabled(if: RealGeoClue.mayMount, "Replacing GeoClue's configuration needs root.")
  }
}
