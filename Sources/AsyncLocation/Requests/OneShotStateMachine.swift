/// Decides which location answers a request for one location. Performs no I/O.
struct OneShotStateMachine: Sendable {
  enum Event: Hashable, Sendable {
    /// A location arrived. `accuracyCounts` is false while accuracy is reduced: any location then
    /// answers the request.
    case located(Location, accuracyCounts: Bool = true)
    /// Known locations may no longer be returned.
    case withdrawn
    /// The deadline passed. The error is the problem of permission or the source, if there is one.
    case deadlinePassed(LocationError?)
    case ended(LocationError)
  }

  enum Action: Hashable, Sendable {
    case none
    case answer(Location)
    case fail(LocationError)
  }

  private let accuracy: DesiredAccuracy
  private let timeout: Duration
  /// The location that is returned if no better one arrives in time.
  private(set) var best: Location?

  /// - Parameter best: A known location to return if no better one arrives in time.
  init(accuracy: DesiredAccuracy, timeout: Duration, best: Location? = nil) {
    self.accuracy = accuracy
    self.timeout = timeout
    self.best = best
  }

  mutating func handle(_ event: Event) -> Action {
    switch event {
    case .located(let location, let accuracyCounts):
      if !accuracyCounts || accuracy.isMet(by: location) { return .answer(location) }
      if best.map({ Self.isAtLeastAsAccurate(location, as: $0) }) ?? true { best = location }
      return .none
    case .withdrawn:
      best = nil
      return .none
    case .deadlinePassed(let problem):
      // As in Core Location: at the deadline a less accurate location is better than none.
      if let best { return .answer(best) }
      let wait = timeout > .zero ? "within \(timeout)" : "at once"
      return .fail(
        LocationError(
          .timedOut, "No location \(wait)\(problem.map { "; \($0.message)" } ?? ".")",
          cause: problem))
    case .ended(let error):
      return .fail(error)
    }
  }

  private static func isAtLeastAsAccurate(_ new: Location, as old: Location) -> Bool {
    guard let oldAccuracy = old.horizontalAccuracy else { return true }
    guard let newAccuracy = new.horizontalAccuracy else { return false }
    return newAccuracy <= oldAccuracy
  }
}
