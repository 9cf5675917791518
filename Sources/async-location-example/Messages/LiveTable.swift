/// A table that is redrawn in place: after changes, with a pause between two frames, and once a
/// second to update the ages.
actor LiveTable {
  /// Returns the lines for a window.
  typealias Content = @Sendable (Window.Size) async -> [StyledLine]

  private let context: CommandContext
  private let stopwatch: Stopwatch
  private let pause: Duration
  private var painter: Painter
  private let changes: AsyncStream<Void>
  private let changed: AsyncStream<Void>.Continuation

  init(_ context: CommandContext, pause: Duration = .milliseconds(100)) {
    (self.context, self.pause) = (context, pause)
    stopwatch = Stopwatch(context.clock)
    painter = Painter(color: context.presentation.color)
    (changes, changed) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// Requests a frame.
  nonisolated func redraw() { changed.yield() }

  /// Draws until cancelled.
  func run(_ content: @escaping Content) async throws {
    try await withThrowingTaskGroup { group in
      group.addTask { try await self.draw(content) }
      group.addTask { try await self.tick() }
      group.addTask { try await self.watchWindow() }
      for try await _ in group {}  // The first failure ends all.
    }
  }

  /// Draws the last frame and leaves the table.
  func finish(_ content: Content) async throws {
    changed.finish()
    do {
      try await paint(content)
    } catch .interrupted {}
    let text = painter.leave()
    try await context.output.write(text)
  }

  private func draw(_ content: Content) async throws {
    changed.yield()
    for await _ in changes {
      try await paint(content)
      try await stopwatch.sleep(until: stopwatch.now + pause)
    }
  }

  private func tick() async throws {
    while true {
      try await stopwatch.sleep(until: stopwatch.now + .seconds(1))
      changed.yield()
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
      changed.yield()
    }
  }

  private func paint(_ content: Content) async throws(OutputError) {
    let size = context.windowSize()
    let lines = await content(size)
    let text = painter.paint(lines, width: size.columns, height: size.rows)
    try await context.output.write(text)
  }
}
