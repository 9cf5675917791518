/// An output for text: a terminal, a pipe, a file or a test.
protocol TextOutput: Sendable {
  /// Returns when all of the text is written.
  func write(_ text: String) async throws(OutputError)
}

/// The reason why text could not be written.
enum OutputError: Error, Hashable, Sendable {
  /// The reader has closed its end.
  case closed
  /// The tool has to stop, and the reader does not read.
  case interrupted
  /// The system's error number.
  case failed(Int32)
}
