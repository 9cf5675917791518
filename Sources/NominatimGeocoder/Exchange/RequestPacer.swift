import AsyncLocation

/// Decides when requests to one server are sent: with a time between any two, and not before the
/// time that the server named.
struct RequestPacer: Sendable {
  enum Admission: Sendable, Equatable {
    /// The request is sent at an instant, now or later.
    case at(Duration)
    /// The server named a time before which it wants no request.
    case refused(until: Duration)
    /// So many requests wait that this one could not be sent in time.
    case crowded
  }

  private let interval: Duration
  /// The instant of the last request, which may be in the future.
  private var last: Duration?
  private var refusedUntil: Duration?

  /// - Parameter interval: The least time between two requests.
  init(interval: Duration) { self.interval = max(interval, .zero) }

  /// A request is to be sent before a deadline.
  mutating func requested(at now: Duration, before deadline: Duration) -> Admission {
    if let until = refusal(at: now) { return .refused(until: until) }
    let instant = last.map { max(now, $0.addingSaturated(interval)) } ?? now
    guard instant <= now || instant < deadline else { return .crowded }
    last = instant
    return .at(instant)
  }

  /// A request that waited is not sent. The last one's turn goes to the next.
  mutating func cancelled(_ instant: Duration) {
    if instant == last { last = instant.subtractingSaturated(interval) }
  }

  /// The server named a time. A later one that it named before holds.
  mutating func refused(until instant: Duration) {
    refusedUntil = max(instant, refusedUntil ?? instant)
  }

  /// The instant until which the server wants no requests; nil if it is past.
  func refusal(at now: Duration) -> Duration? {
    refusedUntil.flatMap { now < $0 ? $0 : nil }
  }
}
