import AsyncLocation
import LocationRecording

/// The output of `record` on standard error: a progress line in terminals, problems, and a summary.
actor RecordReport {
  private let context: CommandContext
  private let path: String
  private let recorder: TrackRecorder
  private var connection = ConnectionMessages()
  private var problem: LocationError?
  private var lostFiles = 0
  /// The problem of the connection, the probable reason if no location arrives.
  private var reason: LocationError?
  private let status: StatusLine

  init(_ context: CommandContext, path: String, _ recorder: TrackRecorder) {
    (self.context, self.path, self.recorder) = (context, path, recorder)
    status = StatusLine(context)
  }

  func handle(_ state: ConnectionState) async {
    reason = state.problem
    if let message = connection.nextMessage(for: state) { await printMessage(message) }
  }

  func handle(_ update: LocationUpdate) async {
    if let message = connection.nextMessage(for: update) { await printMessage(message) }
  }

  func printMessage(_ text: String) async { await status.printMessage(text) }

  /// Shows the progress until cancelled.
  func run() async {
    let stopwatch = Stopwatch(context.clock)
    while true {
      let next = stopwatch.now + .seconds(1)
      guard (try? await stopwatch.sleep(until: next)) != nil else { return }
      let statistics = await recorder.statistics
      if statistics.lostFiles > lostFiles {
        lostFiles = statistics.lostFiles
        await printMessage("\(path): " + RecordText.lost(statistics))
      }
      // Reported even after a file was lost: the next file may fail, too.
      if statistics.problem != problem {
        let name = RecordText.name(statistics, path)
        await printMessage(
          statistics.problem.map { "\($0.message) Trying again." } ?? "\(name) is written")
      }
      problem = statistics.problem
      await status.show(RecordText.progress(statistics, path: path))
    }
  }

  /// Prints the summary.
  func finish(dropped: Int) async {
    await printMessage(RecordText.summary(await recorder.statistics, path: path, dropped: dropped))
  }

  func timedOut(after timeout: Duration) -> LocationError {
    .silent(for: timeout, because: reason)
  }
}

/// The texts of `record`. Pure.
enum RecordText {
  static func progress(_ statistics: TrackRecorder.Statistics, path: String) -> String {
    var parts = ["\(NumberText.counted(statistics.recorded, "location")) recorded"]
    if statistics.waiting > 0 { parts.append("\(statistics.waiting) waiting") }
    if statistics.lost > 0 { parts.append("\(statistics.lost) lost") }
    parts.append(size(statistics.fileLength))
    return "\(name(statistics, path)): " + parts.joined(separator: ", ")
  }

  /// - Parameter dropped: The number of locations that did not reach the recorder.
  static func summary(
    _ statistics: TrackRecorder.Statistics, path: String, dropped: Int
  ) -> String {
    var parts = ["\(NumberText.counted(statistics.recorded, "location")) recorded"]
    if statistics.fileCount > 1 { parts.append("in \(statistics.fileCount) files") }
    if statistics.skipped > 0 { parts.append("\(statistics.skipped) skipped as too near or early") }
    if statistics.lost + dropped > 0 { parts.append("\(statistics.lost + dropped) LOST") }
    if statistics.lostFiles > 0 { parts.append(lost(statistics)) }
    if statistics.fileName != nil {
      let last = statistics.fileCount > 1 ? "the last of " : ""
      parts.append(last + size(statistics.fileLength))
    }
    return "\(name(statistics, path)): " + parts.joined(separator: ", ")
  }

  static func lost(_ statistics: TrackRecorder.Statistics) -> String {
    "\(NumberText.counted(statistics.lostFiles, "file")) REMOVED or cut by another program"
  }

  static func size(_ bytes: Int) -> String {
    switch bytes {
    case ..<1_000: "\(bytes) bytes"
    case ..<1_000_000: NumberText.fixed(Double(bytes) / 1e3, 1) + " kB"
    default: NumberText.fixed(Double(bytes) / 1e6, 1) + " MB"
    }
  }

  /// The path, with the name of the current file.
  static func name(_ statistics: TrackRecorder.Statistics, _ path: String) -> String {
    guard let file = statistics.fileName else { return path }
    guard let slash = path.lastIndex(of: "/") else { return file }
    return path[...slash] + file
  }
}
