import AsyncLocation

/// Prints elements as lines, and reports connection changes.
struct Following: Sendable {
  typealias WriteLine = @Sendable (_ line: String) async throws -> Void

  let arguments: Arguments
  let context: CommandContext
  /// The name of the elements, in the plural.
  let name: String

  /// Returns when the requested count has arrived or the source ends. Throws an error of the
  /// source, or `timedOut` when nothing arrives for the time in the arguments. Returns `failed` if
  /// elements were dropped or the source ended before the requested count.
  ///
  /// - Parameters:
  ///   - dropped: Returns the number of elements dropped so far.
  ///   - each: Calls the closure with each line until the source ends.
  func run(
    _ states: AsyncStream<ConnectionState>, dropped: @escaping @Sendable () async -> Int,
    each: @escaping @Sendable (@escaping WriteLine) async throws -> Void
  ) async throws -> ExitCode {
    let losses = Losses(name, dropped)
    let watchdog = Watchdog(context.clock)
    let progress = Progress()
    let result = await race(of: ExitCode.self) { group in
      group.addTask { try await show(each, progress, losses, feeding: watchdog) }
      group.addTask(for: states) { state in
        if let text = await progress.nextMessage(for: state) { await context.printMessage(text) }
      }
      group.addTask(expiring: watchdog, after: arguments.timeout) { timeout in
        LocationError(
          .timedOut, "No \(name) arrived for \(NumberText.span(timeout)).",
          cause: await progress.problem)
      }
    }
    return try await losses.conclude(result, context)
  }

  private func show(
    _ each: @Sendable (@escaping WriteLine) async throws -> Void, _ progress: Progress,
    _ losses: Losses, feeding watchdog: Watchdog
  ) async throws -> ExitCode {
    do {
      try await each { line in
        // The line is written before the warning, since permission may be withdrawn while the
        // warning is written.
        try await context.output.write(line + "\n")
        if let warning = await losses.note() { await context.printMessage(warning) }
        await watchdog.feed()
        if await progress.recordShown() == arguments.count { throw CountReached() }
      }
    } catch is CountReached {
      return .done
    }
    try Task.checkCancellation()  // The loop also ends when cancelled.
    guard let count = arguments.count else { return .done }
    await context.printMessage("the source ended after \(progress.shown) of \(count) \(name)")
    return .failed
  }
}

/// Thrown to leave a loop over elements, because the requested count was printed.
struct CountReached: Error {}

private actor Progress {
  private(set) var shown = 0
  private(set) var problem: LocationError?
  private var messages = ConnectionMessages()

  /// Counts a printed element, and returns the number of printed elements.
  func recordShown() -> Int {
    shown += 1
    return shown
  }

  func nextMessage(for state: ConnectionState) -> String? {
    problem = state.problem
    return messages.nextMessage(for: state)
  }
}
