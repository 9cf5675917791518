import AsyncLocation
import MQTTBackend
import OwnTracks

/// The `publish` command: publishes locations to a broker until interrupted.
struct PublishCommand: Sendable {
  let arguments: Arguments
  let context: CommandContext

  /// The time for the last acknowledgements after `--duration`.
  private static let grace = Duration.seconds(5)

  /// Returns when the requested count is published, the duration is over, or the source has ended
  /// and everything is published. Throws an error of the source, of the broker or of the storage, or
  /// `timedOut` when no location is taken or delivered for the time in the arguments. Fails when
  /// locations were dropped, refused or lost, also those that wait in memory at the end.
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
        device: arguments.device,
        buffering: .newest(Losses.bound / MemoryLayout<Location>.stride)),
      publishesStatus: arguments.broker.publishesStatus, trackerID: arguments.broker.trackerID)
  }

  /// The reason that the command ends.
  private enum End: Sendable { case published, duration }

  private func publish(
    _ manager: LocationManager, _ name: String, _ broker: MQTTConfiguration,
    _ storage: any PublicationStorage
  ) async throws -> ExitCode {
    let watchdog = Watchdog(context.clock)
    let (enough, reached) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let taken = Locked(0)
    let report = PublishReport(
      context, file: arguments.broker.storage,
      unit: arguments.broker.publishesStatus ? "message" : "location")
    let topic = try arguments.deviceTopic()
    let publisher = LocationPublisher(
      manager, topic: topic, to: broker,
      storage: CountedStorage(
        base: storage, topic: topic.description, limit: arguments.count
      ) { [arguments] change in
        switch change {
        case .opened(let error, let other): await report.storageOpened(error, other)
        case .taken(let count):
          taken.withLock { $0 = count }
          await watchdog.feed()
          if count == arguments.count { reached.finish() }
        case .done: await watchdog.feed()
        }
      }, options: options, clock: context.clock)
    await report.follow { [weak publisher] in publisher?.statistics ?? PublisherStatistics() }
    // Subscribes before anything runs, so that no event is missed.
    let (states, connection) = (manager.connectionStates, publisher.connectionStates)
    let authorizations = manager.authorizationUpdates
    // Ends once the publisher has subscribed. Its locations start the receiver, nothing before.
    let (subscribed, hasSubscribed) = AsyncStream.makeStream(of: Void.self)
    await report.say("publishing \(name) to \(publisher.topic) at \(arguments.broker.url ?? "")")
    if arguments.broker.storage == nil {
      await report.say("what waits is in memory only; --storage FILE keeps it")
    }
    let result: Result<End, any Error>
    do {
      result = .success(
        try await withThrowingTaskGroup(of: End?.self) { group in
          group.addTask {
            try await publisher.run()
            return .published
          }
          group.addTask {
            for await _ in enough {}
            if !Task.isCancelled { await manager.shutdown() }
            return nil
          }
          group.addTask {
            for await state in connection {
              await report.takeBroker(state)
              if state.phase != .idle { hasSubscribed.finish() }
            }
            hasSubscribed.finish()
            return nil
          }
          group.addTask {
            for await state in states { await report.takeSource(state) }
            return nil
          }
          group.addTask {
            for await authorization in authorizations { await report.take(authorization) }
            return nil
          }
          group.addTask {
            for await _ in subscribed {}
            for await update in manager.liveUpdates { await report.take(update) }
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
          if let timeout = arguments.timeout {
            group.addTask {
              try await watchdog.expire(after: timeout)
              throw await report.timedOut(after: timeout)
            }
          }
          defer { group.cancelAll() }
          for try await end in group {
            if let end { return end }
          }
          throw CancellationError()
        })
    } catch {
      result = .failure(error)
    }
    await report.finish()
    return try await conclude(result, publisher.statistics, taken.withLock { $0 })
  }

  /// Ends the locations after a time, and returns after the time for the last acknowledgements.
  private func end(_ manager: LocationManager, after duration: Duration) async throws {
    let stopwatch = Stopwatch(context.clock)
    try await stopwatch.sleep(until: duration)
    await manager.shutdown()
    try await stopwatch.sleep(until: stopwatch.now + Self.grace)
  }

  private func conclude(
    _ result: Result<End, any Error>, _ statistics: PublisherStatistics, _ taken: Int
  ) async throws -> ExitCode {
    let waiting = arguments.broker.storage == nil ? statistics.backlog.count : 0
    let isIncomplete =
      statistics.dropped.total + statistics.refused + statistics.lost + waiting > 0
    switch result {
    case .failure(let error):
      let isRefusal = (error as? LocationError)?.code.isRefusal == true
      if isRefusal, let message = PublishText.kept(statistics, file: arguments.broker.storage) {
        await context.say(message)
      }
      throw isIncomplete ? IncompleteOutput(cause: error) : error
    case .success(.published):
      guard let count = arguments.count, taken < count, arguments.duration == nil else { break }
      guard statistics.deleted == 0 else { return .failed }
      await context.say("the source ended after \(taken) of \(count) locations")
      return .failed
    case .success(.duration): break
    }
    return isIncomplete ? .failed : .done
  }
}
