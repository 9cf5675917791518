/// The names that a recording has for its track: the innermost one counts. Pure.
struct RecordedNames: Hashable, Sendable {
  /// Of the recording as a whole.
  private var recording: String?
  private var route: String?
  private var track: String?

  /// Takes a name, unless it is empty or that of a later track or route than the first.
  ///
  /// - Parameters:
  ///   - kind: Whose points it names; nil for all.
  ///   - latest: The best kind of which there are points already.
  mutating func set(_ text: String, of kind: RecordedPointKind?, after latest: RecordedPointKind?) {
    guard !text.isEmpty else { return }
    switch kind {
    case .track? where latest != .track: track = text
    case .route? where latest != .track && latest != .route: route = text
    case nil where latest == nil: recording = text
    case .track?, .route?, .waypoint?, nil: break
    }
  }

  /// The name of a track that has the points of a kind; nil before the first point.
  func name(of kind: RecordedPointKind?) -> String? {
    switch kind {
    case .track?: track ?? recording
    case .route?: route ?? recording
    case .waypoint?: recording
    case nil: track ?? route ?? recording
    }
  }
}
