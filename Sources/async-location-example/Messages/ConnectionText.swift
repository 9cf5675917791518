import AsyncLocation

extension ConnectionState {
  /// The source in force of several that are combined; nil before the first fix.
  var sourceInForce: String? { preferredReceiver.map { String($0.prefix { $0 != ":" }) } }
}

/// Formats the state of a connection for the title of a table. Pure.
enum ConnectionText {
  /// - Parameters:
  ///   - state: Nil before the first one.
  ///   - arrival: When `state` arrived.
  static func line(
    _ state: ConnectionState?, since arrival: Duration?, now: Duration, glyphs: Glyphs
  ) -> StyledLine {
    guard let state else { return StyledLine("starting", .label) }
    switch state.phase {
    case .idle: return StyledLine("idle", .label)
    case .connecting: return StyledLine("connecting", .warning)
    case .connected: return StyledLine(glyphs.dot + " connected", .good)
    case .waiting:
      var text = "not connected"
      if let delay = state.retryDelay {
        let left = delay - (now - (arrival ?? now))
        text += ", attempt \(state.attempts + 1) "
        text += left > .zero ? "in \(NumberText.span(left))" : "now"
      }
      return StyledLine(text, .bad)
    case .failed: return StyledLine("failed", .bad)
    @unknown default: return StyledLine(state.phase.rawValue, .label)
    }
  }
}
