import AsyncLocation

extension Command {
  static let watch = Command(
    name: "watch",
    summary: "Shows locations as they arrive, until interrupted.",
    isEndless: true,
    options: [
      .receiving, .replay, .broker, .filters,
      [.transport, .device, .count, .places, .locale, .nominatim],
    ],
    notes: """
      In a terminal: a table, redrawn in place; q ends the command as Ctrl-C does. Elsewhere, or when
      TERM is dumb: one line for each location, with these columns, '-' where the value is unknown:
      \(Help.rows(LocationLine.columns.map { ($0.name, $0.meaning) }))
      With --format json: one location per line, as the library encodes it, without absent members.
      With --places, the place of the last movement of 100 meters or more precedes the receiver, in
      quotes, with its distance from this location; in JSON it is the member placemark. The first
      line waits for its place. When the server of --nominatim fails, the places in the tool are
      used.
      With --backend mqtt: the locations of one device that publishes to a broker, such as
      --broker mqtt://localhost --topic owntracks/jane/boat. User name and password come from
      --credentials, else from the environment: MQTT_USER and MQTT_PASSWORD.
      With --backend gpsd,nmea, or another list of gpsd, geoclue and nmea, each serves while those
      before it have no fix. A message, in a terminal the title, names the source in force. --port may
      be given twice: a number for gpsd, another value for nmea.
      Locations go to standard output, messages to standard error. Without --count an interrupt
      (Ctrl-C) ends the command with status 0.
      """,
    check: { arguments, given throws(UsageError) in
      let option = [Option.locale, .nominatim].first(where: given.contains)
      if let option, !given.contains(.places) {
        throw UsageError("\(option.flag) needs --places", command: arguments.command)
      }
    },
    run: { tool, arguments in
      try await WatchCommand(arguments: arguments, context: tool.context)
        .run(
          tool.openSource(arguments), geocoder: arguments.places ? tool.geocoder(arguments) : nil)
    })
}

/// The `watch` command: prints locations as they arrive.
struct WatchCommand: Sendable {
  let arguments: Arguments
  let context: CommandContext

  /// Returns when the requested count has arrived or the source ends; throws on an error. Returns
  /// `failed` if locations were dropped or the source ended before the requested count.
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
      device: arguments.subscribedDevice,
      buffering: .newest(Losses.bound / MemoryLayout<Location>.stride))
  }

  private func report(on source: NamedBackend, of manager: LocationManager) -> any WatchReport {
    let hasPlaces = arguments.places
    return switch context.presentation.shape {
    case .table: LiveReport(context, source: source) { manager.currentAuthorization }
    case .lines:
      LineReport(context, namesSource: source.isCombined) {
        hasPlaces ? LocationLine.line($0, at: $1) : LocationLine.line($0)
      }
    case .json:
      LineReport(context, namesSource: source.isCombined) {
        try JSONLine.line(
          LocatedPlace(location: $0, placemark: $1?.placemark?.measured(from: $0.coordinate)))
      }
    }
  }

  private func follow(
    _ manager: LocationManager, _ source: NamedBackend, _ geocoder: (any Geocoder)?
  ) async throws -> ExitCode {
    let report = report(on: source, of: manager)
    let watchdog = Watchdog(context.clock)
    // Subscribes before anything runs, so that no event is missed.
    let (locations, states) = (manager.updates(options), manager.connectionStates)
    let (live, authorizations) = (manager.liveUpdates, manager.authorizationUpdates)
    let hasSky = report.isTable && source.backend.capabilities.contains(.satellites)
    let sky = hasSky ? manager.satellites : nil
    let places = geocoder.map {
      manager.placemarks(
        using: $0, PlacemarkOptions(locale: arguments.locale, device: arguments.subscribedDevice))
    }
    let firstPlace = AsyncStream<Void>.makeStream()
    let losses = Losses("locations") { locations.dropped }
    let result = await race(of: ExitCode.self) { group in
      group.addTask {
        // With places, the first line waits until its place arrives or the source ends.
        if !report.isTable { for await _ in firstPlace.stream { break } }
        return try await show(locations, losses, in: report, feeding: watchdog)
      }
      group.addTask {
        defer { firstPlace.continuation.finish() }
        guard let places else { return nil }
        for try await update in places {
          await report.handle(update)
          firstPlace.continuation.finish()
        }
        return nil
      }
      group.addTask(for: states) { await report.handle($0) }
      group.addTask(for: live) { await report.handle($0) }
      group.addTask(for: authorizations) { await report.handle($0) }
      if let sky { group.addTask(for: sky) { await report.handle($0) } }
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

  private func show(
    _ locations: LocationUpdates, _ losses: Losses, in report: any WatchReport,
    feeding watchdog: Watchdog
  ) async throws -> ExitCode {
    var shown = 0
    for try await location in locations {
      // The location is printed before the warning, since permission may be withdrawn while the
      // warning is written.
      try await report.handle(location)
      if let warning = await losses.note() { await report.printMessage(warning) }
      await watchdog.feed()
      shown += 1
      if shown == arguments.count { return .done }
    }
    try Task.checkCancellation()  // The loop also ends when cancelled.
    guard let count = arguments.count else { return .done }
    await report.printMessage("the source ended after \(shown) of \(count) locations")
    return .failed
  }
}

/// The output of `watch`.
protocol WatchReport: Actor {
  /// Whether the output is redrawn as a whole, so that it can show data that arrives later.
  nonisolated var isTable: Bool { get }

  func handle(_ location: Location) async throws
  /// Removes data that permission no longer covers.
  func handle(_ authorization: Authorization) async
  func handle(_ view: SatelliteView) async
  func handle(_ state: ConnectionState) async
  func handle(_ update: LocationUpdate) async
  func handle(_ update: PlacemarkUpdate) async
  func printMessage(_ text: String) async
  /// Runs until cancelled if there is work other than handling events.
  func run() async throws
  func timedOut(after timeout: Duration) -> LocationError
  /// Called once at the end, even after cancellation.
  func finish() async throws
}

extension LocationError {
  /// The error for a timeout without a location; `problem` is the probable cause.
  static func silent(for timeout: Duration, because problem: LocationError?) -> Self {
    LocationError(
      .timedOut, "No location arrived for \(NumberText.span(timeout)).", cause: problem)
  }
}
