import AsyncLocation
import MQTTBackend
import OwnTracks

extension Command {
  static let publish = Command(
    name: "publish",
    summary: "Publishes locations to an MQTT broker, until interrupted.",
    words: " --broker URL --topic TOPIC",
    isEndless: true,
    options: [
      .receiving, .replay, .broker, .filters,
      [.transport, .device, .duration, .count, .storage, .status, .confirmation, .trackerID],
    ],
    meanings: [.backend: Option.sourceWithoutBroker],
    notes: """
      Publishes the locations of this machine or a replay as OwnTracks' JSON, so that its apps and its
      Recorder can take part. User name and password come from --credentials, else from the
      environment: MQTT_USER and MQTT_PASSWORD.
      While the broker cannot be reached, locations wait: up to 100,000, 64 MiB and 7 days. With
      --storage they are sent by the next run if this one ends before. Each is delivered at least once.
      A replay ends when everything is delivered, as --count does; --duration waits 5 seconds for it.
      With --timeout, the command gives up with status 4 when no location arrived and none was delivered
      for that long. The file of --storage is created in a directory that exists; one that is damaged is
      renamed, and a message says so. One that cannot be written is an error at the start.
      With --confirm stored, a location counts as published when a server, such as fleet --storage,
      has stored it, and is sent again until then. So no crash of the broker or the server loses
      one. The broker's rules must permit owntracks/USER/DEVICE/stored.
      --status publishes to owntracks/USER/DEVICE/status, which the broker's rules must permit: one
      that is refused waits, and --count waits for it. Otherwise these messages do not count. The last
      one remains at the broker after the end.
      Nothing is printed on standard output. Messages, the status in a terminal and a summary go to
      standard error. Without --count an interrupt (Ctrl-C) ends the command with status 0. Status 1
      when locations were dropped, refused by the broker or lost, also those that waited in memory.
      When permission is withdrawn, what waits is deleted, and the status is 3.
      \(Help.brokerStatuses)
      With --storage, and once the broker has accepted this client, a refusal is no end: it is tried
      again, since nothing that waits is lost.
      """,
    check: { arguments, _ throws(UsageError) in
      if arguments.uses(.mqtt) {
        throw UsageError(
          "publish has the topic of one device; its --backend is gpsd, geoclue, nmea or replay",
          command: arguments.command)
      }
    },
    run: { tool, arguments in
      try await PublishCommand(arguments: arguments, context: tool.context)
        .run(
          tool.openSource(arguments), tool.broker(arguments),
          tool.publications(arguments.broker.storage))
    })
}

/// The `publish` command: publishes locations to a broker until interrupted.
struct PublishCommand: Sendable {
  let arguments: Arguments
  let context: CommandContext

  /// The time for the last acknowledgements after `--duration`.
  private static let grace = Duration.seconds(5)

  /// Returns when the requested count is published, the duration is over, or the source has ended
  /// and everything is published. Throws an error of the source, of the broker or of the storage,
  /// or `timedOut` when no location is stored or delivered for the time in the arguments. Returns
  /// `failed` if locations were dropped, refused or lost, including those that wait in memory at
  /// the end, or if the source ended before the requested count.
  func run(
    _ source: NamedBackend, _ broker: MQTTConfiguration, _ storage: any PublicationStorage
  ) async throws -> ExitCode {
    try await withLocationManager(backend: source.backend, clock: context.clock) { manager in
      try await publish(manager, source.name, broker, storage)
    }
  }

  private var options: PublisherOptions {
    PublisherOptions(
      updates: UpdateOptions(
        distanceFilter: arguments.distance ?? 0, minimumInterval: arguments.interval ?? .zero,
        desiredAccuracy: arguments.accuracy.map(DesiredAccuracy.meters) ?? .best,
        device: arguments.subscribedDevice,
        buffering: .newest(Losses.bound / MemoryLayout<Location>.stride)),
      publishesStatus: arguments.broker.publishesStatus, trackerID: arguments.broker.trackerID,
      confirmation: arguments.broker.confirmation)
  }

  /// The reason that the command ends.
  private enum End: Sendable { case published, duration }

