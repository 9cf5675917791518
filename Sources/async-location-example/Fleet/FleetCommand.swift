import AsyncLocation
import FoundationEssentials
import LocationRecording
import MQTTBackend

extension Command {
  static let fleet = Command(
    name: "fleet",
    summary: "Shows all devices that publish to an MQTT broker, until interrupted.",
    words: " --broker URL",
    isEndless: true,
    options: [
      .presentation, .broker,
      [
        .timeout, .group, .partition, .messages, .zone, .plot, .replace, .count, .conditions,
        .storage,
      ],
    ],
    meanings: [
      .storage: (
        "FILE|URI", "Keeps areas, states, events and history in a file or in postgresql://..."
      )
    ],
    notes: """
      In a terminal: a table of the devices, redrawn in place. Age is the time since the last location
      arrived; '-' if only one that the broker had kept has. The arrows up and down, k and j, Page Up and
      Page Down, Home and End, g and G scroll it, and Esc returns to its beginning. The arrows right and
      left, s and S choose the column that it is sorted by, and r reverses the order. q ends the command
      as Ctrl-C does. Elsewhere, or when TERM is dumb: a line for each location, with these columns, '-'
      where the value is unknown:
      \(Help.rows(FleetLine.locationColumns.map { ($0.name, $0.meaning) }))
      For each change of presence:
      \(Help.rows(FleetLine.presenceColumns.map { ($0.name, $0.meaning) }))
      With --conditions, a file as for fences, for each area that a device enters or leaves:
      \(Help.rows(FleetLine.eventColumns.map { ($0.name, $0.meaning) }))
      A device that is in an area at first is reported at once. A crossing is reported once it is certain:
      when the locations of 20 seconds, by their times, are across the boundary by one and a half times
      their accuracy. Each crossing of the same area within the last hour doubles the time, up to 160
      seconds; without one, the first location after more than two minutes is enough.
      After a SIGHUP the file is read again: areas that are the same go on with their states, and a file
      that cannot be used changes nothing.
      With --messages, also in a terminal, for each message of a device, which includes its locations:
      \(Help.rows(FleetLine.messageColumns.map { ($0.name, $0.meaning) }))
      With --storage, the next run reports what devices did while no run followed them. An event is
      done when its line was written; one that an earlier run may have printed is repeated. The areas
      of --conditions replace those of earlier runs; those that are the same go on. See history.
      In a PostgreSQL database, several servers share a fleet, each with a --topic of its own. One that
      starts with the topic of another waits, and goes on within seconds of its end. Topics must not
      overlap: each server reports the crossings of its devices.
      With --partition, the broker maps owntracks/USER/DEVICE to BASE/NUMBER/USER/DEVICE, as NATS does
      with subject mapping: one server follows each partition, and has all messages of its devices.
      Without --partition, none of them arrive there.
      With --storage too, its session at the broker is named BASE-NUMBER, and the server that goes on
      continues it. So a broker has one storage for each partition.
      Lines of different kinds have no order between them. A space in the name of a device is printed as
      \\u0020.
      With --format json: one object per line: a location as the library encodes it, with device and
      isRetained; or one with the member presence, with the member event, which is the new state, or
      with the member message, which is the device's own.
      --count counts locations; the events of the last ones are printed, too. --plot writes a map of all
      tracks and areas at the end, also of an interrupt: up to 250,000 locations. User name and password
      come from --credentials, else from the environment: MQTT_USER and MQTT_PASSWORD.
      A broker may accept a --topic that its rules do not permit, as mosquitto does: then nothing arrives.
      Devices are not trusted: messages that are not understood, too large, too many, late or repeated
      are dropped, and counted on standard error at the end. Without --count an interrupt (Ctrl-C) ends
      the command with status 0. Status 1 when lines were dropped because they were read too slowly, and
      when locations could not be stored.
      \(Help.brokerStatuses)
      """,
    check: { arguments, given throws(UsageError) in
      if given.isSuperset(of: [.storage, .group]) {
        throw UsageError(
          "--storage and --group exclude each other: a member of a group sees a part of each device",
          command: arguments.command)
      }
      if let path = arguments.broker.storage, path == arguments.destination {
        throw UsageError("--storage and --plot name the same file", command: arguments.command)
      }
      if let path = arguments.destination {
        _ = try PictureKind(path: path, of: arguments.command)
      } else if let option = [Option.replace, .zone].first(where: given.contains) {
        throw UsageError("\(option.flag) needs --plot", command: arguments.command)
      }
    },
    run: { tool, arguments in
      try await FleetCommand(arguments: arguments, context: tool.context)
        .run(tool.broker(arguments))
    })
}

