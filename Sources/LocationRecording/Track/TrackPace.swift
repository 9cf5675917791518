public import AsyncLocation

/// The usual time between the locations of a recording, from which gaps are recognized. Pure, and
/// of bounded size.
///
/// ```swift
/// var pace = TrackPace()
/// for location in recording.locations.prefix(TrackPace.locationCount) { pace.add(location) }
/// let options = TrackOptions(maximumInterval: pace.maximumInterval)
/// ```
///
/// A ``Track`` does this itself if ``TrackOptions/maximumInterval`` is nil.
public struct TrackPace: Sendable, Hashable {
  /// The number of locations at the beginning of a recording that determine its pace.
  public static let locationCount = 10_000
  /// The lower bound of ``maximumInterval``: longer than the pauses of phones that save energy,
  /// shorter than a stop with the receiver switched off.
  static let shortest = Duration.seconds(60)
  /// An interval is a gap if it exceeds this number of median intervals.
  static let factor = 5

  /// Intervals of about the same length: their number, and the longest of them.
  struct Bucket: Sendable, Hashable {
    var count = 0
    var longest = Duration.zero

    mutating func add(_ interval: Duration) {
      count += 1
      longest = max(longest, interval)
    }
  }

  /// The intervals by their length in seconds, rounded down with a relative precision of 1/128.
  private(set) var buckets: [Double: Bucket] = [:]
  private var intervalCount = 0
  private var last: Location?

  /// Creates a pace before the first location.
  public init() {}

  /// Adds the next location of the followed receiver.
  public mutating func add(_ location: Location) {
    defer { last = location }
    guard let interval = last?.duration(to: location), interval > .zero else { return }
    intervalCount += 1
    buckets[Self.key(interval), default: Bucket()].add(interval)
  }

  /// The median of the times between two locations, with a precision of one percent; nil if there
  /// are none. Times that do not increase are left out.
  public var medianInterval: Duration? {
    var count = 0
    for (_, bucket) in buckets.sorted(by: { $0.key < $1.key }) {
      count += bucket.count
      if count * 2 >= intervalCount { return bucket.longest }
    }
    return nil
  }

  /// The longest time between two locations of one segment: a minute, or five times the median
  /// interval if that is longer.
  public var maximumInterval: Duration {
    max(Self.shortest, (medianInterval ?? .zero) * Self.factor)
  }

  /// Whether a time without a location is a gap. Most intervals are short and need no median.
  func isGap(_ interval: Duration) -> Bool {
    interval > Self.shortest && interval > maximumInterval
  }

  private static func key(_ interval: Duration) -> Double {
    let seconds = interval / .seconds(1)
    let step = seconds.binade / 128
    return (seconds / step).rounded(.down) * step
  }
}
