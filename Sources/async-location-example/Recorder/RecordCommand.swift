import AsyncLocation
import FileAccess
import LocationRecording

extension Command {
  // The explicit type avoids a circular inference, because `missing` refers to the command.
  static let record: Command = Command(
    name: "record",
    summary: "Records locations in a file, until interrupted.",
    words: " FILE",
    isEndless: true,
    writesRecordings: true,
    options: [
      .receiving, .replay, .broker, .filters,
      [.transport, .device, .duration, .rotate, .append, .replace, .count],
    ],
    meanings: [.format: Option.formatOfRecording],
    notes: """
      The format is that of --format, else of the name: .gpx, .geojson or .json, .geojsonl,
      .geojsons, .csv, or .jsonl for gpsd's reports of positions. The file can be read at any time:
      each location is written at once, and synchronized with the disk within 10 seconds, so that a
      killed process loses none, and a loss of power at most those of 10 seconds. Its mode is 0600. A
      file that exists is left alone, unless --append or --replace is given. While the disk is full,
      up to 6,000 locations wait for room. A loss of the fix begins a segment, and so do a time
      without a location that is longer than a minute and than five times the usual one, and a change
      between full and reduced accuracy.
      --distance and --interval count from the location that was recorded last, and from its time; seven
      eighths of the interval are enough. With --rotate, the time is added to the name of each file:
      drive-20260504T030201Z.gpx. Its units are B, kB, MB and GB; s, min, h and d; m and km.
      Messages, the progress in a terminal and a summary go to standard error. Without --count an
      interrupt (Ctrl-C) ends the command with status 0; the file is complete. Status 1 when locations
      were lost. For gpsd's own reports with all members, use
      '\(Help.name) reports --format json'.
      """,
    read: { arguments, words throws(UsageError) in
      try arguments.requireWords(words, count: 1, else: RecordCommand.missing)
      arguments.destination = words[0]
    },
    check: { arguments, _ throws(UsageError) in try arguments.checkFormat() },
    run: { tool, arguments in
      let command = RecordCommand(arguments: arguments, context: tool.context)
      let recorder = try command.recorder()
      return try await command.run(tool.openSource(arguments), recorder)
    })
}

/// The `record` command: writes locations to a file until interrupted.
struct RecordCommand: Sendable {
  let arguments: Arguments
  let context: CommandContext

  /// Creates the recorder for the arguments.
  ///
  /// - Throws: ``UsageError`` if the format cannot be recorded.
  func recorder() throws -> TrackRecorder {
    guard let path = arguments.destination, let format = arguments.writtenFormat else {
      throw Self.missing
    }
    guard path != "-" else {
      throw UsageError("record writes a file; ./- is one of this name", command: .record)
    }
    // Rejects a path of anything but a regular file; the recorder checks regular files.
    if arguments.rotate == nil { try CompletedFile.check(path, replaces: true) }
    let configuration = TrackRecorder.Configuration(
      existing: arguments.appends ? .append : arguments.replaces ? .replace : .refuse,
      minimumDistance: arguments.distance ?? 0,
      minimumInterval: arguments.interval ?? .zero,
      track: TrackOptions(device: arguments.subscribedDevice), rotation: try rotation())
    do throws(LocationError) {
      return try TrackRecorder(
        to: path, format: format, configuration: configuration,
        clock: context.clock)
    } catch {
      guard [.unsupported, .invalidValue].contains(error.code) else { throw error }
      throw UsageError(error.message, command: .record)
    }
  }

  /// Returns when the requested count or duration is reached, when the source ends or the command
  /// is interrupted. Returns `failed` if locations or files were lost, or if the source ended
  /// before the requested count. Throws an error of the source, of the file, or `timedOut`, and
  /// `CancellationError` if the command is interrupted although a count was requested.
  func run(_ source: NamedBackend, _ recorder: TrackRecorder) async throws -> ExitCode {
    try await withLocationManager(backend: source.backend, clock: context.clock) { manager in
      try await record(manager, source.name, recorder)
    }
  }

  // MARK: Recorded content

  private func rotation() throws -> TrackRecorder.Rotation? {
    guard let text = arguments.rotate else { return nil }
    switch RotationLimit(text) {
    case .bytes(let limit): return .bytes(limit)
    case .duration(let limit): return .duration(limit)
    case .distance(let limit): return .distance(limit)
    case nil:
      throw UsageError(
        "--rotate is a size such as 10MB, a duration such as 1h, 30min or 90s, or a distance such "
          + "as 5km or 500m; got '\(text)'", command: .record)
    }
  }

