import AsyncLocation

/// One run of one source, which can be cancelled on its own.
struct SourceRun: Sendable {
  let source: Int
  let id: RunStateMachine.RunID
  let demand: BackendDemand
  private let changes = AsyncStream.makeStream(
    of: Void.self, bufferingPolicy: .bufferingNewest(1))
  private let stop = AsyncStream.makeStream(of: Never.self)

  init(_ source: Int, _ id: RunStateMachine.RunID, _ demand: BackendDemand) {
    (self.source, self.id, self.demand) = (source, id, demand)
  }

  func cancel() { stop.continuation.finish() }

  func demandDidChange() { changes.continuation.yield() }

  /// Runs the source until it ends or is cancelled.
  ///
  /// - Parameter latestDemand: Returns the demand to apply after a change.
  /// - Returns: Its error; nil if it returned.
  func perform(
    _ backend: any LocationBackend, latestDemand: @escaping @Sendable () -> BackendDemand,
    emit: @escaping @Sendable ([BackendEvent]) -> Void
  ) async -> (any Error)? {
    let failure = Locked<(any Error)?>(nil)
    await withDiscardingTaskGroup { group in
      // Immediate: `run` is entered before `demandDidChange` is called for the first time.
      group.addImmediateTask {
        do {
          try await backend.run(demand, emit: emit)
        } catch {
          failure.withLock { $0 = error }
        }
        changes.continuation.finish()
        cancel()
      }
      group.addTask {
        var applied = demand
        for await _ in changes.stream {
          let latest = latestDemand()
          guard latest != applied else { continue }  // The demand changed back.
          applied = latest
          await backend.demandDidChange(latest)
        }
      }
      for await _ in stop.stream {}
      group.cancelAll()
    }
    return failure.withLock { $0 }
  }
}
