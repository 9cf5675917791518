public import AsyncLocation

/// Checks that a backend follows the rules of `LocationBackend`.
///
/// It works with any test framework, since it returns the violations. With Swift Testing:
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
/// The check waits for events, not for a fixed time. The limit only ends waits for events that
/// never occur, so a generous limit does not slow down the check of a correct backend. A call that
/// hangs is left in a cancelled task.
public struct BackendConformance: Sendable {
  /// A backend under check and a closure that makes its source produce a location.
  public struct Subject: Sendable {
    /// The backend; nothing else runs it.
    public let backend: any LocationBackend
    /// See ``init(_:produceLocation:)``.
    public let produceLocation: @Sendable (_ listeners: Int) async throws -> Void

    /// Creates a subject.
    ///
    /// - Parameters:
    ///   - backend: A backend that nothing else runs.
    ///   - produceLocation: Makes the source produce one location, with a later timestamp than
    ///     earlier locations. `listeners` is the number of runs that must receive it: 0, 1 or 2.
    ///     Wait until that many runs receive from the source before producing: for a server, until
    ///     that many clients are subscribed; for a ``MockBackend``, with
    ///     ``MockBackend/waitUntilRunning()``. With 0, do not wait: this location checks that
    ///     nothing is emitted after a run has returned. Return early when cancelled. Calls may
    ///     overlap. An error that it throws is reported under
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
  let timeLimit: TimeLimit
  /// Runs inside every call of `emit`, so that a test can make calls overlap.
  var duringEmission: @Sendable () -> Void = {}

  /// Creates a check.
  ///
  /// - Parameters:
  ///   - clock: The clock that `limit` is measured on.
  ///   - limit: The longest wait for one event. It is not a performance limit: make it longer than
  ///     the slowest machine needs.
  ///   - makeSubject: Makes a new backend that is not running, for each part of the check.
  public init(
    clock: any Clock<Duration> = ContinuousClock(), limit: Duration = .seconds(20),
    makeSubject: @escaping @Sendable () async throws -> Subject
  ) {
    self.makeSubject = makeSubject
    timeLimit = TimeLimit(clock: clock, limit: limit)
  }

  /// Runs all checks and returns the violations without duplicates; empty for a correct backend.
  ///
  /// - Throws: The error of `makeSubject`; `CancellationError` when the task is cancelled.
  public func violations() async throws -> [BackendViolation] {
    var found: [BackendViolation] = []
    for check in [checkRuns, checkCancellationAtStart, checkTwoRuns, checkAuthorization] {
      let violations = await check(try await makeSubject())
      try Task.checkCancellation()  // The findings of a cancelled check are meaningless.
      for violation in violations where !found.contains(violation) { found.append(violation) }
    }
    return found
  }
}
