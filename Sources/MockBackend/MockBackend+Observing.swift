package import AsyncLocation

extension MockBackend: ManagerObserver {
  package func willUse(_ endpoint: LocationManager.Endpoint) -> LocationError? {
    journal.append(.endpoint(endpoint))
    return nil
  }

  package func didOpen(_ endpoint: LocationManager.Endpoint) {}

  package func didDiscardEvents() { noteDiscard() }

  package func runDidReturn() {
    for _ in 0..<takeEndingRuns() { activity.end() }
  }
}
