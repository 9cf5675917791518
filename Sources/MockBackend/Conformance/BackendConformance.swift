public import AsyncLocation

/// Checks that a backend keeps the promises of ``LocationBackend``.
///
/// It knows no test framework: it returns what it found. With Swift Testing:
///
/// ```swift
/// @Test func keepsTheProtocol() async throws {
///   let conformance = BackendConformance {
///     let backend = MockBackend()
///     return BackendConformance.Subject(backend) { listeners in
///       if listeners > 0 { await backend.waitUntilRunning() }
///       backend.emit(.location(nextLocation()))
///     }
///   }
///   for violation in try await conformance.violations() { Issue.record("\(violation)") }
/// }
/// ```
///
/// It waits for events, not for time. The clock only ends waits for something that never comes, so
/// a generous limit costs a correct backend nothing. What hangs is left behind in a cancelled task.
public struct BackendConformance: Sendable {
  /// A backend under check and the means to make its source speak.
  public struct Subject: Sendable {
    /// The backend, that nobody else runs.
    public let backend: any LocationBackend
    /// See ``init(_:produceLocation:)``.
    public let produceLocation: @Sendable (_ listeners: Int) async -> Void

    /// Creates a subject.
    ///
    /// - Parameters:
    ///   - backend: A backend that nobody else runs.
    ///   - produceLocation: Makes the source produce one location, newer than those before. First
    ///     waits until as many runs as `listeners` hear the source: with a server, until that many
    ///     clients are ready. With 0 it does not wait, and nobody may hear. Returns early when
    ///     cancelled; calls overlap.
    public init(
      _ backend: any LocationBackend,
      produceLocation: @escaping @Sendable (_ listeners: Int) async -> Void
    ) {
      self.backend = backend
      self.produceLocation = produceLocation
    }
  }

  private let makeSubject: @Sendable () async throws -> Subject
  let watchdog: Watchdog
  /// Runs inside of every call of emit, so that a test can make calls overlap.
  var duringEmission: @Sendable () -> Void = {}

  /// Creates a check.
  ///
  /// - Parameters:
  ///   - clock: Ends waits that nothing else ends.
  ///   - limit: How long such a wait lasts. Not a measure of speed: make it longer than the slowest
  ///     machine needs.
  ///   - makeSubject: Makes a fresh backend, at rest, for each part of the check.
  public init(
    clock: any Clock<Duration> = ContinuousClock(), limit: Duration = .seconds(20),
    makeSubject: @escaping @Sendable () async throws -> Subject
  ) {
    self.makeSubject = makeSubject
    watchdog = Watchdog(clock: clock, limit: limit)
  }

  /// Checks everything and returns what is wrong, each thing once; empty for a correct backend.
  ///
  /// - Throws: What `makeSubject` throws; `CancellationError` when the task is cancelled.
  public func violations() async throws -> [BackendViolation] {
    var found: [BackendViolation] = []
    for check in [checkRuns, checkCancellationAtStart, checkTwoRuns, checkAuthorization] {
      let violations = await check(try await makeSubject())
      try Task.checkCancellation()  // What a cancelled check finds means nothing.
      for violation in violations where !found.contains(violation) { found.append(violation) }
    }
    return found
  }
}
