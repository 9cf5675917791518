import AsyncLocation
import LocationFleet

/// Stores the changes that a hub decides, one commit after the other, each with all pending
/// changes.
///
/// A failed commit is repeated after a pause, until it succeeds or the fleet has ended. The fleet
/// ends if another server has taken over its storage.
final class FleetWriter: Sendable {
  /// The pause after a failure.
  static let pause = Duration.seconds(1)

  private let hub: FleetHub
  private let session: any FleetSession
  private let clock: any Clock<Duration>
  private let wakes: AsyncStream<Void>
  private let wake: AsyncStream<Void>.Continuation
  private let task = Locked<Task<Void, Never>?>(nil)

  init(_ hub: FleetHub, _ session: any FleetSession, clock: any Clock<Duration> = ContinuousClock())
  {
    (self.hub, self.session, self.clock) = (hub, session, clock)
    // One wake covers all changes before it.
    (wakes, wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// - Parameter stop: Stops the connection when another server has taken over the storage.
  func start(stoppingWith stop: @escaping @Sendable () -> Void) {
    let task = Task { await run(stop) }
    self.task.withLock { $0 = task }
    hub.beginStoring(
      wake: { [wake] in wake.yield() },
      finish: { [wake] in
        wake.finish()
        // Ends the pause after a failure.
        task.cancel()
      })
  }

  /// Reads the stored history.
  var source: any FleetHistorySource { session }

  func waitUntilEnded() async { await task.withLock(\.self)?.value }

  private func run(_ stop: @Sendable () -> Void) async {
    let heartbeats = Task { await sendHeartbeats() }
    // Cancelling the task ends the pauses and the wait for a wake, but not a commit.
    var outcome = Outcome.stored
    while outcome == .stored, await Self.next(wakes) { outcome = await storeAll() }
    if outcome == .stored { outcome = await storeAll() }
    heartbeats.cancel()
    var lost: FleetBatch?
    switch outcome {
    case .stored: break
    case .failed(let batch): lost = batch
    case .superseded(let error, let batch):
      lost = batch
      hub.supersede(error)
      stop()
    }
    await session.close()
    hub.endStoring(losing: lost)
  }

  /// The outcome of storing the pending changes.
  private enum Outcome: Equatable {
    case stored
    /// The fleet ended before a commit succeeded.
    case failed(FleetBatch)
    /// Another server has taken over.
    case superseded(LocationError, FleetBatch)
  }

  /// Wakes the writer often enough for a shared storage to detect that this server is alive.
  private func sendHeartbeats() async {
    guard let pause = session.longestPause else { return }
    while (try? await clock.sleep(for: pause)) != nil { wake.yield() }
  }

  /// Waits for a wake; returns false after the end.
  private static func next(_ wakes: AsyncStream<Void>) async -> Bool {
    for await _ in wakes { return true }
    return false
  }

  /// Stores all pending changes. Without any, commits a heartbeat to a storage that needs one.
  private func storeAll() async -> Outcome {
    var isFirst = true
    while var batch = hub.takeBatch() ?? (isFirst ? heartbeatBatch : nil) {
      isFirst = false
      let outcome = await store(&batch)
      guard outcome == .stored else { return outcome }
      hub.stored(batch)
    }
    return .stored
  }

  /// A batch without changes, for a storage that must detect that this server is alive; nil for any
  /// other storage.
  private var heartbeatBatch: FleetBatch? {
    session.longestPause == nil ? nil : FleetBatch(changes: [], position: 0)
  }

  /// Stores a batch. If the storage has lost its content, adds the whole content and all pending
  /// changes.
  private func store(_ batch: inout FleetBatch) async -> Outcome {
    var whole: [FleetStorageChange] = []
    while true {
      do throws(LocationError) {
        try await session.commit(whole + batch.changes)
        return .stored
      } catch {
        if error.code == .superseded { return .superseded(error, batch) }
        hub.storingFailed(error)
      }
      // After a failed commit, the session must recover before the next commit can succeed.
      repeat {
        guard !Task.isCancelled else { return .failed(batch) }
        try? await clock.sleep(for: Self.pause)
        do throws(LocationError) {
          if let loss = try await session.recover() {
            (whole, batch) = hub.storageLost(loss, batch)
          }
          break
        } catch {
          if error.code == .superseded { return .superseded(error, batch) }
          hub.storingFailed(error)
        }
      } while true
    }
  }
}
