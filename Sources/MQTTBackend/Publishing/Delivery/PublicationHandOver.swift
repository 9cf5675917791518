import AsyncLocation

/// Hands stored publications to a delivery, and removes finished ones from the storage.
struct PublicationHandOver: Sendable {
  let store: PublicationStore
  let delivery: PublicationDelivery
  let clock: any Clock<Duration>
  /// Whether publications may be handed over. Called before each read.
  let isPermitted: @Sendable () -> Bool

  /// Runs until `hasEnded` returns true and everything is delivered.
  func run(_ hasEnded: @Sendable () -> Bool) async throws {
    // Whether the storage may have lost publications since its backlog was last read.
    var hasFailed = false
    for await _ in delivery.work {
      // Loops until there is nothing to remove or hand over. Later arrivals yield to `work` again.
      while true {
        let hasRemoved = try await removeDone(&hasFailed)
        let hasHandedOver = try await handOverMore(&hasFailed)
        if hasFailed { hasFailed = !(await refreshBacklog()) }
        if !hasRemoved, !hasHandedOver { break }
      }
      if hasEnded(), delivery.isDone { return }
    }
    throw CancellationError()
  }

  /// Reads the backlog of the storage. Returns false if that fails.
  private func refreshBacklog() async -> Bool {
    let result: Void? = try? await store.remove([]) { [delivery] in
      delivery.removed([], leaving: $0)
      // Without a connection no read follows that would clear the problem.
      delivery.set(nil, of: .reading)
    }
    return result != nil
  }

  /// Removes the finished publications. Returns false if there are none.
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

  /// Hands over the next publications. Returns false if there are none, or if none may be handed
  /// over.
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

  /// Waits if the storage is unavailable and returns true, since there is still work. Rethrows any
  /// other error.
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
