import AsyncLocation

/// Shows a table that is redrawn in place: after events at most ten times a second, and once a
/// second to update the ages.
actor LiveReport: WatchReport {
  nonisolated let isTable = true
  private let context: CommandContext
  private let stopwatch: Stopwatch
  private var state: WatchState
  private var painter: Painter
  private var remarks: [String] = []
  private let changes: AsyncStream<Void>
  private let redraw: AsyncStream<Void>.Continuation

  init(_ context: CommandContext, source: String) {
    self.context = context
    stopwatch = Stopwatch(context.clock)
    state = WatchState(source: source)
    painter = Painter(color: context.presentation.color)
    (changes, redraw) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  func take(_ location: Location) {
    state.take(location, at: stopwatch.now)
    redraw.yield()
  }

  func take(_ view: SatelliteView) {
    state.take(view)
    redraw.yield()
  }

  func take(_ connection: ConnectionState) {
    state.take(connection, at: stopwatch.now)
    redraw.yield()
  }

  func take(_ update: LocationUpdate) {
    state.take(update)
    redraw.yield()
  }

  func take(_ update: PlacemarkUpdate) {
    state.take(update)
    redraw.yield()
  }

  func say(_ text: String) { remarks.append(text) }  // After the table; at most one per run.

  func timedOut(after timeout: Duration) -> LocationError {
    .silent(for: timeout, because: state.connection?.problem)
  }

  func run() async throws {
    try await withThrowingTaskGroup { group in
      group.addTask { try await self.draw() }
      group.addTask { try await self.tick() }
      group.addTask { try await self.watchWindow() }
      try await group.waitForAll()
    }
  }

  func finish() async throws {
    redraw.finish()
    do {
      try await paint()
    } catch .interrupted {}
    let text = painter.leave()
    try await context.output.write(text)
    for remark in remarks { await context.say(remark) }
  }

  private func draw() async throws {
    redraw.yield()
    for await _ in changes {
      try await paint()
      try await stopwatch.sleep(until: stopwatch.now + .milliseconds(100))
    }
  }

  private func tick() async throws {
    while true {
      try await stopwatch.sleep(until: stopwatch.now + .seconds(1))
      redraw.yield()
    }
  }

  private func watchWindow() async throws {
    Window.isDrawn = true
    for await event in context.windowEvents {
      switch event {
      case .resized: break
      case .suspended:
        try await context.output.write(painter.leave())
        Window.suspend()
      case .continued: painter.forget()
      }
      redraw.yield()
    }
  }

  private func paint() async throws(OutputError) {
    let size = context.windowSize()
    let table = WatchTable(
      width: size.columns, height: size.rows, glyphs: context.presentation.glyphs)
    let lines = table.lines(state, now: stopwatch.now)
    let text = painter.paint(lines, width: size.columns, height: size.rows)
    try await context.output.write(text)
  }
}
