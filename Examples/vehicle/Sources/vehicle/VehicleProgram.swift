import AsyncLocation
import AuthorizationPolicyFile
import Dispatch
import Foundation
import GPSDBackend
import LocationRecording
import LocationStorage
import MQTTBackend
import OwnTracks
import VehicleService

/// Publishes and records this machine's locations until SIGTERM or SIGINT:
/// `vehicle BROKER USER/DEVICE FOLDER [GPSD-PORT [POLICY.json]]`.
///
/// The folder contains the publications that wait for the broker, and the track. The policy is a
/// file in which an operator grants and withdraws permission while the program runs.
@main
struct VehicleProgram {
  static func main() async {
    let arguments = Array(CommandLine.arguments.dropFirst())
    let port = arguments.count > 3 ? Int(arguments[3]) : 2947
    guard (3...5).contains(arguments.count), let port, let id = FleetDevice.ID(arguments[1]) else {
      log("usage: vehicle mqtt[s]://HOST[:PORT] USER/DEVICE FOLDER [GPSD-PORT [POLICY.json]]")
      exit(2)
    }
    do {
      let backend =
        arguments.count > 4
        ? GPSDBackend(port: port, authorizationPolicy: .file(arguments[4]))
        : GPSDBackend(port: port)
      let manager = LocationManager(backend: backend)
      let publisher = LocationPublisher(
        manager, topic: try OwnTracksTopic(user: id.user, device: id.device),
        to: try MQTTConfiguration(url: arguments[0]),
        storage: SQLitePublicationStorage(file: arguments[2] + "/publications.sqlite"))
      let recorder = try TrackRecorder(
        to: arguments[2] + "/track.gpx", format: .gpx, configuration: .init(existing: .append))
      let vehicle = Vehicle(manager, publisher, recorder)
      let run = Task { try await vehicle.run() }
      // Publications that the broker has not accepted remain in the storage, so the program ends
      // without waiting for the broker.
      let sources = await signals([SIGTERM, SIGINT]) { run.cancel() }
      log("Publishes and records while that is permitted.")
      let notices = Task { await logProblems(manager, publisher) }
      let result = await run.result
      notices.cancel()
      await manager.shutdown()
      for source in sources { source.cancel() }
      if case .failure(let error) = result, !(error is CancellationError) { throw error }
      log("Stopped. \(publisher.statistics.backlog.count) wait for the broker.")
    } catch {
      log("\(error)")
      exit(1)
    }
  }

  /// Logs problems of the receiver and of the broker until the task is cancelled.
  private static func logProblems(
    _ manager: LocationManager, _ publisher: LocationPublisher
  ) async {
    async let receiver: Void = { () async in
      for await state in manager.connectionStates {
        if let problem = state.problem { log("Receiver: \(problem.message)") }
      }
    }()
    // Each run of the publisher has its own stream of states.
    while !Task.isCancelled {
      for await state in publisher.connectionStates {
        if let problem = state.problem { log("Broker: \(problem.message)") }
      }
    }
    await receiver
  }

  /// Calls a closure at each signal that arrives after this call.
  private static func signals(
    _ signals: [Int32], _ handler: @escaping @Sendable () -> Void
  ) async -> [any DispatchSourceSignal] {
    let sources = signals.map { DispatchSource.makeSignalSource(signal: $0) }
    for source in sources {
      source.setEventHandler(handler: handler)
      await withCheckedContinuation { registered in
        source.setRegistrationHandler { @Sendable in registered.resume() }
        source.resume()
      }
    }
    return sources
  }

  private static func log(_ message: String) {
    FileHandle.standardError.write(Data((message + "\n").utf8))
  }
}
