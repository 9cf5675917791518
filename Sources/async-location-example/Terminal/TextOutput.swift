/// Takes text for somebody to read: a terminal, a pipe, a file, a test.
protocol TextOutput: Sendable {
  /// Returns once all of the text is written.
  func write(_ text: String) async throws(OutputError)
}

/// Why text could not be written.
enum OutputError: Error, Hashable, Sendable {
  /// Nobody reads any more.
  case closed
  /// The tool was told to stop, and the reader takes nothing.
  case interrupted
  /// The system's error number.
  case failed(Int32)
}
