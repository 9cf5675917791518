import AsyncLocation
import FoundationEssentials
import LocationRecording
import MQTTBackend

/// The `fleet` command: shows all devices under a topic of a broker, until interrupted.
struct FleetCommand: Sendable {
  let arguments: Arguments
  let context: CommandContext
  /// The host's wall clock.
  var now: @Sendable () -> Date = { Date() }

  /// Returns when the requested count has arrived; throws on an error. Fails when elements were
  /// dropped because they were printed too slowly.
  func run(_ broker: MQTTConfiguration) async throws -> ExitCode {
    let conditions = try await FenceFile.conditions(arguments, context, now)
    let picture = try FleetPlot(arguments, conditions)
    let fleet = try open(broker)
    for (identifier, condition) in conditions {
      try fleet.add(condition, identifier: identifier)
    }
    let result: Result<ExitCode, any Error>
    do {
      result = .success(try await follow(fleet, picture))
    } catch {
      result = .failure(error)
    }
    await fleet.shutdown()
    await context.say(FleetText.summary(fleet.statistics, devices: fleet.deviceCount))
    guard let picture else { return try result.get() }
    let isComplete = try await picture.write(context)
    let code = try result.get()
    return code == .done && !isComplete ? .failed : code
  }

  private func open(_ broker: MQTTConfiguration) throws -> Fleet {
    do throws(LocationError) {
      var configuration = try FleetConfiguration(
        broker, filter: arguments.broker.topic ?? FleetText.topic, group: arguments.broker.group)
      configuration.limits.buffering = .newest(Losses.bound / MemoryLayout<FleetUpdate>.stride)
      return try Fleet(configuration)
    } catch {
      guard error.code == .invalidValue else { throw error }
      throw UsageError(error.message, command: .fleet)
    }
  }

  private func report(_ fleet: Fleet) -> any FleetReport {
    switch context.presentation.shape {
    case .table:
      let topic = arguments.broker.topic ?? FleetText.topic
      return FleetLive(context, fleet, source: "\(topic) at \(arguments.broker.url ?? "")")
    case .lines, .json: return FleetLines(context)
    }
  }

  private func follow(_ fleet: Fleet, _ picture: FleetPlot?) async throws -> ExitCode {
    let report = report(fleet)
    let watchdog = Watchdog(context.clock)
    // Subscribes before anything runs, so that no event is missed.
    let (updates, changes, events) = (fleet.updates, fleet.changes, fleet.events)
    let states = fleet.connectionStates
    let losses = Losses("locations, events and changes") {
      updates.dropped + changes.dropped + events.dropped
    }
    let result: Result<ExitCode, any Error>
    do {
      result = .success(
        try await withThrowingTaskGroup(of: ExitCode?.self) { group in
          group.addTask {
            try await show(updates, losses, in: report, picture, feeding: watchdog)
            // Ends the other streams after what they hold.
            await fleet.shutdown()
            return nil
          }
          group.addTask {
            // The first failure ends both.
            try await withThrowingTaskGroup { both in
              both.addTask {
                var notices = DropNotices()
                for try await change in changes {
                  if let notice = notices.text(change) { await report.say(notice) }
                  guard let presence = FleetPresence(change, at: now()) else { continue }
                  try await report.take(presence)
                }
              }
              both.addTask { for try await event in events { try await report.take(event) } }
              for try await _ in both {}
            }
            try Task.checkCancellation()
            return .done
          }
          group.addTask {
            for await state in states { await report.take(state) }
            return nil
          }
          group.addTask {
            try await report.run()
            return nil
          }
          if let timeout = arguments.timeout {
            group.addTask {
              try await watchdog.expire(after: timeout)
              throw await report.timedOut(after: timeout)
            }
          }
          defer { group.cancelAll() }
          for try await code in group {
            if let code { return code }
          }
          throw CancellationError()
        })
    } catch {
      result = .failure(error)
    }
    try await report.finish()
    return try await losses.conclude(result, context)
  }

  /// Shows locations until the requested count; never returns without one.
  private func show(
    _ updates: FleetUpdates, _ losses: Losses, in report: any FleetReport, _ picture: FleetPlot?,
    feeding watchdog: Watchdog
  ) async throws {
    var shown = 0
    for try await update in updates {
      if let warning = await losses.note() { await report.say(warning) }
      try await report.take(update)
      await picture?.take(update)
      await watchdog.feed()
      shown += 1
      if shown == arguments.count { return }
    }
    throw CancellationError()  // The fleet ends only with an error, or at the end of this command.
  }
}

/// The texts of `fleet`. Pure.
enum FleetText {
  /// The topics that are followed without `--topic`.
  static let topic = "owntracks/+/+"

  /// The error for a timeout without a location.
  static func silent(for timeout: Duration, _ connection: BrokerConnection) -> LocationError {
    guard let reason = connection.reason else {
      return .silent(for: timeout, because: connection.problem)
    }
    return LocationError(
      .timedOut, "No location arrived for \(NumberText.span(timeout)): \(reason).",
      cause: connection.problem)
  }

  static func summary(_ statistics: FleetStatistics, devices: Int) -> String {
    let losses = [
      (statistics.malformed, "malformed"), (statistics.unexpectedTopics, "of unexpected topics"),
      (statistics.oversized, "too large"), (statistics.rateLimited, "beyond the rate limit"),
      (statistics.refused, "of more devices than are accepted"),
      (statistics.future, "from the future"), (statistics.stale, "older than those shown"),
      (statistics.duplicates, "repeated"),
    ].compactMap { (count: UInt64, name: String) in count > 0 ? "\(count) \(name)" : nil }
    let text =
      NumberText.counted(statistics.delivered, "location") + " of "
      + NumberText.counted(devices, "device")
    let dropped =
      losses.isEmpty
      ? "; nothing was dropped" : "; messages dropped: " + losses.joined(separator: ", ")
    guard statistics.droppedByBroker > 0 else { return text + dropped }
    return text + dropped
      + "; the broker says that it dropped \(statistics.droppedByBroker) messages "
      + "for its clients: raise its max_queued_messages"
  }
}
