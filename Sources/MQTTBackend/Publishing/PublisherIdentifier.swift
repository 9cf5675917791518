import AsyncLocation
import FoundationEssentials
import OwnTracks

/// The client identifier of publishers whose configuration has none.
///
/// It stays the same when a device restarts. So the broker ends the connection of the process before,
/// which may be half open, and publishes its last will before it accepts the new connection. With
/// another identifier the will would follow when the keep-alive has run out, and report a device
/// that is back as gone.
enum PublisherIdentifier {
  /// Returns at most 23 letters and digits, which each broker accepts.
  ///
  /// - Parameter host: Publishers of one topic on two hosts do not end each other's connections.
  static func make(
    for topic: OwnTracksTopic, host: String = ProcessInfo.processInfo.hostName
  ) -> String {
    let name = "\(host)/\(topic.with(kind: .location))"
    return "location" + String(SipHash(low: 0, high: 0).hash(Array(name.utf8)), radix: 36)
  }
}
