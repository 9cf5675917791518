import AsyncLocation

extension Command {
  static let reports = Command(
    name: "reports",
    summary: "Prints gpsd's own reports as they arrive, until interrupted.",
    isEndless: true,
    options: [.receiving, [.device, .count, .classes]],
    meanings: [.port: Option.portOfGPSD],
    notes: """
      In text: the class, the receiver ('-' when the report names none) and the line as gpsd sent
      it. With --format json: one report per line, with the known fields in the units of gpsd's
      documentation. TOFF and PPS are printed only if --class names them. Reports contain exact
      positions and need permission with full accuracy.
      Reports go to standard output, messages to standard error. Without --count an interrupt
      (Ctrl-C) ends the command with status 0.
      Up to 32 MB of reports are buffered for a slow reader. Beyond that the oldest are dropped;
      their number is printed on standard error, and the status is 1.
      """,
    run: { tool, arguments in
      try await ReportsCommand(arguments: arguments, context: tool.context)
        .run(tool.reports(arguments))
    })
}

/// The `reports` command: prints gpsd's reports line by line.
struct ReportsCommand: Sendable {
  let arguments: Arguments
  let context: CommandContext

  /// Returns when the requested count has arrived or the source ends; throws on an error. Returns
  /// `failed` if reports were dropped or the source ended before the requested count.
  func run(_ source: ReportSource) async throws -> ExitCode {
    let following = Following(arguments: arguments, context: context, name: "reports")
    return try await following.run(source.states, dropped: source.dropped) { output in
      for try await report in source.reports { try await output(text(report)) }
    }
  }

  private func text(_ report: ShownReport) throws -> String {
    if context.presentation.shape == .json, let value = report.value {
      return try JSONLine.line(value)
    }
    let words = [
      report.className ?? "-", report.device ?? "-", String(decoding: report.line, as: UTF8.self),
    ]
    return Escaping.escape(words.joined(separator: " "))
  }
}

/// A report to print.
struct ShownReport: Sendable {
  let className: String?
  let device: String?
  /// The line as gpsd sent it.
  let line: [UInt8]
  /// The value that is encoded for JSON output.
  let value: (any Encodable & Sendable)?
}

/// The source of reports.
struct ReportSource: Sendable {
  let reports: any AsyncSequence<ShownReport, LocationError> & Sendable
  let states: AsyncStream<ConnectionState>
  /// The number of reports dropped so far because they were read too slowly.
  let dropped: @Sendable () -> Int
}
