import AsyncLocation

/// Shows a table that is redrawn in place: after events at most ten times a second, and once a
/// second to update the ages.
actor LiveReport: WatchReport {
  nonisolated let showsSky = true
  private let surroundings: Surroundings
  private let stopwatch: Stopwatch
  private var state: WatchState
  private var painter: Painter
  private var remarks: [String] = []
  private let news: AsyncStream<Void>
  private let bell: AsyncStream<Void>.Continuation

  init(_ surroundings: Surroundings, source: String) {
    self.surroundings = surroundings
    stopwatch = Stopwatch(surroundings.clock)
    state = WatchState(source: source)
    painter = Painter(color: surroundings.presentation.color)
    (news, bell) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  func take(_ location: Location) {
    state.take(location, at: stopwatch.now)
    bell.yield()
  }

  func take(_ view: SatelliteView) {
    state.take(view)
    bell.yield()
  }

  func take(_ connection: ConnectionState) {
    state.take(connection, at: stopwatch.now)
    bell.yield()
  }

  func take(_ update: LocationUpdate) {
    state.take(update)
    bell.yield()
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
    bell.finish()
    do {
      try await paint()
    } catch .interrupted {}
    let text = painter.leave()
    try await surroundings.output.write(text)
    for remark in remarks { await surroundings.say(remark) }
  }

  private func draw() async throws {
    bell.yield()
    for await _ in news {
      try await paint()
      try await stopwatch.sleep(until: stopwatch.now + .milliseconds(100))
    }
  }

  private func tick() async throws {
    while true {
      try await stopwatch.sleep(until: stopwatch.now + .seconds(1))
      bell.yield()
    }
  }

  private func watchWindow() async throws {
    for await event in surroundings.windowEvents {
      switch event {
      case .resized: break
      case .suspended:
        try await surroundings.output.write(painter.leave())
        Window.suspend()
      case .continued: painter.forget()
      }
      bell.yield()
    }
  }

  private func paint() async throws(OutputError) {
    let size = surroundings.windowSize()
    let table = WatchTable(
      width: size.columns, height: size.rows, glyphs: surroundings.presentation.glyphs)
    let lines = table.lines(state, now: stopwatch.now)
    let text = painter.paint(lines, width: size.columns, height: size.rows)
    try await surroundings.output.write(text)
  }
}