  private func publish(
    _ manager: LocationManager, _ name: String, _ broker: MQTTConfiguration,
    _ storage: any PublicationStorage
  ) async throws -> ExitCode {
    let watchdog = Watchdog(context.clock)
    let (countReached, countReachedSignal) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let stored = Locked(0)
    let report = PublishReport(
      context, file: arguments.broker.storage, confirmation: arguments.broker.confirmation,
      unit: arguments.broker.publishesStatus ? "message" : "location")
    let topic = try arguments.deviceTopic()
    let publisher = LocationPublisher(
      manager, topic: topic, to: broker,
      storage: CountedStorage(
        base: storage, topic: topic.description, limit: arguments.count
      ) { [arguments] change in
        switch change {
        case .opened(let error, let other): await report.storageOpened(error, other)
        case .stored(let count):
          stored.withLock { $0 = count }
          await watchdog.feed()
          if count == arguments.count { countReachedSignal.finish() }
        case .done: await watchdog.feed()
        }
      }, options: options, clock: context.clock)
    await report.follow { [weak publisher] in publisher?.statistics ?? PublisherStatistics() }
    // Subscribes before anything runs, so that no event is missed.
    let (states, connection) = (manager.connectionStates, publisher.connectionStates)
    let authorizations = manager.authorizationUpdates
    // `subscribed` ends once the publisher has subscribed to the manager. Live updates are read
    // only then, so that the publisher's subscription, with its options, starts the receiver.
    let (subscribed, subscribedSignal) = AsyncStream.makeStream(of: Void.self)
    await report.printMessage(
      "publishing \(name) to \(publisher.topic) at \(arguments.broker.url ?? "")")
    if arguments.broker.storage == nil {
      await report.printMessage("what waits is in memory only; --storage FILE keeps it")
    }
    let result = await race(of: End.self) { group in
      group.addTask {
        try await publisher.run()
        return .published
      }
      group.addTask {
        for await _ in countReached {}
        if !Task.isCancelled { await manager.shutdown() }
        return nil
      }
      group.addTask { [hasStorage = arguments.broker.storage != nil] in
        var (wasConnected, isReady) = (false, false)
        for await state in connection {
          if !isReady, state.phase != .idle {
            isReady = true
            context.service?.notify(.ready)
          }
          wasConnected = wasConnected || state.phase == .connected
          if !hasStorage, !wasConnected, let error = state.problem, error.refusesClient {
            throw error
          }
          await report.handleBroker(state)
          if state.phase != .idle { subscribedSignal.finish() }
        }
        subscribedSignal.finish()
        return nil
      }
      group.addTask(for: states) { await report.handleSource($0) }
      group.addTask(for: authorizations) { await report.handle($0) }
      group.addTask {
        for await _ in subscribed {}
        for await update in manager.liveUpdates { await report.handle(update) }
        return nil
      }
      group.addTask {
        await report.run()
        return nil
      }
      if let duration = arguments.duration {
        group.addTask {
          try await end(manager, after: duration)
          return .duration
        }
      }
      group.addTask(expiring: watchdog, after: arguments.timeout) {
        await report.timedOut(after: $0)
      }
    }
    await report.finish()
    return try await conclude(result, publisher.statistics, stored.withLock { $0 })
  }

  /// Ends the locations after a duration, and then allows time for the last acknowledgements.
  private func end(_ manager: LocationManager, after duration: Duration) async throws {
    let stopwatch = Stopwatch(context.clock)
    try await stopwatch.sleep(until: duration)
    await manager.shutdown()
    try await stopwatch.sleep(until: stopwatch.now + Self.grace)
  }

  private func conclude(
    _ result: Result<End, any Error>, _ statistics: PublisherStatistics, _ stored: Int
  ) async throws -> ExitCode {
    let waiting = arguments.broker.storage == nil ? statistics.backlog.count : 0
    let isIncomplete =
      statistics.dropped.total + statistics.refused + statistics.lost + waiting > 0
    switch result {
    case .failure(let error):
      let isRefusal = (error as? LocationError)?.isRefusal == true
      if isRefusal, let message = PublishText.kept(statistics, file: arguments.broker.storage) {
        await context.printMessage(message)
      }
      throw isIncomplete ? IncompleteOutput(cause: error) : error
    case .success(.published):
      guard let count = arguments.count, stored < count, arguments.duration == nil else { break }
      guard statistics.deleted == 0 else { return .failed }
      await context.printMessage("the source ended after \(stored) of \(count) locations")
      return .failed
    case .success(.duration): break
    }
    return isIncomplete ? .failed : .done
  }
}

extension LocationError {
  /// Whether a broker refuses the client, by its name, its user name and password or its rights.
  fileprivate var refusesClient: Bool { code == .credentialsRefused || code == .denied }
}
