import AsyncLocation

/// `headings` and `sky`: what arrives, as lines.
struct FollowCommand<Element: Sendable & Encodable>: Sendable {
  typealias Take = @Sendable (Element) async throws -> Void

  let arguments: Arguments
  let surroundings: Surroundings
  /// What the elements are called.
  let name: String
  let text: @Sendable (Element) -> String
  /// Hands over each element of a manager's until the stream ends.
  let each: @Sendable (LocationManager, Take) async throws -> Void

  /// Ends when enough came, when the source ends, or with an error.
  func run(_ source: Tool.Source) async throws -> ExitCode {
    try await withLocationManager(backend: source.backend, clock: surroundings.clock) { manager in
      let states = manager.connectionStates
      let watchdog = Watchdog(surroundings.clock)
      let progress = Progress()
      return try await withThrowingTaskGroup(of: ExitCode?.self) { group in
        group.addTask { try await follow(manager, progress, feeding: watchdog) }
        group.addTask {
          for await state in states {
            if let text = await progress.take(state) { await surroundings.say(text) }
          }
          return nil
        }
        if let timeout = arguments.timeout {
          group.addTask {
            try await watchdog.starve(after: timeout)
            throw LocationError(
              .timedOut, "No \(name) arrived for \(Numbers.span(timeout)).",
              cause: await progress.problem)
          }
        }
        defer { group.cancelAll() }
        for try await code in group {
          if let code { return code }
        }
        throw CancellationError()
      }
    }
  }

  private func follow(
    _ manager: LocationManager, _ progress: Progress, feeding watchdog: Watchdog
  ) async throws -> ExitCode {
    do {
      try await each(manager) { element in
        let line =
          switch surroundings.presentation.shape {
          case .json: try JSONLine.line(element)
          case .table, .lines: text(element)
          }
        try await surroundings.output.write(line + "\n")
        await watchdog.feed()
        if await progress.count() == arguments.count { throw Enough() }
      }
    } catch is Enough {
      return .done
    }
    try Task.checkCancellation()  // Cancelling ends the loop as the source's end does.
    guard let count = arguments.count else { return .done }
    await surroundings.say("the source ended after \(progress.shown) of \(count) \(name)")
    return .failed
  }
}

private struct Enough: Error {}

private actor Progress {
  private(set) var shown = 0
  private(set) var problem: LocationError?
  private var commentary = Commentary()

  func count() -> Int {
    shown += 1
    return shown
  }

  func take(_ state: ConnectionState) -> String? {
    problem = state.problem
    return commentary.take(state)
  }
}

extension FollowCommand<Heading> {
  init(_ arguments: Arguments, _ surroundings: Surroundings) {
    self.init(
      arguments: arguments, surroundings: surroundings, name: "headings",
      text: { HeadingLine.line($0) },
      each: { manager, take in
        let options = HeadingOptions(device: arguments.device, buffering: .newest(1024))
        for try await heading in manager.headings(options) { try await take(heading) }
      })
  }
}

extension FollowCommand<SatelliteView> {
  init(_ arguments: Arguments, _ surroundings: Surroundings) {
    let presentation = surroundings.presentation
    let size = surroundings.windowSize
    self.init(
      arguments: arguments, surroundings: surroundings, name: "views of the sky",
      text: { view in
        guard presentation.shape == .table else { return SkyLine.line(view) }
        let window = size()
        let table = SkyTable(glyphs: presentation.glyphs)
        return table.lines(view, width: window.columns - 1, height: max(3, window.rows - 1))
          .map { $0.text(color: presentation.color) }.joined(separator: "\n") + "\n"
      },
      each: { manager, take in
        for try await view in manager.satellites { try await take(view) }
      })
  }
}