/// The `fleet` command: shows all devices under a topic of a broker, until interrupted.
struct FleetCommand: Sendable {
  let arguments: Arguments
  let context: CommandContext
  /// The host's wall clock.
  var now: @Sendable () -> Date = { Date() }

  /// Returns when the requested count has arrived; throws on an error. Returns `failed` if elements
  /// were dropped because they were printed too slowly, if locations could not be stored, or if the
  /// picture is incomplete.
  func run(_ broker: MQTTConfiguration) async throws -> ExitCode {
    // Reloads are accepted before the file is read, so that no later change of the file is missed.
    let reloads = arguments.conditions.map { _ in context.reloads.accept() }
    let conditions = try await FenceFile.conditions(arguments, context, now)
    let picture = try FleetPlot(arguments, conditions)
    let fleet = try await open(broker)
    if let loss = fleet.storageLoss {
      await context.printMessage("the storage: " + Reason.text(loss))
    }
    if arguments.conditions != nil {
      try fleet.replaceConditions(with: FleetAreas.list(conditions))
    }
    context.service?.notify(.ready)
    let result: Result<ExitCode, any Error>
    do {
      result = .success(try await follow(fleet, picture, reloads))
    } catch {
      result = .failure(error)
    }
    await fleet.shutdown()
    let statistics = fleet.statistics
    await context.printMessage(FleetText.summary(statistics, devices: fleet.deviceCount))
    if statistics.unstored > 0 {
      await context.printMessage(
        "\(NumberText.counted(statistics.unstored, "location")) could not be stored")
    }
    let isComplete = try await picture?.write(context) ?? true
    if statistics.unstored > 0, case .failure(let error) = result, error is CancellationError {
      return .failed
    }
    let code = try result.get()
    return code == .done && (!isComplete || statistics.unstored > 0) ? .failed : code
  }

  private func open(_ broker: MQTTConfiguration) async throws -> Fleet {
    let store = FleetStore(arguments.broker.storage)
    if case .file(let path)? = store {
      try await runBlocking { () throws(UsageError) in try StoragePath.check(path, .storage) }
    }
    do {
      var configuration = try FleetConfiguration(
        broker, filter: topic, group: arguments.broker.group)
      configuration.partition = arguments.broker.partition
      configuration.includesAllMessages = arguments.broker.showsMessages
      configuration.limits.buffering = .newest(Losses.bound / MemoryLayout<FleetUpdate>.stride)
      guard let store else { return try Fleet(configuration) }
      configuration.broker.clientIdentifier = session
      return try await store.fleet(configuration, part: part, context)
    } catch let error as LocationError where error.code == .invalidValue {
      throw UsageError(error.message, command: .fleet)
    }
  }

  /// The filter of the topics of all devices, before the broker maps them to partitions.
  private var topic: String { arguments.broker.topic ?? FleetText.topic }

  /// The name of the session of a partition at the broker; nil without a partition.
  private var session: String? {
    arguments.broker.partition.map { partition in
      let name = "\(partition.base)-\(partition.number)"
      // Other topics are another part, which another server may own at the same time.
      return topic == FleetText.topic ? name : "\(name) of \(topic.replacing("+", with: "*"))"
    }
  }

  /// The topics that are followed, which name the part of a database.
  private var part: String {
    guard let partition = arguments.broker.partition else { return topic }
    return "\(topic) in \(partition.base)/\(partition.number)"
  }

  private func report(_ fleet: Fleet) -> any FleetReport {
    switch context.presentation.shape {
    case .table where !arguments.broker.showsMessages:
      return FleetLive(context, fleet, source: "\(part) at \(arguments.broker.url ?? "")")
    case .table, .lines, .json: return FleetLines(context, now: now)
    }
  }

