/// A table that is redrawn in place: after changes, with a pause between two frames; immediately
/// after a key; and once a second to update the ages.
///
/// While it runs, it reads keys from the terminal; ``finish(_:)`` restores the terminal.
actor LiveTable {
  /// Returns the lines for a window.
  typealias Content = @Sendable (Window.Size) async -> [StyledLine]

  private let context: CommandContext
  private let stopwatch: Stopwatch
  private let pause: Duration
  private var painter: Painter
  /// Changes of the content, which ``pace()`` turns into requests for frames.
  private let changes: AsyncStream<Void>
  private let changed: AsyncStream<Void>.Continuation
  /// Requests for frames, each drawn immediately.
  private let frameRequests: AsyncStream<Void>
  private let frameRequested: AsyncStream<Void>.Continuation
  /// Whether the process is suspended. Until the process continues, the terminal belongs to another
  /// program.
  private var isSuspended = false

  init(_ context: CommandContext, pause: Duration = .milliseconds(100)) {
    (self.context, self.pause) = (context, pause)
    stopwatch = Stopwatch(context.clock)
    painter = Painter(color: context.presentation.color)
    (changes, changed) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    (frameRequests, frameRequested) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// Requests a frame for a change; it may be delayed by the pause.
  nonisolated func redraw() { changed.yield() }

  /// Draws until cancelled.
  ///
  /// - Parameter press: Handles the keys other than `q`.
  /// - Throws: `CancellationError` after `q`, which ends a command as an interrupt does.
  func run(
    _ content: @escaping Content, press: @escaping @Sendable (Key) async -> Void = { _ in }
  ) async throws {
    acquireTerminal()
    try await withThrowingTaskGroup { group in
      group.addTask { try await self.draw(content) }
      group.addTask { try await self.pace() }
      group.addTask { try await self.tick() }
      group.addTask { try await self.watchWindow() }
      group.addTask { try await self.readKeys(press) }
      for try await _ in group {}  // The first failure ends all.
    }
  }

  /// Draws the last frame and leaves the table.
  func finish(_ content: Content) async throws {
    changed.finish()
    frameRequested.finish()
    defer {
      context.keyboard.release()
      Window.isDrawn = false
    }
    do {
      try await paint(content)
    } catch .interrupted {}
    let text = painter.leave()
    try await context.output.write(text)
  }

  private func draw(_ content: Content) async throws {
    frameRequested.yield()
    for await _ in frameRequests { try await paint(content) }
  }

  /// Requests frames for changes, with pauses.
  private func pace() async throws {
    for await _ in changes {
      frameRequested.yield()
      try await stopwatch.sleep(until: stopwatch.now + pause)
    }
  }

  private func tick() async throws {
    while true {
      try await stopwatch.sleep(until: stopwatch.now + .seconds(1))
      // A shell can move a running program to the foreground without a signal.
      acquireTerminal()
      changed.yield()
    }
  }

  private func watchWindow() async throws {
    Window.isDrawn = true
    for await event in context.windowEvents {
      switch event {
      case .resized: break
      case .suspended:
        isSuspended = true
        try await context.output.write(painter.leave())
        // No other code of this actor runs between these two calls, because neither is
        // asynchronous.
        context.keyboard.release()
        Window.suspend()
      case .continued:
        isSuspended = false
        painter.forget()
        acquireTerminal()
      }
      frameRequested.yield()
    }
  }

  private func readKeys(_ press: @Sendable (Key) async -> Void) async throws {
    for await key in context.keyboard.keys {
      guard key != .character("q") else { throw CancellationError() }
      await press(key)
      frameRequested.yield()
    }
  }

  private func acquireTerminal() {
    if !isSuspended { context.keyboard.acquire() }
  }

  private func paint(_ content: Content) async throws(OutputError) {
    let size = context.windowSize()
    let lines = await content(size)
    guard !isSuspended else { return }
    let text = painter.paint(lines, width: size.columns, height: size.rows)
    try await context.output.write(text)
  }
}
