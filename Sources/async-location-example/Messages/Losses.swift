/// Counts elements that were dropped because the output was read too slowly, and reports them at
/// the end of a command.
///
/// The buffer for a slow reader is limited to ``bound`` bytes; beyond that the oldest elements are
/// dropped.
actor Losses {
  /// The approximate maximum size of buffered elements, in bytes.
  static let bound = 32 << 20

  /// The name of the elements, in the plural.
  private let name: String
  private let dropped: @Sendable () async -> Int
  /// The number of elements dropped before the last element that was received.
  private var noted = 0

  /// - Parameter dropped: Returns the number of elements dropped so far.
  init(_ name: String, _ dropped: @escaping @Sendable () async -> Int) {
    (self.name, self.dropped) = (name, dropped)
  }

  /// Records the elements dropped before the one just received. Returns a message the first time.
  func note() async -> String? {
    let now = await dropped()
    defer { noted = now }
    return noted == 0 && now > 0
      ? "\(name) arrive faster than they are read: the oldest are dropped" : nil
  }

  /// Reports the number of dropped elements. Returns the status of `result`, but `failed` instead
  /// of `done` if elements were dropped.
  ///
  /// - Throws: The error of `result`, wrapped in ``IncompleteOutput`` when elements were dropped.
  func conclude(
    _ result: Result<ExitCode, any Error>, _ context: CommandContext
  ) async throws -> ExitCode {
    let lost =
      switch result {
      case .success, .failure(OutputError.closed): noted  // Later elements were not requested.
      case .failure: await dropped()
      }
    guard lost > 0 else { return try result.get() }
    await context.printMessage(
      lost == 1
        ? "1 of the \(name) was dropped: it arrived faster than it was read"
        : "\(lost) \(name) were dropped: they arrived faster than they were read")
    switch result {
    case .success(let code): return code == .done ? .failed : code
    case .failure(let error):
      throw IncompleteOutput(cause: (error as? IncompleteOutput)?.cause ?? error)
    }
  }
}

/// A command failed, and elements were missing from its output.
struct IncompleteOutput: Error {
  /// The error that ended the command.
  let cause: any Error
}
