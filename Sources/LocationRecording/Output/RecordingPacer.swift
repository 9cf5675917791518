import AsyncLocation
import FoundationEssentials

/// The time of an event in a recording.
enum RecordedTime: Hashable, Sendable {
  case date(Date)
  /// Seconds after midnight, UTC, of an unknown day.
  case timeOfDay(Double)
  case unknown
}

/// Computes the offset of each event from the start of its recording. Pure.
///
/// Increasing times determine the offsets. A location without a time follows one second after the
/// previous event. So does an event whose time is more than a second before the latest time, since
/// another track then begins. After the first location, other events without a time have the offset
/// of the previous event. Offsets never decrease.
struct RecordingPacer: Hashable, Sendable {
  /// The interval between locations without times.
  static let defaultPace = Duration.seconds(1)
  /// The greatest offset, 100 years, as in a replay.
  static let longest = Duration.seconds(3_155_760_000)
  /// Events may be out of order by this much, in seconds.
  private static let reordering = 1.0
  private static let day = 86_400.0

  /// The place of an event on the timeline.
  struct Placement: Hashable, Sendable {
    let offset: Duration
    let timestamp: Date
    let timeSource: SourceInformation.TimeSource
  }

  private enum Frame { case dates, timesOfDay }

  /// An offset and the corresponding seconds in a frame.
  private struct Anchor: Hashable {
    let frame: Frame
    let seconds: Double
    let offset: Duration
    /// The seconds of the latest event.
    var latest: Double
  }

  private var anchor: Anchor?
  private var offset: Duration?
  private var hasLocations = false
  /// The last known date and its offset, from which timestamps of undated events are computed.
  private var known: (date: Date, offset: Duration) {
    get { (knownDate, knownOffset) }
    set { (knownDate, knownOffset) = newValue }
  }
  private var knownDate: Date
  private var knownOffset = Duration.zero

  /// - Parameter start: The time of the first event, if the recording has no date.
  init(start: Date) { knownDate = start }

  /// Places the next event.
  mutating func place(_ time: RecordedTime, isLocation: Bool) -> Placement {
    if isLocation { hasLocations = true }
    switch time {
    case .date(let date):
      let offset = advance(to: date.timeIntervalSinceReferenceDate, .dates)
      known = (date, offset)
      return Placement(offset: offset, timestamp: date, timeSource: .receiver)
    case .timeOfDay(let seconds):
      return undated(advance(to: unwrapped(seconds), .timesOfDay))
    case .unknown:
      guard isLocation || !hasLocations else { return undated(offset ?? .zero) }
      anchor = nil
      return undated(step())
    }
  }

  private func undated(_ offset: Duration) -> Placement {
    let seconds = (offset - known.offset) / .seconds(1)
    return Placement(
      offset: offset, timestamp: Timestamp.nearest(known.date + seconds), timeSource: .host)
  }

  /// Unwraps seconds after midnight across midnight.
  private func unwrapped(_ seconds: Double) -> Double {
    guard let anchor, anchor.frame == .timesOfDay else { return seconds }
    let days = ((anchor.latest - seconds) / Self.day).rounded()
    return seconds + days * Self.day
  }

  /// Returns the offset of an event with a time. The event becomes the anchor if it is in another
  /// frame, before the latest time by more than ``reordering``, or beyond ``longest``.
  private mutating func advance(to seconds: Double, _ frame: Frame) -> Duration {
    guard let anchor, anchor.frame == frame else { return begin(at: seconds, frame) }
    guard seconds < anchor.latest else {
      // Rounded to microseconds, about the precision of a `Date`.
      let elapsed = ((seconds - anchor.seconds) * 1e6).rounded()
      guard elapsed < Self.longest / .microseconds(1) else { return begin(at: seconds, frame) }
      let next = anchor.offset + .microseconds(Int64(elapsed))
      guard next <= Self.longest else { return begin(at: seconds, frame) }
      self.anchor?.latest = seconds
      offset = next
      return next
    }
    guard anchor.latest - seconds > Self.reordering else { return offset ?? .zero }
    return begin(at: seconds, frame)
  }

  /// Sets the anchor to an event that follows the previous one by ``defaultPace``.
  private mutating func begin(at seconds: Double, _ frame: Frame) -> Duration {
    let offset = step()
    anchor = Anchor(frame: frame, seconds: seconds, offset: offset, latest: seconds)
    return offset
  }

  /// Advances the offset by ``defaultPace``; the first offset is zero.
  private mutating func step() -> Duration {
    let next = min(offset.map { $0 + Self.defaultPace } ?? .zero, Self.longest)
    offset = next
    return next
  }
}
