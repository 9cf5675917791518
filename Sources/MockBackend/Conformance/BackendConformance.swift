public import AsyncLocation

/// Checks that a backend keeps the promises of `LocationBackend`.
///
/// It knows no test framework: it returns what it found. With Swift Testing:
///
/// ```swift
/// @Test func keepsTheProtocol() async throws {
///   let conformance = BackendConformance {
///     let backend = MockBackend()
///     return BackendConformance.Subject(backend) { listeners in
///       if listeners > 0 { await backend.waitUntilRunning() }
///       try backend.emit(.location(nextLocation()))
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
    public let produceLocation: @Sendable (_ listeners: Int) async throws -> Void

    /// Creates a subject.
    ///
    /// - Parameters:
    ///   - backend: A backend that nobody else runs.
    ///   - produceLocation: Makes the source produce one location, with a later timestamp than the
    ///     locations before. `listeners` is the number of runs that must receive it: 0, 1 or 2.
    ///     Wait until that many runs receive from the source before producing: for a server, until
    ///     that many clients are subscribed; for a ``MockBackend``, with
    ///     ``MockBackend/waitUntilRunning()``. With 0, do not wait: the location is for nobody, and
    ///     checks that nothing is emitted after a run has returned. Return early when cancelled.
    ///     Calls overlap. What it throws is reported under
    ///     ``BackendViolation/Rule/producesLocations``.
    public init(
      _ backend: any LocationBackend,
      produceLocation: @escaping @Sendable (_ listeners: Int) async throws -> Void
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
