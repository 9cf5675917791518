import AsyncLocation

/// The `watch` command: prints locations as they arrive.
struct WatchCommand: Sendable {
  let arguments: Arguments
  let context: CommandContext

  /// Returns when the requested count has arrived or the source ends; throws on an error. Fails
  /// when locations were dropped.
  ///
  /// - Parameter geocoder: Finds the places of the locations; nil to show none.
  func run(
    _ source: NamedBackend, geocoder: (any Geocoder)? = nil
  ) async throws -> ExitCode {
    try await withLocationManager(backend: source.backend, clock: context.clock) { manager in
      try await follow(manager, source, geocoder)
    }
  }

  private var options: UpdateOptions {
    UpdateOptions(
      distanceFilter: arguments.distance ?? 0, minimumInterval: arguments.interval ?? .zero,
      desiredAccuracy: arguments.accuracy.map(DesiredAccuracy.meters) ?? .best,
      device: arguments.device,
      buffering: .newest(Losses.bound / MemoryLayout<Location>.stride))
  }

  private func report(named name: String, of manager: LocationManager) -> any WatchReport {
    let hasPlaces = arguments.places
    return switch context.presentation.shape {
    case .table: LiveReport(context, source: name) { manager.currentAuthorization }
    case .lines:
      LineReport(context) {
        hasPlaces ? LocationLine.line($0, at: $1) : LocationLine.line($0)
      }
    case .json:
      LineReport(context) {
        try JSONLine.line(
          LocatedPlace(location: $0, placemark: $1?.placemark?.measured(from: $0.coordinate)))
      }
    }
  }

  private func follow(
    _ manager: LocationManager, _ source: NamedBackend, _ geocoder: (any Geocoder)?
  ) async throws -> ExitCode {
    let report = report(named: source.name, of: manager)
    let watchdog = Watchdog(context.clock)
    // Subscribes before anything runs, so that no event is missed.
    let (locations, states) = (manager.updates(options), manager.connectionStates)
    let (live, authorizations) = (manager.liveUpdates, manager.authorizationUpdates)
    let hasSky = report.isTable && source.backend.capabilities.contains(.satellites)
    let sky = hasSky ? manager.satellites : nil
    let places = geocoder.map {
      manager.placemarks(
        using: $0, PlacemarkOptions(locale: arguments.locale, device: arguments.device))
    }
    let firstPlace = AsyncStream<Void>.makeStream()
    let losses = Losses("locations") { locations.dropped }
    let result: Result<ExitCode, any Error>
    do {
      result = .success(
        try await withThrowingTaskGroup(of: ExitCode?.self) { group in
          group.addTask {
            // The first line waits for its place, and the source's end ends the wait.
            if !report.isTable { for await _ in firstPlace.stream { break } }
            return try await show(locations, losses, in: report, feeding: watchdog)
          }
          group.addTask {
            defer { firstPlace.continuation.finish() }
            guard let places else { return nil }
            for try await update in places {
              await report.take(update)
              firstPlace.continuation.finish()
            }
            return nil
          }
          group.addTask {
            for await state in states { await report.take(state) }
            return nil
          }
          group.addTask {
            for await update in live { await report.take(update) }
            return nil
          }
          group.addTask {
            for await authorization in authorizations { await report.take(authorization) }
            return nil
          }
          group.addTask {
            guard let sky else { return nil }
            for try await view in sky { await report.take(view) }
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

  private func show(
    _ locations: LocationUpdates, _ losses: Losses, in report: any WatchReport,
    feeding watchdog: Watchdog
  ) async throws -> ExitCode {
    var shown = 0
    for try await location in locations {
      // Before the warning, since permission may be withdrawn while that is written.
      try await report.take(location)
      if let warning = await losses.note() { await report.say(warning) }
      await watchdog.feed()
      shown += 1
      if shown == arguments.count { return .done }
    }
    try Task.checkCancellation()  // The loop also ends when cancelled.
    guard let count = arguments.count else { return .done }
    await report.say("the source ended after \(shown) of \(count) locations")
    return .failed
  }
}

/// The output of `watch`.
protocol WatchReport: Actor {
  /// Whether it is redrawn as a whole, so that it can show what arrives later.
  nonisolated var isTable: Bool { get }

  func take(_ location: Location) async throws
  /// Forgets what permission no longer covers.
  func take(_ authorization: Authorization) async
  func take(_ view: SatelliteView) async
  func take(_ state: ConnectionState) async
  func take(_ update: LocationUpdate) async
  func take(_ update: PlacemarkUpdate) async
  func say(_ text: String) async
  /// Runs until cancelled if there is work other than handling events.
  func run() async throws
  func timedOut(after timeout: Duration) -> LocationError
  /// Called once, at the end, cancelled or not.
  func finish() async throws
}

extension LocationError {
  /// The error for a timeout without a location; `problem` is the probable cause.
  static func silent(for timeout: Duration, because problem: LocationError?) -> Self {
    LocationError(
      .timedOut, "No location arrived for \(NumberText.span(timeout)).", cause: problem)
  }
}
