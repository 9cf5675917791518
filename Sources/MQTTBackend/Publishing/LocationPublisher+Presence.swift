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
  /// published the last will, and the next location of a device at rest may be hours away.
  func announceReturns(_ states: AsyncStream<ConnectionState>) async throws {
    var wasConnected = false
    for await state in states where state.phase == .connected {
      guard exchange(&wasConnected, with: true) else { continue }
      _ = try await storeAgain { () throws(LocationError) in
        // What waits tells that the device is back, too.
        guard self.delivery.statistics.backlog.count == 0,
          let permission = self.permission(toStoreIf: { self.isPermitted }),
          let last = permission.lastLocation
        else { return true }
        _ = try await self.append([last], areLocations: false, under: permission)
        return true
      }
    }
  }
}
