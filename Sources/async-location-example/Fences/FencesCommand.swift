import AsyncLocation
import FoundationEssentials

/// The `fences` command: monitors the areas of a file and prints an event for each crossing.
struct FencesCommand: Sendable {
  let arguments: Arguments
  let context: CommandContext
  /// The host's wall clock, for conditions that expired before the start.
  var now: @Sendable () -> Date = { Date() }
  /// The name of the monitor in a state file.
  static let monitorName = "fences"

  /// Returns when the requested count has arrived, the source ends or all conditions have expired;
  /// throws on an error.
  ///
  /// - Parameters:
  ///   - source: Creates the source of locations; called when the file is valid.
  ///   - storage: Creates the storage of a state file, or of a path that is nil.
  func run(
    _ source: () async throws -> NamedBackend, storage: (String?) async throws -> any MonitorStorage
  ) async throws -> ExitCode {
    let fences = try await FenceFile(
      path: arguments.conditions ?? "", context: context, now: now
    ).read()
    let storage = try await storage(arguments.state)
    let buffering = BufferingPolicy.newest(Losses.bound / MemoryLayout<LocationUpdate>.stride)
    let backend = HeldBackend(try await source().backend)
    return try await withLocationManager(
      backend: backend,
      configuration: LocationManager.Configuration(buffering: buffering), clock: context.clock
    ) { manager in
      let monitor = try await Monitor(
        Self.monitorName, manager: manager, storage: storage,
        eventLimit: Self.eventLimit(fences.count))
      do {
        if let problem = await monitor.storageProblem {
          await context.say(FenceMessages.text(of: problem))
        }
        let changes = try await Self.update(monitor, to: fences)
        await context.say(changes.summary)
        backend.release()
        let code = try await follow(monitor, manager, fences)
        await monitor.close()
        return code
      } catch {
        await monitor.close()
        throw error
      }
    }
  }

  /// The number of events that may wait to be printed. One location may change every condition.
  private static func eventLimit(_ conditions: Int) -> Int {
    max(Losses.bound / MemoryLayout<Monitor.Event>.stride, 2 * conditions)
  }

  private func follow(
    _ monitor: Monitor, _ manager: LocationManager, _ fences: [String: Condition]
  ) async throws -> ExitCode {
    let printer = FencePrinter(
      context: context, monitor: monitor, fences: Set(fences.keys),
      printsFirstStates: arguments.all, isNew: arguments.state == nil)
    let following = Following(arguments: arguments, context: context, name: "events")
    let losses = Losses("locations") { Int(clamping: await manager.statistics.elementsDropped) }
    let result: Result<ExitCode, any Error>
    do {
      result = .success(
        try await following.run(
          manager.connectionStates, dropped: { await printer.losses.count }
        ) { take in
          try await printEvents(printer, manager, take)
        })
      _ = await losses.note()
    } catch {
      result = .failure(error)
    }
    return try await losses.conclude(result, context)
  }

  /// Makes the conditions of a monitor those of a set.
  static func update(
    _ monitor: Monitor, to fences: [String: Condition]
  ) async throws -> FenceChanges {
    var current: [String: Condition] = [:]
    for identifier in await monitor.identifiers {
      current[identifier] = await monitor.record(for: identifier)?.condition
    }
    let changes = FenceChanges(from: current, to: fences)
    // Added first: a monitor without conditions stops the source.
    try await monitor.add(contentsOf: changes.added)
    await monitor.remove(contentsOf: changes.removed)
    return changes
  }

  private func printEvents(
    _ printer: FencePrinter, _ manager: LocationManager, _ take: @escaping Following.WriteLine
  ) async throws {
    // Without permission there is no first line.
    for await authorization in manager.authorizationUpdates {
      if let refusal = Self.refusal(authorization) { throw refusal }
      await printer.take(authorization)
      if authorization.isAuthorized { break }
    }
    try await withThrowingTaskGroup(of: Bool.self) { group in
      group.addTask {
        try await printer.run(take)
        return true
      }
      group.addTask {
        for await authorization in manager.authorizationUpdates {
          await printer.take(authorization)
          guard let refusal = Self.refusal(authorization) else { continue }
          // Once a state was determined, monitoring continues when permission is granted again.
          guard await printer.hasMonitored else { throw refusal }
        }
        return false
      }
      for try await isEnd in group where isEnd { break }
      group.cancelAll()
    }
    // The events end without the error of the source.
    for await state in manager.connectionStates {
      if state.phase == .failed, let problem = state.problem { throw problem }
      break
    }
  }

  /// Why nothing can be monitored; nil if it can, or if permission is not determined.
  static func refusal(_ authorization: Authorization) -> LocationError? {
    let reason = authorization.reason.map { " " + String(printable: $0, limit: 512) } ?? ""
    switch authorization.status {
    case .notDetermined: return nil
    case .denied where !authorization.locationServicesEnabled:
      return LocationError(
        .locationServicesDisabled, "Location services are switched off for everybody.\(reason)")
    case .denied:
      return LocationError(.denied, "Permission for locations is denied.\(reason)")
    case .restricted:
      return LocationError(
        .restricted, "Permission for locations is restricted and cannot be granted here.\(reason)")
    case .authorizedWhenInUse, .authorizedAlways:
      guard authorization.accuracy == .reduced else { return nil }
      return LocationError(
        .denied, "Accuracy is reduced, and fences need full accuracy.\(reason)")
    }
  }
}
