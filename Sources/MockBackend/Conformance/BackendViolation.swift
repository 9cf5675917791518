/// A violation of a rule of the `LocationBackend` protocol, found by ``BackendConformance``.
public struct BackendViolation: Sendable, Hashable, CustomStringConvertible {
  /// A rule that a backend must follow.
  @nonexhaustive
  public enum Rule: String, Sendable, Hashable, CaseIterable {
    /// A run continues and reports locations while the source produces them.
    case producesLocations
    /// A run returns when its task is cancelled.
    case returnsAfterCancellation
    /// A run returns when its task is cancelled before or at its start.
    case returnsWhenCancelledAtStart
    /// A backend can be run again after a run has ended.
    case runsAgain
    /// Nothing is emitted into a run that has returned.
    case staysSilentAfterReturn
    /// Events are emitted one call at a time.
    case emitsOneAtATime
    /// Capabilities are constant.
    case keepsCapabilities
    /// Only kinds in the capabilities are emitted.
    case staysWithinCapabilities
    /// Locations are measured: no placeholder, such as 0° N 0° E or the year 1970, stands for
    /// "unknown". `Location` itself ensures that all values are finite and in range.
    case emitsMeasuredLocations
    /// A run that reports connection states reports `connected` before its first location, and
    /// emits locations only while connected.
    case connectsBeforeLocations
    /// A run that fails throws a `LocationError`.
    case failsWithLocationError
    /// A second concurrent run works too, or fails with a `LocationError`; the first continues in
    /// both cases.
    case sharesOrRefusesSecondRun
    /// `demandDidChange` returns, during a run and outside of one.
    case takesDemand
    /// A request for permission returns at the latest when its task is cancelled.
    case answersAuthorization
    /// Observing permission ends when its task is cancelled.
    case stopsObserving
  }

  /// The rule that was violated.
  public let rule: Rule
  /// A description of the violation.
  public let message: String

  /// Creates a violation.
  public init(_ rule: Rule, _ message: String) {
    self.rule = rule
    self.message = message
  }

  public var description: String { "\(rule.rawValue): \(message)" }
}
