import Foundation
import MQTTBackend

/// A mosquitto process on a free port, and a fleet that follows it.
final class Broker: Sendable {
  let port: Int
  let fleet: Fleet
  private let process: Process
  private let ends: AsyncStream<Void>

  /// Returns when the fleet is connected.
  init() async throws {
    port = try Self.freePort()
    process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/sbin/mosquitto")
    process.arguments = ["-p", "\(port)"]
    process.standardError = FileHandle.nullDevice
    let (ends, ended) = AsyncStream<Void>.makeStream()
    self.ends = ends
    process.terminationHandler = { _ in ended.finish() }
    try process.run()
    fleet = try Fleet(FleetConfiguration(try Self.configuration(port: port)))
    _ = fleet.devices  // Connects.
    for await state in fleet.connectionStates where state.phase == .connected { break }
  }

  /// Returns when the process has ended.
  func stop() async {
    await fleet.shutdown()
    // The process has inherited the blocked signals of a pool thread, so SIGTERM may have no
    // effect.
    kill(process.processIdentifier, SIGKILL)
    for await _ in ends {}
  }

  static func configuration(port: Int) throws -> MQTTConfiguration {
    var configuration = try MQTTConfiguration(url: "mqtt://127.0.0.1:\(port)")
    configuration.reconnection = .exponential(
      initial: .milliseconds(10), maximum: .milliseconds(100))
    return configuration
  }

  private static func freePort() throws -> Int {
    let (descriptor, port) = try boundSocket()
    close(descriptor)
    return port
  }

  /// A socket that is bound to a free port. The caller closes it.
  static func boundSocket() throws -> (descriptor: Int32, port: Int) {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let status = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) | getsockname(descriptor, $0, &length)
      }
    }
    guard status == 0 else { throw POSIXError(.EADDRNOTAVAIL) }
    return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
  }
}
