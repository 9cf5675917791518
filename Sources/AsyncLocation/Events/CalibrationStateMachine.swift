/// Decides whether the user should be asked to calibrate the compass.
///
/// Each method returns whether the display should be shown now; nil when nothing changes.
struct CalibrationStateMachine: Sendable {
  /// Degrees. Headings with a worse accuracy need calibration: beyond 22.5 degrees, a heading does
  /// not distinguish neighbouring points of an eight-point compass rose.
  static let worst = 30.0
  /// Degrees. Headings with a better accuracy need no calibration.
  static let best = 20.0

  private enum State { case accurate, displaying, dismissed }
  private var state = State.accurate

  /// Handles a heading. Headings of other sources than the compass, and headings without an
  /// accuracy, change nothing.
  mutating func received(_ heading: Heading) -> Bool? {
    guard heading.source == .compass, let accuracy = heading.headingAccuracy else { return nil }
    switch state {
    case .accurate where accuracy > Self.worst:
      state = .displaying
      return true
    case .displaying where accuracy < Self.best:
      state = .accurate
      return false
    case .dismissed where accuracy < Self.best:
      state = .accurate
      return nil
    case .accurate, .displaying, .dismissed:
      return nil
    }
  }

  /// The user dismissed the display. It is shown again only after headings have been accurate.
  mutating func dismissed() -> Bool? {
    guard state == .displaying else { return nil }
    state = .dismissed
    return false
  }

  /// Headings are no longer received.
  mutating func headingsEnded() -> Bool? {
    defer { state = .accurate }
    return state == .displaying ? false : nil
  }
}