  private var options: UpdateOptions {
    UpdateOptions(
      desiredAccuracy: arguments.accuracy.map(DesiredAccuracy.meters) ?? .best,
      device: arguments.subscribedDevice,
      buffering: .newest(Losses.bound / MemoryLayout<Location>.stride))
  }

  static let missing = UsageError(
    "record needs FILE, the path of the recording to write", command: .record)

  // MARK: Running

  /// The reason that a recording ends.
  private enum End: Sendable {
    case recorded(Result<Void, any Error>)
    case duration
    case silence
  }

  private func record(
    _ manager: LocationManager, _ source: String, _ recorder: TrackRecorder
  ) async throws -> ExitCode {
    let watchdog = Watchdog(context.clock)
    // Subscribes before anything runs, so that no event is missed.
    let (updates, states, live) = (
      manager.updates(options), manager.connectionStates, manager.liveUpdates
    )
    let report = RecordReport(context, path: arguments.destination ?? "", recorder)
    let counted = CountedUpdates(base: updates) {
      await watchdog.feed()
      guard let count = arguments.count else { return false }
      let statistics = await recorder.statistics
      return statistics.recorded + statistics.waiting >= count
    }
    await report.printMessage("recording \(source)")
    context.service?.notify(.ready)
    let (end, result) = await withTaskGroup(of: End?.self) { group in
      group.addTask {
        do {
          return .recorded(.success(try await recorder.record(counted)))
        } catch {
          return .recorded(.failure(error))
        }
      }
      group.addTask {
        for await state in states { await report.handle(state) }
        return nil
      }
      group.addTask {
        for await update in live {
          await report.handle(update)
          if update.location == nil, update.diagnostics.contains(.locationUnavailable) {
            await recorder.interrupt()
          }
        }
        return nil
      }
      group.addTask {
        await report.run()
        return nil
      }
      if let duration = arguments.duration {
        group.addTask {
          try? await Stopwatch(context.clock).sleep(until: duration)
          return .duration
        }
      }
      if let timeout = arguments.timeout {
        group.addTask {
          try? await watchdog.expire(after: timeout) ? .silence : nil
        }
      }
      return await Self.outcome(&group)
    }
    let interrupted = Task.isCancelled
    let statistics = await recorder.statistics
    await report.finish(dropped: updates.dropped)
    do {
      try result.get()
    } catch let error as LocationError where error.code == .storageUnavailable {
      let hasBegun = statistics.recorded + statistics.lost > 0
      let path = arguments.destination ?? ""
      let exists = (try? FileStatus(ofPath: path, followsLinks: false)) != nil
      if exists, !hasBegun, !arguments.appends, !arguments.replaces {
        await context.printMessage("--append continues a recording, --replace begins it anew")
      }
      throw error
    }
    if case .silence = end, let timeout = arguments.timeout {
      throw await report.timedOut(after: timeout)
    }
    if interrupted, arguments.count != nil { throw CancellationError() }
    guard statistics.lost == 0, updates.dropped == 0, statistics.lostFiles == 0 else {
      return .failed
    }
    if case .recorded = end, !interrupted, let count = arguments.count, statistics.recorded < count
    {
      await context.printMessage(
        "the source ended after \(statistics.recorded) of \(count) locations")
      return .failed
    }
    return .done
  }

  /// Waits for the end of the recording, and for the file to be closed.
  private static func outcome(
    _ group: inout TaskGroup<End?>
  ) async -> (End, Result<Void, any Error>) {
    var first: End?
    while let next = await group.next() {
      guard let next else { continue }
      first = first ?? next
      if case .recorded(let result) = next {
        group.cancelAll()
        return (first ?? next, result)
      }
      group.cancelAll()
    }
    preconditionFailure("The recorder is one of the tasks.")
  }
}

/// Locations up to a requested number.
private struct CountedUpdates: AsyncSequence, Sendable {
  let base: LocationUpdates
  /// Called before each location; true ends the sequence.
  let isEnough: @Sendable () async -> Bool

  struct Iterator: AsyncIteratorProtocol {
    var base: LocationUpdates.Iterator
    let isEnough: @Sendable () async -> Bool

    mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(LocationError) -> Location? {
      if await isEnough() { return nil }
      return try await base.next(isolation: actor)
    }
  }

  func makeAsyncIterator() -> Iterator {
    Iterator(base: base.makeAsyncIterator(), isEnough: isEnough)
  }
}
