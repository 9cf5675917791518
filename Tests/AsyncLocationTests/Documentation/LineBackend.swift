import AsyncLocation

/// Positions from lines of text, "latitude longitude accuracy", as a modem may print them.
struct LineBackend: LocationBackend {
  let endpoint: String
  let clock: any Clock<Duration>
  let open: @Sendable () async throws -> AsyncThrowingStream<String, any Error>

  var capabilities: BackendCapabilities { .locations }

  func run(
    _ demand: BackendDemand, emit: @escaping @Sendable ([BackendEvent]) -> Void
  ) async throws {
    for attempt in 1... {
      emit([.connection(ConnectionState(.connecting, endpoint: endpoint, attempts: attempt - 1))])
      var cause: (any Error)?
      do {
        let lines = try await open()
        emit([.connection(ConnectionState(.connected, endpoint: endpoint))])
        for try await line in lines {
          guard let location = try? location(line) else { continue }  // A bad line is no failure.
          emit([.location(location)])
        }
      } catch {
        cause = error
      }
      try Task.checkCancellation()
      // Transient problems are reported as connection states, not thrown.
      let problem = LocationError(
        .connectionLost, "\(endpoint) hung up; check that the modem is on.", cause: cause)
      let delay = Duration.seconds(min(attempt, 30))
      emit([
        .connection(
          ConnectionState(
            .waiting, endpoint: endpoint, attempts: attempt, retryDelay: delay, problem: problem))
      ])
      try await clock.sleep(for: delay)
    }
  }

  private func location(_ line: String) throws -> Location? {
    let numbers = line.split(separator: " ").compactMap { Double($0) }
    guard numbers.count == 3 else { return nil }
    return try Location(
      latitude: numbers[0], longitude: numbers[1], horizontalAccuracy: numbers[2],
      sourceInformation: SourceInformation(device: endpoint, timeSource: .host))
  }
}
