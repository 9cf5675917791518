import AsyncLocation
import FoundationEssentials

extension Command {
  static let fences = Command(
    name: "fences",
    summary: "Reports when areas are entered and left, until interrupted.",
    words: " --conditions FILE",
    isEndless: true,
    options: [
      .receiving, .replay, .broker, [.transport, .device, .count, .conditions, .state, .all],
    ],
    notes: """
      FILE is a GeoJSON FeatureCollection or Feature. A Point with the property radius is a circle, a
      LineString with the property width a corridor, both in meters; a Polygon may have holes. The
      identifier is the member id, else the property identifier or name. The parts of a MultiPoint,
      MultiLineString or MultiPolygon are conditions of their own: id/1, id/2 and so on; a single
      part is id. The property dwell is a number of seconds inside before an event, by the times of
      the locations; expiry is a time such as 2030-09-01T18:00:00Z, after which the area is not
      monitored. Anything else is ignored.

      One line for each event, with these columns, '-' where the value is unknown:
      \(Help.rows(FenceLine.columns.map { ($0.name, $0.meaning) }))
      With --format json: one event per line, with identifier, number, previousState, state,
      timestamp and location, and with diagnostics and isRepeated if they apply.
      Every condition starts as unknown; its first state is printed with --all. With --state,
      conditions that the file describes as before keep their state, and an event that was not
      printed is printed by the next run. With --timeout, the command gives up when none is printed
      for that long. Needs full accuracy.
      Events go to standard output, messages to standard error. Without --count an interrupt
      (Ctrl-C) ends the command with status 0.
      """,
    check: { arguments, given throws(UsageError) in
      if !given.contains(.conditions) {
        throw UsageError(
          "fences needs --conditions FILE, a GeoJSON file of areas", command: arguments.command)
      }
    },
    run: { tool, arguments in
      try await FencesCommand(arguments: arguments, context: tool.context)
        .run({ try await tool.openSource(arguments) }, storage: tool.storage)
    })
}

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
  ///   - storage: Creates the storage for the path of a state file; nil for no file.
  func run(
    _ source: () async throws -> NamedBackend, storage: (String?) async throws -> any MonitorStorage
  ) async throws -> ExitCode {
    let fences = try await FenceFile(
      path: arguments.conditions ?? "", context: context, now: now
    ).read()
    let storage = try await storage(arguments.state)
    let buffering = BufferingPolicy.newest(Losses.bound / MemoryLayout<LocationUpdate>.stride)
    let backend = DeferredStartBackend(try await source().backend)
    return try await withLocationManager(
      backend: backend,
      configuration: LocationManager.Configuration(buffering: buffering), clock: context.clock
    ) { manager in
      let monitor = try await Monitor(
        Self.monitorName, manager: manager, storage: storage,
        eventLimit: Self.eventLimit(fences.count))
      do {
        if let problem = await monitor.storageProblem {
          await context.printMessage(FenceMessages.text(of: problem))
        }
        let changes = try await Self.update(monitor, to: fences)
        await context.printMessage(changes.summary)
        backend.release()
        context.service?.notify(.ready)
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
        ) { writeLine in
          try await printEvents(printer, manager, writeLine)
        })
      // After a success, `conclude` reports only the losses that were noted.
      _ = await losses.note()
    } catch {
      result = .failure(error)
    }
    return try await losses.conclude(result, context)
  }

  /// Replaces the conditions of a monitor with others.
  static func update(
    _ monitor: Monitor, to fences: [String: Condition]
  ) async throws -> FenceChanges {
    var current: [String: Condition] = [:]
    for identifier in await monitor.identifiers {
      current[identifier] = await monitor.record(for: identifier)?.condition
    }
    let changes = FenceChanges(from: current, to: fences)
    // Conditions are added first, because a monitor without conditions stops the source.
    try await monitor.add(contentsOf: changes.added)
    await monitor.remove(contentsOf: changes.removed)
    return changes
  }

  private func printEvents(
    _ printer: FencePrinter, _ manager: LocationManager, _ writeLine: @escaping Following.WriteLine
  ) async throws {
    // Waits for permission, without which no line is printed.
    for await authorization in manager.authorizationUpdates {
      if let refusal = Self.refusal(authorization) { throw refusal }
      await printer.handle(authorization)
      if authorization.isAuthorized { break }
    }
    try await withThrowingTaskGroup(of: Bool.self) { group in
      group.addTask {
        try await printer.run(writeLine)
        return true
      }
      group.addTask {
        for await authorization in manager.authorizationUpdates {
          await printer.handle(authorization)
          guard let refusal = Self.refusal(authorization) else { continue }
          // Once a state was determined, a refusal does not end the command: monitoring continues
          // when permission is granted again.
          guard await printer.hasMonitored else { throw refusal }
        }
        return false
      }
      for try await isEnd in group where isEnd { break }
      group.cancelAll()
    }
    // The events end without the source's error, so the connection state is checked.
    for await state in manager.connectionStates {
      if state.phase == .failed, let problem = state.problem { throw problem }
      break
    }
  }

  /// The error if nothing can be monitored; nil if monitoring is possible or permission is not
  /// determined.
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
