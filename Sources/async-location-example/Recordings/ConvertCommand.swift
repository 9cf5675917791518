import AsyncLocation
import LocationRecording

/// The `convert` command: writes the locations of a recording in another format.
struct ConvertCommand: Sendable {
  let arguments: Arguments
  let context: CommandContext
  /// The text that is written at once, in bytes.
  private static let block = 1 << 16
  /// Divides a track only where the recording does.
  private static let anyInterval = Duration.seconds(Int64.max)

  /// Fails when something could not be kept; what could is written.
  func run() async throws -> ExitCode {
    guard let source = arguments.recording, let destination = arguments.destination,
      let format = arguments.writtenFormat
    else { throw Self.missing }
    let isPiped = destination == "-"
    let file = isPiped ? nil : try CompletedFile(path: destination, replaces: arguments.replaces)
    let output = file?.output ?? context.output
    let scan = RecordingScan(
      path: source, options: arguments.trackOptions(maximumInterval: Self.anyInterval),
      context: context, showsProgress: context.showsProgress && !isPiped)
    var conversion = Conversion(format: format, tolerance: arguments.simplification)
    let summary = try await scan.run { points, name in
      try conversion.take(points, name: name)
      if conversion.byteCount >= Self.block { try await output.write(conversion.takeText()) }
    }
    let count = try conversion.finish(name: summary.name)
    try await output.write(conversion.takeText())
    try await file?.complete()
    return try await conclude(summary, conversion, count)
  }

  private func conclude(
    _ summary: RecordingScan.Summary, _ conversion: borrowing Conversion, _ replacedCount: Int
  ) async throws -> ExitCode {
    for line in ScanMessages.lines(of: summary, path: arguments.recording ?? "") {
      await context.say(line)
    }
    if replacedCount > 0 {
      await context.say(
        "\(NumberText.counted(replacedCount, "character")) cannot be written in "
          + "\(conversion.format): replaced by U+FFFD")
    }
    let from = summary.format.map { " from \($0)" } ?? ""
    await context.say(
      "\(NumberText.counted(conversion.pointCount, "point")) in "
        + "\(NumberText.counted(conversion.segmentCount, "segment"))\(from) to "
        + "\(conversion.format)")
    return summary.skipped.isEmpty && replacedCount == 0 ? .done : .failed
  }

  static let missing = UsageError(
    "convert needs IN and OUT, the paths of two files; - is standard input or output",
    command: .convert)
}
