import AsyncLocation
import FoundationEssentials
import LocationPublishing
import OwnTracks

extension PublisherRun {
  /// The last will of the device. Not retained, since it would replace the last location.
  var willMessage: BrokerOptions.Message {
    BrokerOptions.Message(
      topic: topic.description,
      payload: OwnTracksMessage.lastWill(LastWillMessage(connectedAt: Date())).json)
  }

  /// Publishes the last location again when a connection follows a broken one. The broker has
  /// published the last will, and the next location of a stationary device may be hours away. A
  /// pending location also reports that the device is online again; any other message does not.
  func announceReturns(_ states: AsyncStream<ConnectionState>) async throws {
    var wasConnected = false
    for await state in states where state.phase == .connected {
      guard exchange(&wasConnected, with: true) else { continue }
      var isDone = false
      while !isDone {
        isDone = try await storeWithRetries { () throws(LocationError) in
          try await self.announceReturn()
        }
      }
    }
  }

  /// Stores the last location again, unless it is pending. Returns false if another location was
  /// stored meanwhile. That location may no longer be pending, so the caller tries again.
  private func announceReturn() async throws(LocationError) -> Bool {
    guard let state = state(toStoreIf: { isPermitted }), let last = state.lastLocation,
      try await !isPending(last.number)
    else { return true }
    let isLast = { @Sendable in
      self.state.withLock { $0.lastLocation?.number == last.number }
    }
    // `isLast` is checked in the order of the storage's calls: an older location must not follow
    // one that is being stored.
    let number = try await append(
      [last.publication], under: state.permission, onlyIf: isLast,
      apply: { number in
        self.state.withLock {
          guard $0.lastLocation?.number == last.number else { return }
          $0.lastLocation = StoredPublication(number: number, last.publication)
        }
      })
    return number != nil
  }

  /// Whether a publication is still to be delivered. Publications that an earlier connection has
  /// delivered are marked as finished before the next connection begins.
  private func isPending(_ number: UInt64) async throws(LocationError) -> Bool {
    // Checked first: a publication that is removed meanwhile is no longer in the storage.
    guard !delivery.isFinished(number) else { return false }
    return try await store.contains(number)
  }
}
