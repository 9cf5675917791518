import AsyncLocation

/// What a command deals with besides locations: who reads, in what form, and the time.
struct Surroundings: Sendable {
  /// Data, and nothing else.
  let output: any TextOutput
  /// Talk.
  let errors: any TextOutput
  let presentation: Presentation
  let clock: any Clock<Duration>
  let windowSize: @Sendable () -> Window.Size
  let windowEvents: AsyncStream<Signals.WindowEvent>

  /// Says something to a person; text from outside is escaped here. Nobody listening is no error.
  func say(_ text: String) async {
    try? await errors.write("\(Help.name): \(Escaping.escape(text))\n")
  }
}
