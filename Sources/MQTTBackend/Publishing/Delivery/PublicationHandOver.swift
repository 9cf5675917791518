import AsyncLocation

/// Hands what waits in a storage to a delivery, and removes what is done.
struct PublicationHandOver: Sendable {
  let store: PublicationStore
  let delivery: PublicationDelivery
  let clock: any Clock<Duration>
  /// Called before anything is handed over.
  let isPermitted: @Sendable () -> Bool

  /// Runs until `hasEnded` returns true and all is delivered.
  func run(_ hasEnded: @Sendable () -> Bool) async throws {
    // Whether the storage may have lost something since its backlog was known.
    var hasFailed = false
    for await _ in delivery.work {
      // Each turn handles all there is; arrivals meanwhile wake it again.
      while true {
        let removed = try await removeDone(&hasFailed)
        let handed = try await handOverMore(&hasFailed)
        if hasFailed { hasFailed = !(await knowsBacklog()) }
        if !removed, !handed { break }
      }
      if hasEnded(), delivery.isDone { return }
    }
    throw CancellationError()
  }

  /// Requests the backlog of the storage. Returns false if it does not answer.
  private func knowsBacklog() async -> Bool {
    let result: Void? = try? await store.remove([]) { [delivery] in
      delivery.removed([], leaving: $0)
      // Without a connection, nothing is read that would report it.
      delivery.set(nil, of: .reading)
    }
    return result != nil
  }

  private func removeDone(_ hasFailed: inout Bool) async throws -> Bool {
    let done = delivery.finished
    guard !done.isEmpty else { return false }
    do throws(LocationError) {
      try await store.remove(done) { [delivery] in delivery.removed(done, leaving: $0) }
      delivery.set(nil, of: .removing)
      return true
    } catch {
      return try await recover(from: error, of: .removing, &hasFailed)
    }
  }

  private func handOverMore(_ hasFailed: inout Bool) async throws -> Bool {
    guard isPermitted(), let request = delivery.request else { return false }
    do throws(LocationError) {
      let publications = try await store.publications(after: request.after, count: request.count)
      delivery.set(nil, of: .reading)
      delivery.handOver(publications, for: request)
      return !publications.isEmpty
    } catch {
      return try await recover(from: error, of: .reading, &hasFailed)
    }
  }

  /// Waits after a failure of the storage. Returns true, since there is still work.
  private func recover(
    from error: LocationError, of operation: PublisherProblems.Operation, _ hasFailed: inout Bool
  ) async throws -> Bool {
    hasFailed = true
    guard error.code == .storageUnavailable else { throw error }
    delivery.set(error, of: operation)
    try await clock.sleep(for: .seconds(1))
    return true
  }
}
