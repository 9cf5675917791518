import AsyncLocation
import FoundationEssentials
import OwnTracks

extension LocationPublisher {
  /// The last will of the device. Not retained, since it would replace the last location.
  var willMessage: BrokerOptions.Message {
    BrokerOptions.Message(
      topic: topic.description,
      payload: OwnTracksMessage.lastWill(LastWillMessage(connectedAt: Date())).json)
  }

  /// Publishes the last location again when a connection follows one that has broken: the broker has
  /// published the last will, and the next location of a device at rest may be hours away. One that
  /// waits says that the device is back, too; another message does not.
  func announceReturns(_ states: AsyncStream<ConnectionState>) async throws {
    var wasConnected = false
    for await state in states where state.phase == .connected {
      guard exchange(&wasConnected, with: true) else { continue }
      _ = try await storeAgain { () throws(LocationError) in
        guard let permission = self.permission(toStoreIf: { self.isPermitted }),
          let last = permission.lastLocation, try await !self.waits(last.number),
          let numbers = try await self.append(
            [last.publication], areLocations: false, under: permission)
        else { return true }
        self.permission.withLock {
          guard $0.lastLocation?.number == last.number else { return }
          $0.lastLocation = StoredPublication(number: numbers.lowerBound, last.publication)
        }
        return true
      }
    }
  }

  /// Whether a publication is still to be delivered. What an earlier connection has delivered is done
  /// before the next one begins.
  private func waits(_ number: UInt64) async throws(LocationError) -> Bool {
    // Asked first: what is removed from the storage meanwhile is not there any more.
    guard !delivery.isFinished(number) else { return false }
    return try await store.contains(number)
  }
}
