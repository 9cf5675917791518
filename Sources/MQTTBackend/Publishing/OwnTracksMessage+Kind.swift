import OwnTracks

extension OwnTracksMessage {
  /// Where a device publishes this message.
  var topicKind: OwnTracksTopic.Kind {
    switch self {
    case .location, .lastWill, .other: .location
    case .transition: .event
    case .waypoint: .waypoint
    case .waypoints: .waypoints
    case .status: .status
    case .card: .card
    case .command: .command
    @unknown default: .location
    }
  }
}
