/// A source of positions that a location manager drives.
///
/// A backend's work has a scope: it lasts as long as ``run(_:emit:)``. The manager owns the one
/// task that runs it, from the first demand that permission covers to the last; two runs of one
/// backend never overlap. A backend asks nobody for permission and enforces none: its manager does
/// both, by ``authorizationPolicy``.
public protocol LocationBackend: Sendable {
  /// The kinds of report that this source makes. Constant for a backend's life.
  var capabilities: BackendCapabilities { get }

  /// Who decides what the manager is allowed. The default grants what is asked for.
  var authorizationPolicy: any AuthorizationPolicy { get }

  /// Produces events until its task is cancelled or the source ends.
  ///
  /// Returning ends every stream of the manager normally, throwing ends them with the error; so
  /// trouble that may pass is not thrown but reported as ``BackendEvent/connection(_:)``. What is
  /// thrown after cancellation is ignored.
  ///
  /// - Parameters:
  ///   - demand: What is asked for at the start; ``demandDidChange(_:)`` tells of changes.
  ///   - emit: Takes events in order, a batch at a time, one call at a time, from any thread. It
  ///     returns soon and never suspends; after the run's end it does nothing. It keeps nothing of
  ///     the array, so that one array can serve every batch.
  /// - Throws: ``LocationError`` when the source fails for good.
  func run(
    _ demand: BackendDemand, emit: @escaping @Sendable ([BackendEvent]) -> Void
  ) async throws

  /// Hears of a change of demand during a run. One call at a time; of changes that follow each
  /// other quickly only the last is told. The default ignores it.
  func demandDidChange(_ demand: BackendDemand) async
}

extension LocationBackend {
  public var authorizationPolicy: any AuthorizationPolicy { .automatic }

  public func demandDidChange(_ demand: BackendDemand) async {}
}
