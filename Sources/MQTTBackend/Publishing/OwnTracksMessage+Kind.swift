import OwnTracks

extension OwnTracksMessage {
  /// The kind of topic on which a device publishes this message.
  var topicKind: OwnTracksTopic.Kind {
    switch self {
    case .location, .lastWill, .encrypted, .other: .location
    case .transition: .event
    case .waypoint: .waypoint
    case .waypoints: .waypoints
    case .status: .status
    case .card: .card
    case .command: .command
    case .steps: .step
    @unknown default: .location
    }
  }
}

extension OwnTracksTopic.Kind {
  /// Whether a device's messages on the topic reveal its position. A waypoint is a place that the
  /// user chose, and a status reveals no place.
  var revealsPosition: Bool {
    switch self {
    case .location, .event: true
    case .waypoint, .waypoints, .status, .card, .command, .step, .dump, .stored: false
    @unknown default: true
    }
  }
}
