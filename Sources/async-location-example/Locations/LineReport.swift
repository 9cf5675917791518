import AsyncLocation

/// Prints each location as a line, and messages about other events.
actor LineReport: WatchReport {
  nonisolated let showsSky = false
  private let context: CommandContext
  private let line: @Sendable (Location) throws -> String
  private var commentary = ConnectionMessages()
  private var problem: LocationError?

  init(_ context: CommandContext, line: @escaping @Sendable (Location) throws -> String) {
    (self.context, self.line) = (context, line)
  }

  func take(_ location: Location) async throws {
    try await context.output.write(line(location) + "\n")
  }

  func take(_ view: SatelliteView) {}

  func take(_ state: ConnectionState) async {
    problem = state.problem
    if let text = commentary.take(state) { await context.say(text) }
  }

  func take(_ update: LocationUpdate) async {
    if let text = commentary.take(update) { await context.say(text) }
  }

  func say(_ text: String) async { await context.say(text) }

  func run() async throws {}

  func timedOut(after timeout: Duration) -> LocationError {
    .silent(for: timeout, because: problem)
  }

  func finish() {}
}
