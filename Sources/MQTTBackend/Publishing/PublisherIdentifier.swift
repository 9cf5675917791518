import AsyncLocation
import FoundationEssentials
import OwnTracks

/// The client identifier of publishers whose configuration has none.
///
/// The identifier stays the same after a restart of the device. So the broker ends the connection
/// of the previous process, which may be half open, and publishes its last will before it accepts
/// the new connection. With another identifier, the last will would be published only after the
/// keep-alive expires, and would report a connected device as offline.
enum PublisherIdentifier {
  /// Returns at most 23 letters and digits, which every broker accepts.
  ///
  /// - Parameter host: The name of the host, so that publishers of one topic on two hosts do not
  ///   end each other's connections.
  static func make(
    for topic: OwnTracksTopic, host: String = ProcessInfo.processInfo.hostName
  ) -> String {
    let name = "\(host)/\(topic.with(kind: .location))"
    return "location" + String(SipHash(low: 0, high: 0).hash(Array(name.utf8)), radix: 36)
  }
}
