import AsyncLocation

/// `reports`: what gpsd says, line by line.
struct ReportsCommand: Sendable {
  let arguments: Arguments
  let surroundings: Surroundings

  /// Ends when enough reports came, or with an error.
  func run(_ source: ReportSource) async throws -> ExitCode {
    let watchdog = Watchdog(surroundings.clock)
    let problem = ReportProblem(surroundings)
    return try await withThrowingTaskGroup(of: ExitCode?.self) { group in
      group.addTask { try await show(source, feeding: watchdog) }
      group.addTask {
        for await state in source.states { await problem.take(state) }
        return nil
      }
      if let timeout = arguments.timeout {
        group.addTask {
          try await watchdog.starve(after: timeout)
          throw LocationError(
            .timedOut, "No report arrived for \(Numbers.span(timeout)).", cause: await problem.last)
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
    _ source: ReportSource, feeding watchdog: Watchdog
  ) async throws -> ExitCode {
    var shown = 0
    for try await report in source.reports {
      try await surroundings.output.write(text(report) + "\n")
      await watchdog.feed()
      shown += 1
      if shown == arguments.count { break }
    }
    try Task.checkCancellation()  // Cancelling ends the loop as the source's end does.
    let dropped = source.dropped()
    if dropped > 0 { await surroundings.say("\(dropped) reports came faster than they were read") }
    guard let count = arguments.count, shown < count else { return .done }
    await surroundings.say("gpsd's reports ended after \(shown) of \(count)")
    return .failed
  }

  private func text(_ report: ShownReport) throws -> String {
    if surroundings.presentation.shape == .json, let value = report.value {
      return try JSONLine.line(value)
    }
    let words = [
      report.className ?? "-", report.device ?? "-", String(decoding: report.line, as: UTF8.self),
    ]
    return Escaping.escape(words.joined(separator: " "))
  }
}

/// A report to show.
struct ShownReport: Sendable {
  let className: String?
  let device: String?
  let line: [UInt8]
  /// What JSON is made of.
  let value: (any Encodable & Sendable)?
}

/// Where reports come from.
struct ReportSource: Sendable {
  let reports: any AsyncSequence<ShownReport, LocationError> & Sendable
  let states: AsyncStream<ConnectionState>
  let dropped: @Sendable () -> Int
}

/// Says what happens to the connection, and remembers what is wrong with it.
private actor ReportProblem {
  private(set) var last: LocationError?
  private var commentary = Commentary()
  private let surroundings: Surroundings

  init(_ surroundings: Surroundings) { self.surroundings = surroundings }

  func take(_ state: ConnectionState) async {
    last = state.problem
    if let text = commentary.take(state) { await surroundings.say(text) }
  }
}
