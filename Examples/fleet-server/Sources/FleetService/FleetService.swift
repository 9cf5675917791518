import AsyncLocation
import Foundation
import LocationRecording
public import MQTTBackend
import Synchronization

/// Follows a fleet: prints the events of its areas, and serves its state over HTTP.
public final class FleetService: Sendable {
  private let fleet: Fleet
  private let areas: String
  private let printEvent: @Sendable (String) throws -> Void
  private let state = Mutex((connection: ConnectionState?.none, areasProblem: String?.none))

  /// Creates a service of a fleet with a storage. An event is finished when its line is printed.
  public init(
    _ fleet: Fleet, areas: String, printEvent: @escaping @Sendable (String) throws -> Void
  ) {
    (self.fleet, self.areas, self.printEvent) = (fleet, areas, printEvent)
  }

  /// Replaces the areas with those of the file. Unchanged areas keep their states. If the file is
  /// not valid, throws an error and changes no area.
  public func reload() async throws {
    do {
      let file = try await runBlocking { [areas] in try GeoJSONConditions(contentsOf: areas) }
      let expired = Set(file.expired(at: Date()))
      let changes = try fleet.replaceConditions(
        with: file.conditions.filter { !expired.contains($0.key) }
          .map { FleetCondition(identifier: $0.key, condition: $0.value) })
      state.withLock { $0.areasProblem = nil }
      let count = changes.added.count + changes.replaced.count
      try await runBlocking {
        log("Areas: \(count) new or changed, \(changes.removed.count) removed.")
      }
    } catch {
      state.withLock { $0.areasProblem = "\(error)" }
      throw error
    }
  }

  @Sendable func answer(to path: String) -> (status: UInt32, body: Data) {
    switch path {
    case "/devices":
      return (
        200,
        json(
          fleet.devices.map { DeviceBody(id: $0.id, presence: $0.presence, location: $0.location) })
      )
    case "/health":
      let (statistics, state) = (fleet.statistics, state.withLock(\.self))
      let health = HealthBody(
        isConnected: state.connection?.phase == .connected,
        connectionProblem: state.connection?.problem?.message,
        storageProblem: fleet.storageProblem?.message, storageLoss: fleet.storageLoss?.message,
        areasProblem: state.areasProblem, areas: fleet.conditionCount, devices: fleet.deviceCount,
        messages: statistics.messages, locations: statistics.delivered,
        unstored: statistics.unstored)
      return (health.isConnected && health.storageProblem == nil ? 200 : 503, json(health))
    default: return (404, json("There is /devices and /health."))
    }
  }

  /// Follows the fleet and answers requests until `stops` yields, or until the broker permanently
  /// refuses the fleet. Reads the areas again when `reloads` yields. At the end, it stores everything
  /// that was received, and does not wait for a blocked output.
  public func run(
    host: String = "127.0.0.1", port: UInt16, reloads: AsyncStream<Void>, stops: AsyncStream<Void>,
    listening: @Sendable (UInt16) -> Void
  ) async throws {
    try await withHTTPServer(host: host, port: port, answer) { port in
      listening(port)
      try await follow(reloads, stops)
    }
  }

  private func follow(_ reloads: AsyncStream<Void>, _ stops: AsyncStream<Void>) async throws {
    // Opened before the fleet connects, so that nothing is missed.
    let (states, events) = (fleet.connectionStates, fleet.unfinishedEvents)
    try await withThrowingTaskGroup(of: Bool.self) { group in
      group.addTask {
        for await _ in stops { break }
        return true
      }
      group.addTask {
        for await _ in reloads {
          do { try await self.reload() } catch {
            try await runBlocking { log("The areas stay as they are: \(self.areas): \(error)") }
          }
        }
        return false
      }
      group.addTask {
        for await connection in states {
          self.state.withLock { $0.connection = connection }
          if let problem = connection.problem {
            try await runBlocking { log("Broker: \(problem.message)") }
          }
        }
        return false
      }
      group.addTask {
        for try await event in events {
          let line = String(decoding: json(EventBody(event)), as: UTF8.self)
          try await runBlocking { [printEvent = self.printEvent] in try printEvent(line) }
        }
        return false
      }
      var result = Result<Bool, any Error>.success(false)
      while case .success(false) = result, let next = await group.nextResult() { result = next }
      group.cancelAll()
      await fleet.shutdown()
      _ = try result.get()
    }
  }
}
