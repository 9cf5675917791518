import AsyncLocation
import MockBackend
import Testing

@testable import async_location_example

/// Records the written text, and resumes tests that wait for a part of it.
actor TestOutput: TextOutput {
  private(set) var text = ""
  private let limit: Int
  private var waiting: [(part: String, caller: CheckedContinuation<Void, Never>)] = []

  /// Accepts a number of writes; later ones fail as on a broken pipe.
  init(limit: Int = .max) { self.limit = limit }

  private var writes = 0
  private var hasEnded = false

  var lines: [String] { text.split(separator: "\n").map(String.init) }

  func write(_ text: String) async throws(OutputError) {
    guard writes < limit else { throw .closed }
    writes += 1
    self.text += text
    let satisfied = waiting.filter { self.text.contains($0.part) }
    waiting.removeAll { self.text.contains($0.part) }
    for waiter in satisfied { waiter.caller.resume() }
  }

  /// Returns when a text was written. If the command ends before, records an issue and returns.
  func wait(for part: String) async {
    guard !text.contains(part) else { return }
    if !hasEnded { await withCheckedContinuation { waiting.append((part, $0)) } }
    if !text.contains(part) { Issue.record("The command ended without '\(part)'.") }
  }

  /// Called when the command has ended. Pending waits then fail.
  func end() {
    hasEnded = true
    for waiter in waiting { waiter.caller.resume() }
    waiting = []
  }
}

/// A tool with a mock source, a manual clock and recorded outputs.
struct Bench: Sendable {
  let backend: MockBackend
  let clock = ManualClock()
  let output: TestOutput
  let errors = TestOutput()
  let window: AsyncStream<Signals.WindowEvent>.Continuation
  let tool: Tool

  init(
    _ backend: MockBackend, shape: Presentation.Shape = .lines, output: TestOutput = TestOutput(),
    receivers: Result<[Receiver], LocationError> = .success([]),
    reports: CannedReports = CannedReports(), survey: Evidence.Survey = Evidence.Survey(),
    storage: MemoryMonitorStorage = MemoryMonitorStorage(),
    geocoder: MockGeocoder = .failing { Issue.record("\($0)") },
    keyboard: any KeySource = NullKeySource()
  ) {
    (self.backend, self.output) = (backend, output)
    let (events, window) = AsyncStream.makeStream(of: Signals.WindowEvent.self)
    self.window = window
    tool = Tool(
      context: CommandContext(
        output: output, errors: errors, presentation: Samples.presentation(shape), clock: clock,
        windowSize: { Window.Size(columns: 100, rows: 30) }, windowEvents: events,
        keyboard: keyboard),
      source: { _ in NamedBackend(name: "mock", backend: backend) },
      receivers: { _ in try receivers.get() }, reports: { _ in reports.source },
      storage: { _ in storage }, geocoder: { _ in geocoder },
      broker: Sources.broker, publications: Sources.publicationStorage,
      survey: { _ in survey })
  }

  /// Runs a command line, and ends the outputs.
  ///
  /// - Returns: Nil if the command was interrupted before its normal end, or if the line runs no
  ///   command.
  func run(_ line: String) async throws -> ExitCode? {
    guard
      case .run(let arguments) = try Invocation.parse(line.split(separator: " ").map(String.init))
    else { return nil }
    let code = await tool.run(arguments)
    await output.end()
    await errors.end()
    return code
  }
}
