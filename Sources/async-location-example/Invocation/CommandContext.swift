import AsyncLocation

/// The environment of a command: its outputs, their format, and the clock.
struct CommandContext: Sendable {
  /// Receives data only.
  let output: any TextOutput
  /// Receives messages for people.
  let errors: any TextOutput
  let presentation: Presentation
  let clock: any Clock<Duration>
  let windowSize: @Sendable () -> Window.Size
  let windowEvents: AsyncStream<Signals.WindowEvent>
  /// The keys that the user presses while a table is shown.
  var keyboard: any KeySource = NullKeySource()
  /// The requests to read files again.
  var reloads = ReloadRequests()
  /// The service manager that started the tool; nil for a person.
  var service: ServiceManager?
  /// Whether messages go to a terminal that can show progress.
  var showsProgress = false

  /// Escapes and prints a message, after the control sequence `clearing`. Ignores write errors.
  func printMessage(_ text: String, after clearing: String = "") async {
    try? await errors.write("\(clearing)\(Help.name): \(Escaping.escape(text))\n")
  }

  /// Writes a value as a line: as JSON, or as text.
  func write(_ value: some Encodable, _ text: () -> String) async throws {
    let isJSON = presentation.shape == .json
    try await output.write((isJSON ? JSONLine.line(value) : text()) + "\n")
  }
}
