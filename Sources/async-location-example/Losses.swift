/// Counts what came faster than it was shown, and makes the end of a command say so.
///
/// What waits for a slow reader is bounded in bytes, see ``bound``; beyond it the oldest elements are
/// dropped.
actor Losses {
  /// Bytes of memory that may wait, about.
  static let bound = 32 << 20

  /// What arrives, in the plural.
  private let name: String
  private let dropped: @Sendable () async -> Int
  /// How many were dropped before the element that was taken last.
  private var noted = 0

  /// - Parameter dropped: How many elements were dropped so far.
  init(_ name: String, _ dropped: @escaping @Sendable () async -> Int) {
    (self.name, self.dropped) = (name, dropped)
  }

  /// Notes what is missing before an element that was taken. Returns what to say, once.
  func note() async -> String? {
    let now = await dropped()
    defer { noted = now }
    return noted == 0 && now > 0
      ? "\(name) come faster than they are read: the oldest that wait are dropped" : nil
  }

  /// Says what is missing from what was shown, and makes a status of it.
  ///
  /// - Throws: The error of `result`, within ``IncompleteOutput`` when something is missing.
  func conclude(
    _ result: Result<ExitCode, any Error>, _ surroundings: Surroundings
  ) async throws -> ExitCode {
    let lost =
      switch result {
      case .success, .failure(OutputError.closed): noted  // What came later was not asked for.
      case .failure: await dropped()
      }
    guard lost > 0 else { return try result.get() }
    await surroundings.say(
      "\(lost) \(name) were dropped: they came faster than they were read")
    switch result {
    case .success(let code): return code == .done ? .failed : code
    case .failure(let error): throw IncompleteOutput(cause: error)
    }
  }
}

/// A command ended, and something is missing from what it showed.
struct IncompleteOutput: Error {
  /// How it ended.
  let cause: any Error
}
