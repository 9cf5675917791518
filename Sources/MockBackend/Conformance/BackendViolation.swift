/// A promise of the backend protocol that a backend broke; ``BackendConformance`` finds them.
public struct BackendViolation: Sendable, Hashable, CustomStringConvertible {
  /// What a backend promises.
  @nonexhaustive
  public enum Rule: String, Sendable, Hashable, CaseIterable {
    /// A run goes on, and reports locations while the source has some.
    case producesLocations
    /// A run returns when its task is cancelled.
    case returnsAfterCancellation
    /// A run whose task is cancelled before or as it starts returns.
    case returnsWhenCancelledAtStart
    /// A backend whose run is over can be run again.
    case runsAgain
    /// Nothing is emitted into a run that has returned.
    case staysSilentAfterReturn
    /// Events are emitted one call at a time.
    case emitsOneAtATime
    /// Capabilities are constant.
    case keepsCapabilities
    /// Only kinds that the capabilities name are emitted.
    case staysWithinCapabilities
    /// Locations were measured: no number, such as 0° N 0° E or the year 1970, stands for "unknown".
    /// That all is finite and in range, ``Location`` sees to itself.
    case emitsMeasuredLocations
    /// A run that reports connection states reports itself connected before the first location, and
    /// no location while it is not.
    case connectsBeforeLocations
    /// A run that fails throws a ``LocationError``.
    case failsWithLocationError
    /// A second run beside the first works as well, or fails with a ``LocationError``; the first
    /// goes on either way.
    case sharesOrRefusesSecondRun
    /// A change of demand is taken and returns, in a run and outside of one.
    case takesDemand
    /// A request for permission returns, at the latest when its task is cancelled.
    case answersAuthorization
    /// Observing permission ends when its task is cancelled.
    case stopsObserving
  }

  /// The promise.
  public let rule: Rule
  /// What happened instead.
  public let message: String

  /// Creates a violation.
  public init(_ rule: Rule, _ message: String) {
    self.rule = rule
    self.message = message
  }

  public var description: String { "\(rule.rawValue): \(message)" }
}
