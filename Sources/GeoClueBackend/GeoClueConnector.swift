import AsyncLocation
import LocationTransport

/// Creates the runs and questions of a backend.
struct GeoClueConnector: Sendable {
  let configuration: GeoClueConfiguration
  let statistics = Locked(GeoClueStatistics())

  /// - Throws: ``LocationError`` with `invalidValue` for an invalid configuration, and
  ///   `backendUnavailable` if the system has no thread or descriptor left.
  func session(
    for purpose: GeoClueStateMachine.Configuration.Purpose,
    demand: GeoClueDemand = GeoClueDemand(), emit: @escaping GeoClueOutlet.Emit = { _ in }
  ) throws(LocationError) -> LoopBound<GeoClueSession> {
    try configuration.validate()
    let loop: EventLoop
    do throws(TransportFailure) {
      loop = try EventLoop.shared()
    } catch {
      throw LocationError(
        .backendUnavailable,
        "The system has no descriptor or thread left for the connection to D-Bus.", cause: error)
    }
    return LoopBound(
      to: loop,
      GeoClueSession(
        configuration, purpose: purpose, demand: demand, loop: loop, statistics: statistics,
        emit: emit))
  }
}
