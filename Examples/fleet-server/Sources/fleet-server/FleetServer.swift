import AsyncLocation
import Dispatch
import FleetService
import Foundation
import LocationStorage
import MQTTBackend
import PostgreSQLStorage

/// Follows a fleet until SIGTERM or SIGINT: `fleet-server BROKER AREAS STORAGE [PORT [ADDRESS]]`.
/// SIGHUP reads the areas again. Events are written to standard output, one line of JSON each.
@main
struct FleetServer {
  static func main() async {
    let arguments = Array(CommandLine.arguments.dropFirst())
    let port = arguments.count > 3 ? UInt16(arguments[3]) : 8080
    guard (3...5).contains(arguments.count), let port else {
      log("usage: fleet-server mqtt[s]://HOST[:PORT] AREAS.geojson FILE|URI [PORT [ADDRESS]]")
      exit(2)
    }
    do {
      let host = arguments.count > 4 ? arguments[4] : "127.0.0.1"
      let (reloads, stops) = (await signals(SIGHUP), await signals(SIGTERM, SIGINT))
      let fleet = try await fleet(at: arguments[0], storage: arguments[2], port)
      // An event that cannot be printed is delivered again after the next start.
      let service = FleetService(fleet, areas: arguments[1]) {
        try FileHandle.standardOutput.write(contentsOf: Data(($0 + "\n").utf8))
      }
      try await service.reload()
      try await service.run(host: host, port: port, reloads: reloads, stops: stops) {
        log("Listening on http://\(host):\($0)")
      }
      let unstored = fleet.statistics.unstored
      if unstored > 0 {
        throw LocationError(.storageUnavailable, "\(unstored) locations are lost.")
      }
    } catch {
      log("\(error)")
      exit(1)
    }
  }

  private static func fleet(at url: String, storage: String, _ port: UInt16) async throws -> Fleet {
    var broker = try MQTTConfiguration(url: url)
    // While this server restarts, the broker queues messages for this client identifier. No other
    // client may use the identifier.
    broker.clientIdentifier = "fleet-server-\(ProcessInfo.processInfo.hostName)-\(port)"
    if ProcessInfo.processInfo.environment["MQTT_USER"] != nil {
      broker.credentials = .environment(user: "MQTT_USER", password: "MQTT_PASSWORD")
    }
    let store: any FleetStorage =
      PostgreSQLFleetStorage.isConnection(storage)
      ? PostgreSQLFleetStorage(storage, retention: .seconds(30 * 86_400))
      : SQLiteFleetStorage(file: storage, retention: .seconds(30 * 86_400))
    return try await Fleet(FleetConfiguration(broker), storage: store)
  }

  /// Yields when one of the signals arrives after this call.
  private static func signals(_ numbers: Int32...) async -> AsyncStream<Void> {
    let (stream, signalled) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    for number in numbers {
      // SAFETY: nothing else uses the source, which its handler keeps for the process's lifetime.
      nonisolated(unsafe) let source = DispatchSource.makeSignalSource(signal: number)
      source.setEventHandler { @Sendable in
        withExtendedLifetime(source) {}
        signalled.yield()
      }
      await withCheckedContinuation { registered in
        source.setRegistrationHandler { @Sendable in registered.resume() }
        source.resume()
      }
    }
    return stream
  }
}
