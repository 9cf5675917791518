import AsyncLocation

/// Decides when requests to one server are sent: at a minimum interval, and not before a time that
/// the server stated.
struct RequestPacer: Sendable {
  enum Admission: Sendable, Equatable {
    /// The request is sent at an instant, now or later.
    case at(Duration)
    /// The server refuses requests until an instant.
    case refused(until: Duration)
    /// Too many requests wait, so this one could not be sent in time.
    case crowded
  }

  private let interval: Duration
  /// The instant of the last request, which may be in the future.
  private var last: Duration?
  private var refusedUntil: Duration?

  /// - Parameter interval: The minimum time between two requests.
  init(interval: Duration) { self.interval = max(interval, .zero) }

  /// Handles a request that must be sent before a deadline.
  mutating func requested(at now: Duration, before deadline: Duration) -> Admission {
    if let until = refusal(at: now) { return .refused(until: until) }
    let instant = last.map { max(now, $0.addingSaturated(interval)) } ?? now
    guard instant <= now || instant < deadline else { return .crowded }
    last = instant
    return .at(instant)
  }

  /// Handles the cancellation of a waiting request. If it was the last one, its instant becomes
  /// available again.
  mutating func cancelled(_ instant: Duration) {
    if instant == last { last = instant.subtractingSaturated(interval) }
  }

  /// Handles a refusal of the server. An earlier refusal that lasts longer remains in effect.
  mutating func refused(until instant: Duration) {
    refusedUntil = max(instant, refusedUntil ?? instant)
  }

  /// The instant until which the server refuses requests; nil if it is past.
  func refusal(at now: Duration) -> Duration? {
    refusedUntil.flatMap { now < $0 ? $0 : nil }
  }
}
