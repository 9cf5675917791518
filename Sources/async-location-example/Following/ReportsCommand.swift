import AsyncLocation

/// The `reports` command: prints gpsd's reports line by line.
struct ReportsCommand: Sendable {
  let arguments: Arguments
  let context: CommandContext

  /// Returns when the requested count has arrived; throws on an error.
  func run(_ source: ReportSource) async throws -> ExitCode {
    let following = Following(arguments: arguments, context: context, name: "reports")
    return try await following.run(source.states, dropped: source.dropped) { take in
      for try await report in source.reports { try await take(text(report)) }
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
