import AsyncLocation
import Dispatch
import Foundation
import GPSDBackend

/// Prints its location until SIGTERM or SIGINT: `stops-on-sigterm [PORT]`.
@main
struct Service {
  static func main() async {
    let port = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 2947
    let manager = LocationManager(backend: GPSDBackend(port: port))
    let signals = [SIGTERM, SIGINT].map { DispatchSource.makeSignalSource(signal: $0) }
    for source in signals {
      source.setEventHandler { @Sendable in Task { await manager.shutdown() } }
      await withCheckedContinuation { registered in
        source.setRegistrationHandler { @Sendable in registered.resume() }
        source.resume()
      }
    }
    for await update in manager.liveUpdates {
      print(update.location.map { "\($0.latitude) \($0.longitude)" } ?? "No location.")
      fflush(nil)  // Flushes, for a log that is read while the service runs.
    }
    await manager.shutdown()  // Returns when the connection is closed.
    for source in signals { source.cancel() }
    print("Stopped.")
  }
}
