public import AsyncLocation
import LocationTransport

/// A backend that receives locations from GeoClue, the location service of Linux desktops and
/// phones, over D-Bus.
///
/// GeoClue decides who may use locations. The manager's requests for permission ask it, unless the
/// configuration has another policy, and it refuses by itself in any case: a refusal ends the run
/// with `denied` or `restricted`, and the error's message names the file and the line that permit
/// the program. A program in a Flatpak is permitted by the user's agent, which may ask the user.
/// Other programs are permitted unless GeoClue's configuration forbids them or the user has
/// switched locations off; either way the user must have an agent. When locations are switched off
/// during a run, it ends with the refusal at once.
///
/// GeoClue does not report to a program that the agent permits less accuracy than requested:
/// `Authorization.accuracy` remains `full`, locations have a larger
/// ``/AsyncLocation/Location/horizontalAccuracy``, and there are none if no source is as coarse.
///
/// The backend recovers from errors by itself. If the bus or GeoClue is absent, restarted or does
/// not answer, it reconnects with increasing delays, and each step is reported as a
/// ``/AsyncLocation/ConnectionState``. All runs of a process share one thread, which never blocks.
public final class GeoClueBackend: LocationBackend {
  /// The identity of the program and the options of the connection.
  public var configuration: GeoClueConfiguration { connector.configuration }
  public let authorizationPolicy: any AuthorizationPolicy
  private let connector: GeoClueConnector
  private let runs = GeoClueRuns()

  /// Creates a backend. It does nothing until it is run.
  ///
  /// Each run has a client of its own. A backend serves several managers only if the configuration has
  /// an ``GeoClueConfiguration/authorizationPolicy``: the policy that asks GeoClue reports a grant that
  /// follows a refusal to all managers.
  public init(_ configuration: GeoClueConfiguration = GeoClueConfiguration()) {
    connector = GeoClueConnector(configuration: configuration)
    authorizationPolicy =
      configuration.authorizationPolicy ?? GeoClueAuthorizationPolicy(connector)
  }

  public var capabilities: BackendCapabilities { .locations }

  /// The current state, and counters over all runs of this backend.
  public var statistics: GeoClueStatistics { connector.statistics.withLock { $0 } }

  /// Produces events until its task is cancelled or a permanent error occurs.
  ///
  /// Nothing is emitted after it returns. `emit` is called on the thread that serves all
  /// connections and must not block. The desired accuracy of the demand selects GeoClue's level:
  /// exact below 100 m, street below 1 km, neighborhood below 3 km, otherwise city. A level excludes
  /// the sources that are more accurate, so exact is requested if a lower level has yielded no
  /// location within ``GeoClueConfiguration/locationTimeout``.
  ///
  /// - Throws: `CancellationError`, or ``/AsyncLocation/LocationError``: `invalidValue` for an
  ///   invalid configuration; `denied` or `restricted`; a transient error if no attempt is left, as
  ///   with ``/AsyncLocation/Reconnection/never``.
  public func run(
    _ demand: BackendDemand, emit: @escaping @Sendable ([BackendEvent]) -> Void
  ) async throws {
    let demand = GeoClueDemand(demand)
    let run = try connector.session(for: .watch, demand: demand, emit: emit)
    runs.add(run, demand)
    defer { runs.remove(run) }
    _ = try await run.run()
  }

  /// Called when demand changes. GeoClue restarts the client for another accuracy; another interval
  /// applies at once.
  public func demandDidChange(_ demand: BackendDemand) async {
    runs.changeDemand(to: GeoClueDemand(demand))
  }
}