  private func follow(
    _ fleet: Fleet, _ picture: FleetPlot?, _ reloads: AsyncStream<Void>?
  ) async throws -> ExitCode {
    let report = report(fleet)
    let watchdog = Watchdog(context.clock)
    // Subscribes before anything runs, so that no event is missed.
    let (updates, changes) = (fleet.updates, fleet.changes)
    // With a storage, the unfinished events are read from the storage instead.
    let events = fleet.history == nil ? fleet.events : nil
    let messages = arguments.broker.showsMessages ? fleet.messages : nil
    let states = fleet.connectionStates
    let losses = Losses("locations, events, changes and messages") {
      updates.dropped + changes.dropped + (events?.dropped ?? 0) + (messages?.dropped ?? 0)
    }
    let result = await race(of: ExitCode.self) { group in
      group.addTask {
        try await show(updates, losses, in: report, picture, feeding: watchdog)
        // Storing the last locations may take longer than the timeout.
        await watchdog.stop()
        // With a storage, the events of the last locations may not be printed yet. Without one,
        // they are already in the buffer of the stream.
        await fleet.waitUntilEventsAreFinished()
        // Ends the other streams after their buffered elements.
        await fleet.shutdown()
        return nil
      }
      group.addTask {
        // The first failure ends all of these tasks.
        try await withThrowingTaskGroup { readers in
          readers.addTask {
            var notices = DropNotices()
            for try await change in changes {
              if let notice = notices.text(change) ?? FleetText.storage(change, of: fleet) {
                await report.printMessage(notice)
              }
              guard let presence = FleetPresence(change, at: now()) else { continue }
              try await report.handle(presence)
            }
          }
          readers.addTask {
            guard let events else {
              for try await event in fleet.unfinishedEvents { try await report.handle(event) }
              return
            }
            for try await event in events { try await report.handle(event) }
          }
          if let messages {
            readers.addTask {
              for try await message in messages { try await report.handle(message) }
            }
          }
          for try await _ in readers {}
        }
        try Task.checkCancellation()
        return .done
      }
      group.addTask(for: states) { await report.handle($0) }
      if let reloads {
        group.addTask(for: reloads) {
          context.service?.notify(.reloading(since: MonotonicTime.now))
          await reloadConditions(fleet, report, picture)
          context.service?.notify(.ready)
        }
      }
      if let service = context.service {
        group.addTask { await notify(service, of: fleet) }
      }
      group.addTask {
        try await report.run()
        return nil
      }
      group.addTask(expiring: watchdog, after: arguments.timeout) {
        await report.timedOut(after: $0)
      }
    }
    try await report.finish()
    return try await losses.conclude(result, context)
  }

  /// Notifies a service manager of what has arrived, each second that it changes.
  private func notify(_ service: ServiceManager, of fleet: Fleet) async -> ExitCode? {
    let stopwatch = Stopwatch(context.clock)
    var status: String?
    while (try? await stopwatch.sleep(until: stopwatch.now + .seconds(1))) != nil {
      let next = FleetText.summary(fleet.statistics, devices: fleet.deviceCount)
      if next != status { service.notify(.status(next)) }
      status = next
    }
    return nil
  }

  private func reloadConditions(
    _ fleet: Fleet, _ report: any FleetReport, _ picture: FleetPlot?
  ) async {
    guard let path = arguments.conditions else { return }
    let file = FenceFile(path: path, context: context, now: now)
    let (messages, conditions) = await FleetAreas(file: file, fleet: fleet).reload()
    if let conditions { await picture?.replaceConditions(with: conditions) }
    for message in messages { await report.printMessage(message) }
  }

  /// Shows locations. Returns once the requested count is shown; without a count, never returns.
  private func show(
    _ updates: FleetUpdates, _ losses: Losses, in report: any FleetReport, _ picture: FleetPlot?,
    feeding watchdog: Watchdog
  ) async throws {
    var shown = 0
    for try await update in updates {
      if let warning = await losses.note() { await report.printMessage(warning) }
      try await report.handle(update)
      await picture?.append(update)
      await watchdog.feed()
      shown += 1
      if shown == arguments.count { return }
    }
    throw CancellationError()  // The fleet ends only with an error, or at the end of this command.
  }
}

/// The texts of `fleet`. Pure.
enum FleetText {
  /// The default of `--topic`.
  static let topic = "owntracks/+/+"

  /// The notice for a change of the storage; nil for any other change.
  static func storage(_ change: FleetChange, of fleet: Fleet) -> String? {
    switch change {
    case .storageFailed: fleet.storageProblem.map { "the storage: " + Reason.text($0) }
    case .storageRecovered: "the storage: it can be written again"
    case .storageLost: fleet.storageLoss.map { "the storage: " + Reason.text($0) }
    default: nil
    }
  }

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
      (statistics.duplicates, "repeated"), (statistics.encrypted, "encrypted, without a key"),
      (statistics.undecryptable, "encrypted with another key"),
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
