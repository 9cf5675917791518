import AsyncLocation
import GPSDBackend
import Glibc

/// `async-location-loop events|updates|options PORT`: reads every fix of a server until it closes,
/// by the backend alone, by `manager.updates`, or by `manager.updates(_:)`.
@main
struct Loop {
  struct Total: Sendable {
    var fixes = 0
    var sum = 0.0

    mutating func add(_ location: Location) {
      fixes += 1
      sum += location.latitude + location.longitude
      sum += (location.altitude ?? 0) + (location.speed ?? 0)
    }
  }

  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 3, let port = Int(arguments[2]) else { exit(2) }
    var configuration = GPSDConfiguration()
    configuration.host = "127.0.0.1"
    configuration.port = port
    configuration.reconnection = .never  // The server's end is the end.
    let backend = GPSDBackend(configuration)
    let everything = Buffering.newest(10_000_000)
    let manager = LocationManager(backend: backend, configuration: .init(buffering: everything))
    // Off the main actor, as a service would: there each element of a stream costs a hop.
    let total = try await Task.detached {
      try await read(arguments[1], backend, manager, everything)
    }.value
    var usage = rusage()
    getrusage(RUSAGE_SELF.rawValue, &usage)
    let seconds =
      Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
      + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6
    let dropped = await manager.statistics.elementsDropped
    let sum = (total.sum * 1000).rounded() / 1000
    print("reports \(total.fixes) cpu \(seconds) checksum \(sum) dropped \(dropped)")
  }

  nonisolated private static func read(
    _ what: String, _ backend: GPSDBackend, _ manager: LocationManager, _ everything: Buffering
  ) async throws -> Total {
    var total = Total()
    do {
      switch what {
      case "events": total = try await events(of: backend)
      case "updates": for try await location in manager.updates { total.add(location) }
      case "options":
        for try await location in manager.updates(UpdateOptions(buffering: everything)) {
          total.add(location)
        }
      default: exit(2)
      }
    } catch let error as LocationError where error.code == .connectionLost {
      // The server has sent all.
    }
    return total
  }

  nonisolated private static func events(of backend: GPSDBackend) async throws -> Total {
    let box = Box()
    do {
      try await backend.run(BackendDemand(kinds: .locations)) { events in box.add(events) }
    } catch let error as LocationError where error.code == .connectionLost {
      // The server has sent all.
    }
    return box.total
  }

  /// What the backend's one thread adds up, read once its run has ended.
  private final class Box: @unchecked Sendable {
    // SAFETY: calls of `emit` come one at a time, and all before the run returns.
    private(set) var total = Total()

    func add(_ events: [BackendEvent]) {
      for case .location(let location) in events { total.add(location) }
    }
  }
}
