import AsyncLocation
import LocationTransport

/// The runs of a backend, which changes of demand reach.
final class GeoClueRuns: Sendable {
  typealias Run = LoopBound<GeoClueSession>

  private struct State {
    var runs: [ObjectIdentifier: Run] = [:]
    var demand = GeoClueDemand()
  }

  private let state = Locked(State())

  func add(_ run: Run, _ demand: GeoClueDemand) {
    state.withLock { state in
      state.runs[ObjectIdentifier(run)] = run
      state.demand = demand
    }
  }

  func remove(_ run: Run) {
    // Returned, so that the run is not released while the lock is held.
    let removed = state.withLock { $0.runs.removeValue(forKey: ObjectIdentifier(run)) }
    withExtendedLifetime(removed) {}
  }

  /// Applies a change of demand. With several runs it is not known which one it is for: the demand
  /// then only becomes stricter.
  func changeDemand(to new: GeoClueDemand) {
    let (runs, demand) = state.withLock { state in
      state.demand = state.runs.count > 1 ? state.demand.merged(with: new) : new
      return (Array(state.runs.values), state.demand)
    }
    for run in runs { run.submit { $0.changeDemand(to: demand) } }
  }
}
