import AsyncLocation

/// Shows locations as a ``LiveTable``.
actor LiveReport: WatchReport {
  nonisolated let isTable = true
  private let context: CommandContext
  private let stopwatch: Stopwatch
  private var state: WatchState
  /// The messages to print after the table.
  private var messages: [String] = []
  private let table: LiveTable
  /// The authorization in force.
  private let authorization: @Sendable () -> Authorization

  init(
    _ context: CommandContext, source: NamedBackend,
    authorization: @escaping @Sendable () -> Authorization
  ) {
    (self.context, self.authorization) = (context, authorization)
    stopwatch = Stopwatch(context.clock)
    state = WatchState(source: source.name, isCombined: source.isCombined)
    table = LiveTable(context)
  }

  func handle(_ location: Location) {
    state.record(location, at: stopwatch.now)
    table.redraw()
  }

  func handle(_ authorization: Authorization) {
    state.record(authorization)
    table.redraw()
  }

  func handle(_ view: SatelliteView) {
    state.record(view)
    table.redraw()
  }

  func handle(_ connection: ConnectionState) {
    state.record(connection, at: stopwatch.now)
    table.redraw()
  }

  func handle(_ update: LocationUpdate) {
    state.record(update)
    table.redraw()
  }

  func handle(_ update: PlacemarkUpdate) {
    state.record(update)
    table.redraw()
  }

  /// Keeps a message until the table is left.
  func printMessage(_ text: String) { messages.append(text) }

  func timedOut(after timeout: Duration) -> LocationError {
    .silent(for: timeout, because: state.connection?.problem)
  }

  func run() async throws { try await table.run { await self.lines($0) } }

  func finish() async throws {
    try await table.finish { await self.lines($0) }
    for message in messages { await context.printMessage(message) }
  }

  private func lines(_ size: Window.Size) -> [StyledLine] {
    // Each frame is drawn with the current permission.
    state.record(authorization())
    return WatchTable(width: size.columns, height: size.rows, glyphs: context.presentation.glyphs)
      .lines(state, now: stopwatch.now)
  }
}
