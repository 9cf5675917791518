import AsyncLocation
import GPSDBackend
import TripService

/// Prints how far the receiver moves in one minute: `trip-service [PORT]`.
@main
struct Service {
  static func main() async throws {
    let port = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 2947
    try await withLocationManager(backend: GPSDBackend(port: port)) { manager in
      let minute = Task {
        try await Task.sleep(for: .seconds(60))
        await manager.shutdown()  // Ends the stream.
      }
      defer { minute.cancel() }
      print("Moved", try await Trip.length(of: manager.updates), "m in one minute.")
    }
  }
}
