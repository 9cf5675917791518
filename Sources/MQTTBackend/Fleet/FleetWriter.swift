import AsyncLocation
import LocationFleet

/// Stores what a hub decides, one commit after the other, each with all that waits.
///
/// A commit that fails is repeated, after a pause, until it succeeds or the fleet has ended.
final class FleetWriter: Sendable {
  /// The pause after a failure.
  static let pause = Duration.seconds(1)

  private let hub: FleetHub
  private let session: any FleetSession
  private let sleep: @Sendable () async -> Void
  private let wakes: AsyncStream<Void>
  private let wake: AsyncStream<Void>.Continuation
  private let task = Locked<Task<Void, Never>?>(nil)

  init(_ hub: FleetHub, _ session: any FleetSession, clock: any Clock<Duration> = ContinuousClock())
  {
    (self.hub, self.session) = (hub, session)
    sleep = { try? await clock.sleep(for: Self.pause) }
    // One wake is enough for all changes before it.
    (wakes, wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  func start() {
    let task = Task { await run() }
    self.task.withLock { $0 = task }
    hub.beginStoring(
      wake: { [wake] in wake.yield() },
      finish: { [wake] in
        wake.finish()
        // Ends a pause.
        task.cancel()
      })
  }

  /// Answers questions about what is stored.
  var source: any FleetHistorySource { session }

  func waitUntilEnded() async { await task.withLock(\.self)?.value }

  private func run() async {
    // Not cancelled with the task: only the pauses are.
    var lost: FleetBatch?
    while lost == nil, await Self.next(wakes) { lost = await storeAll() }
    if lost == nil { lost = await storeAll() }
    await session.close()
    hub.endStoring(losing: lost)
  }

  /// Waits for a wake; returns false after the end.
  private static func next(_ wakes: AsyncStream<Void>) async -> Bool {
    for await _ in wakes { return true }
    return false
  }

  /// Returns what was not stored, if the fleet ended before a commit succeeded.
  private func storeAll() async -> FleetBatch? {
    while var batch = hub.takeBatch() {
      guard await store(&batch) else { return batch }
      hub.stored(batch)
    }
    return nil
  }

  /// Stores a batch, to which a storage that began anew adds all that waits.
  ///
  /// - Returns: False if the fleet ended before a commit succeeded.
  private func store(_ batch: inout FleetBatch) async -> Bool {
    var whole: [FleetStorageChange] = []
    while true {
      do throws(LocationError) {
        try await session.commit(whole + batch.changes)
        return true
      } catch {
        hub.storingFailed(error)
      }
      // Until it is open, a commit would only fail.
      repeat {
        guard !Task.isCancelled else { return false }
        await sleep()
      } while await !recover(&batch, &whole)
    }
  }

  /// Returns whether the storage is open again.
  private func recover(_ batch: inout FleetBatch, _ whole: inout [FleetStorageChange]) async -> Bool
  {
    do throws(LocationError) {
      if let loss = try await session.recover() {
        (whole, batch) = hub.storageLost(loss, batch)
      }
      return true
    } catch {
      hub.storingFailed(error)
      return false
    }
  }
}
