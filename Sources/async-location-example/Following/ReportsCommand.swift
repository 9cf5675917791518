import AsyncLocation

/// `reports`: what gpsd says, line by line.
struct ReportsCommand: Sendable {
  let arguments: Arguments
  let surroundings: Surroundings

  /// Ends when enough reports came, or with an error.
  func run(_ source: ReportSource) async throws -> ExitCode {
    let following = Following(arguments: arguments, surroundings: surroundings, name: "reports")
    return try await following.run(source.states, dropped: source.dropped) { take in
      for try await report in source.reports { try await take(text(report)) }
    }
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
  /// How many reports were dropped so far, since they were read too slowly.
  let dropped: @Sendable () -> Int
}
