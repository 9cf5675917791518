import AsyncLocation

/// Shows locations as a ``LiveTable``.
actor LiveReport: WatchReport {
  nonisolated let isTable = true
  private let context: CommandContext
  private let stopwatch: Stopwatch
  private var state: WatchState
  private var remarks: [String] = []
  private let table: LiveTable
  /// The authorization in force.
  private let authorization: @Sendable () -> Authorization

  init(
    _ context: CommandContext, source: String,
    authorization: @escaping @Sendable () -> Authorization
  ) {
    (self.context, self.authorization) = (context, authorization)
    stopwatch = Stopwatch(context.clock)
    state = WatchState(source: source)
    table = LiveTable(context)
  }

  func take(_ location: Location) {
    state.take(location, at: stopwatch.now)
    table.redraw()
  }

  func take(_ authorization: Authorization) {
    state.take(authorization)
    table.redraw()
  }

  func take(_ view: SatelliteView) {
    state.take(view)
    table.redraw()
  }

  func take(_ connection: ConnectionState) {
    state.take(connection, at: stopwatch.now)
    table.redraw()
  }

  func take(_ update: LocationUpdate) {
    state.take(update)
    table.redraw()
  }

  func take(_ update: PlacemarkUpdate) {
    state.take(update)
    table.redraw()
  }

  func say(_ text: String) { remarks.append(text) }  // After the table; at most one per run.

  func timedOut(after timeout: Duration) -> LocationError {
    .silent(for: timeout, because: state.connection?.problem)
  }

  func run() async throws { try await table.run { await self.lines($0) } }

  func finish() async throws {
    try await table.finish { await self.lines($0) }
    for remark in remarks { await context.say(remark) }
  }

  private func lines(_ size: Window.Size) -> [StyledLine] {
    // Each frame is drawn with the current permission.
    state.take(authorization())
    return WatchTable(width: size.columns, height: size.rows, glyphs: context.presentation.glyphs)
      .lines(state, now: stopwatch.now)
  }
}
