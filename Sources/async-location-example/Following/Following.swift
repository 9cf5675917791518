import AsyncLocation

/// Prints elements as lines, and reports connection changes.
struct Following: Sendable {
  typealias Take = @Sendable (_ line: String) async throws -> Void

  let arguments: Arguments
  let surroundings: Surroundings
  /// The name of the elements, in the plural.
  let name: String

  /// Returns when the requested count has arrived or the source ends. Throws an error of the
  /// source, or `timedOut` when nothing arrives for the time in the arguments. Fails when elements
  /// were dropped.
  ///
  /// - Parameters:
  ///   - dropped: Returns the number of elements dropped so far.
  ///   - each: Calls the closure with each line until the source ends.
  func run(
    _ states: AsyncStream<ConnectionState>, dropped: @escaping @Sendable () async -> Int,
    each: @escaping @Sendable (@escaping Take) async throws -> Void
  ) async throws -> ExitCode {
    let losses = Losses(name, dropped)
    let result: Result<ExitCode, any Error>
    do {
      result = .success(try await follow(states, losses, each))
    } catch {
      result = .failure(error)
    }
    return try await losses.conclude(result, surroundings)
  }

  private func follow(
    _ states: AsyncStream<ConnectionState>, _ losses: Losses,
    _ each: @escaping @Sendable (@escaping Take) async throws -> Void
  ) async throws -> ExitCode {
    let watchdog = Watchdog(surroundings.clock)
    let progress = Progress()
    return try await withThrowingTaskGroup(of: ExitCode?.self) { group in
      group.addTask { try await show(each, progress, losses, feeding: watchdog) }
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
            .timedOut, "No \(name) arrived for \(NumberText.span(timeout)).",
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

  private func show(
    _ each: @Sendable (@escaping Take) async throws -> Void, _ progress: Progress,
    _ losses: Losses, feeding watchdog: Watchdog
  ) async throws -> ExitCode {
    do {
      try await each { line in
        if let warning = await losses.note() { await surroundings.say(warning) }
        try await surroundings.output.write(line + "\n")
        await watchdog.feed()
        if await progress.count() == arguments.count { throw Enough() }
      }
    } catch is Enough {
      return .done
    }
    try Task.checkCancellation()  // The loop also ends when cancelled.
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
    // What failed for good ends the command with that error.
    return state.phase == .failed ? nil : commentary.take(state)
  }
}
