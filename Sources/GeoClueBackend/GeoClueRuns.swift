import AsyncLocation
import LocationTransport

/// The runs of a backend, which changes of demand reach.
final class GeoClueRuns: Sendable {
  typealias Run = LoopBound<GeoClueSession>

  private let runs = Locked<[ObjectIdentifier: (run: Run, demand: GeoClueDemand)]>([:])

  func add(_ run: Run, _ demand: GeoClueDemand) {
    runs.withLock { $0[ObjectIdentifier(run)] = (run, demand) }
  }

  func remove(_ run: Run) {
    // Returned, so that the run is not released while the lock is held.
    let removed = runs.withLock { $0.removeValue(forKey: ObjectIdentifier(run)) }
    withExtendedLifetime(removed) {}
  }

  /// Applies a change of demand. With several runs it is not known which one it is for: the demand
  /// of each then only becomes stricter.
  func changeDemand(to new: GeoClueDemand) {
    let changed = runs.withLock { runs in
      let isShared = runs.count > 1
      runs = runs.mapValues { ($0.run, isShared ? $0.demand.merged(with: new) : new) }
      return Array(runs.values)
    }
    for (run, demand) in changed { run.submit { $0.changeDemand(to: demand) } }
  }
}
