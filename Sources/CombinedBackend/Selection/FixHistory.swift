import AsyncLocation

/// The fixes of one source as far as the selection needs them.
struct FixHistory: Sendable {
  /// How good a source's recent fixes are.
  enum Grade: Int, Sendable, Comparable {
    case none, poor, acceptable

    static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
  }

  /// The maximum of an interval between fixes; a longer one counts as this.
  private static let longestInterval = Duration.seconds(60)

  private let timeout: Duration
  private var latest: Duration?
  private var latestAcceptable: Duration?
  /// The start of the acceptable fixes without interruption.
  private(set) var goodSince: Duration?
  /// The last two intervals between fixes. One outage therefore determines the interval for two
  /// fixes only.
  private var intervals = (previous: Duration.zero, last: Duration.zero)

  init(timeout: Duration) { self.timeout = timeout }

  /// The time without a fix after which the source has lost it.
  var window: Duration { max(timeout, max(intervals.previous, intervals.last) * 3) }

  mutating func located(isAcceptable: Bool, at now: Duration) {
    let hadGood = grade(at: now) == .acceptable
    if let latest {
      intervals = (intervals.last, min(now - latest, Self.longestInterval))
    }
    latest = now
    guard isAcceptable else { return }
    if goodSince == nil || !hadGood { goodSince = now }
    latestAcceptable = now
  }

  /// The source reported that it has no fix, or stopped.
  mutating func interrupted() { goodSince = nil }

  func grade(at now: Duration) -> Grade {
    if let latestAcceptable, now - latestAcceptable < window { return .acceptable }
    if let latest, now - latest < window { return .poor }
    return .none
  }

  /// The next instant at which the grade falls without another fix; nil if it cannot.
  func nextFall(after now: Duration) -> Duration? {
    [latestAcceptable, latest].compactMap { $0.map { $0 + window } }.filter { $0 > now }.min()
  }

  /// The instant until which the source is given time for an acceptable fix.
  func patience(from start: Duration) -> Duration {
    max(start, latestAcceptable ?? start) + window
  }

}
