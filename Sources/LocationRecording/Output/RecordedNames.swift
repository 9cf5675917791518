/// The candidate names of a recording's track, of which the innermost is used. Pure.
struct RecordedNames: Hashable, Sendable {
  /// The name of the recording as a whole.
  private var recording: String?
  private var route: String?
  private var track: String?

  /// Sets a name, unless it is empty or belongs to a track or route after the first.
  ///
  /// - Parameters:
  ///   - kind: The kind of the named points; nil for all kinds.
  ///   - best: The best kind of the points so far.
  /// - Returns: The replaced name, or `text` if `text` is not used; nil if there is no such name,
  ///   or if it equals the name in use.
  mutating func set(
    _ text: String, of kind: RecordedPointKind?, after best: RecordedPointKind?
  ) -> String? {
    guard !text.isEmpty else { return nil }
    let replaced: String?
    switch kind {
    case .track? where best != .track: (replaced, track) = (track, text)
    case .route? where best != .track && best != .route: (replaced, route) = (route, text)
    case nil where best == nil: (replaced, recording) = (recording, text)
    case .track?, .route?, .waypoint?, nil: return text == name(of: best) ? nil : text
    }
    return replaced == text ? nil : replaced
  }

  /// The names other than that of the track.
  func unused(beside kind: RecordedPointKind?) -> [String] {
    let used = name(of: kind)
    return [recording, route, track].compactMap { $0 == used ? nil : $0 }
  }

  /// The name of a track whose points are of a kind, which is nil before the first point.
  func name(of kind: RecordedPointKind?) -> String? {
    switch kind {
    case .track?: track ?? recording
    case .route?: route ?? recording
    case .waypoint?: recording
    case nil: track ?? route ?? recording
    }
  }
}
