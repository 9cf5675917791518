import AsyncLocation
import GPSDBackend

/// Prints three fixes from the gpsd on this machine: `three-fixes [PORT]`.
@main
struct ThreeFixes {
  static func main() async throws {
    let port = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 2947
    let backend = GPSDBackend(port: port)
    try await withLocationManager(backend: backend) { manager in
      var count = 0
      for try await location in manager.updates {
        print(location.timestamp, location.latitude, location.longitude)
        count += 1
        if count == 3 { break }
      }
    }
  }
}
