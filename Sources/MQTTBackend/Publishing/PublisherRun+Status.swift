import AsyncLocation
import FoundationEssentials
import OwnTracks

/// The state of a publisher's device, and whether it must be stored.
final class PublishedStatus: Sendable {
  private let tracker = Locked(DeviceStatusTracker())
  /// Yields when there may be a state to store.
  let changes: AsyncStream<Void>
  private let signal: AsyncStream<Void>.Continuation

  init() {
    (changes, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  var pending: DeviceStatusTracker.State? { tracker.withLock(\.pending) }

  func update(_ body: (inout DeviceStatusTracker) -> Void) {
    tracker.withLock { body(&$0) }
    signal.yield()
  }
}

extension PublisherRun {
  /// Follows the connection to the receiver.
  func followReceiver(_ states: AsyncStream<ConnectionState>) async {
    for await state in states { status.update { $0.changed(state) } }
  }

  /// Stores each new state of the device, until cancelled.
  func publishStatus() async throws {
    for await _ in status.changes {
      while let state = status.pending {
        let message = OwnTracksMessage.status(StatusMessage(state.status(at: Date())))
        let isStored = try await storeWithRetries { () throws(LocationError) in
          try await self.store(
            message, isRetained: true, since: self.manager.permissionInForce)
        }
        // Without permission nothing is stored; the next change wakes the loop.
        guard isStored else { break }
        status.update { $0.stored(state) }
        // A run that waited only for this state can end.
        delivery.wake()
      }
    }
  }
}
