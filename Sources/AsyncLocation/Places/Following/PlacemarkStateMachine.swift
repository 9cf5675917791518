/// Decides which locations of one stream are looked up, one request at a time, and which updates
/// are delivered.
///
/// A location is looked up when the minimum interval has passed since the last look-up and the
/// receiver has moved by at least the minimum distance and the location's error. While a request is
/// pending, the newest such location waits; it replaces an older one. A location that was made
/// under another permission or accuracy than the last one is always looked up, and cancels the
/// pending request.
struct PlacemarkStateMachine: Sendable {
  /// A request, and the permission under which its location was made.
  struct Request: Sendable, Equatable {
    let id: UInt64
    let location: Location
    let stamp: DeliveryStamp
  }

  /// An update, and the permission under which its location was made.
  struct Delivery: Sendable, Equatable {
    let update: PlacemarkUpdate
    let stamp: DeliveryStamp
  }

  enum Action: Sendable, Equatable {
    case none
    case request(Request)
    /// Permission no longer covers the location of the request.
    case cancelRequest(UInt64)
  }

  struct AnsweredAction: Sendable, Equatable {
    enum Next: Sendable, Equatable {
      case wait
      case request(Request)
      case finish
    }

    /// Nil if permission no longer covers the location of the request.
    var delivery: Delivery?
    var next = Next.wait
  }

  enum EndAction: Sendable, Equatable {
    /// Pending requests are answered first, or the stream has already ended.
    case none
    /// The stream ends. The pending request, if there is one, is cancelled.
    case finish(LocationError?)
  }

  private struct Candidate: Sendable {
    let location: Location
    let stamp: DeliveryStamp
    let instant: Duration
  }

  private enum State: Sendable {
    case idle
    case requesting(Candidate, id: UInt64, isWithdrawn: Bool)
    case ended
  }

  private let options: PlacemarkOptions
  private var state = State.idle
  /// The location that is looked up next.
  private var waiting: Candidate?
  /// The last location that was looked up.
  private var last: Candidate?
  /// Whether the request for the last location failed with a transient error.
  private var mustRetry = false
  /// Whether the locations have ended.
  private var isEnding = false
  private var lastID: UInt64 = 0

  init(_ options: PlacemarkOptions) { self.options = options }

  /// A location arrived. Permission may have been withdrawn since the location was read, even if
  /// ``permissionChanged(_:)`` was not called yet.
  ///
  /// - Parameters:
  ///   - instant: The arrival time of the location, on a monotonic clock.
  ///   - mayRead: Whether permission still covers elements with a stamp.
  mutating func located(
    _ location: Location, _ stamp: DeliveryStamp, at instant: Duration,
    _ mayRead: (DeliveryStamp) -> Bool
  ) -> Action {
    guard mayRead(stamp) else { return .none }
    let candidate = Candidate(location: location, stamp: stamp, instant: instant)
    switch state {
    case .ended: return .none
    case .idle:
      guard isDue(candidate, afterFailure: mustRetry) else { return .none }
      return .request(begin(candidate))
    case .requesting(let current, let id, let isWithdrawn):
      guard isDue(candidate, afterFailure: false) else { return .none }
      waiting = candidate
      guard candidate.stamp != current.stamp, !isWithdrawn else { return .none }
      state = .requesting(current, id: id, isWithdrawn: true)
      return .cancelRequest(id)
    }
  }

  /// Permission changed.
  ///
  /// - Parameter mayRead: Whether permission still covers elements with a stamp.
  mutating func permissionChanged(_ mayRead: (DeliveryStamp) -> Bool) -> Action {
    if let candidate = waiting, !mayRead(candidate.stamp) { waiting = nil }
    guard case .requesting(let current, let id, isWithdrawn: false) = state, !mayRead(current.stamp)
    else { return .none }
    state = .requesting(current, id: id, isWithdrawn: true)
    return .cancelRequest(id)
  }

  /// The geocoder answered a request.
  ///
  /// - Parameter mayRead: Whether permission still covers elements with a stamp.
  mutating func answered(
    _ id: UInt64, _ answer: Result<[Placemark], LocationError>,
    _ mayRead: (DeliveryStamp) -> Bool
  ) -> AnsweredAction {
    guard case .requesting(let candidate, id: id, let isWithdrawn) = state else {
      return AnsweredAction()
    }
    var action = AnsweredAction()
    state = .idle
    if !isWithdrawn {
      action.delivery = Delivery(
        update: PlacemarkUpdate(candidate.location, answer), stamp: candidate.stamp)
      if case .failure(let error) = answer { mustRetry = error.isTransient }
    }
    if let next = waiting.take(), mayRead(next.stamp) {
      action.next = .request(begin(next))
    } else if isEnding {
      state = .ended
      action.next = .finish
    }
    return action
  }

  /// The locations ended. Without an error, pending requests are answered first.
  mutating func locationsEnded(_ error: LocationError?) -> EndAction {
    isEnding = true
    if error == nil, case .requesting = state { return .none }
    return end(error)
  }

  /// The manager was shut down.
  mutating func managerEnded() -> EndAction { end(nil) }

  private mutating func end(_ error: LocationError?) -> EndAction {
    if case .ended = state { return .none }
    state = .ended
    return .finish(error)
  }

  /// True while a request is pending and was not cancelled.
  func isPending(_ id: UInt64) -> Bool {
    if case .requesting(_, id: id, isWithdrawn: false) = state { true } else { false }
  }

  private mutating func begin(_ candidate: Candidate) -> Request {
    lastID += 1
    (last, mustRetry) = (candidate, false)
    state = .requesting(candidate, id: lastID, isWithdrawn: false)
    return Request(id: lastID, location: candidate.location, stamp: candidate.stamp)
  }

  /// Whether a location is to be looked up.
  ///
  /// - Parameter afterFailure: Whether the location is looked up after the retry interval even
  ///   without movement.
  private func isDue(_ candidate: Candidate, afterFailure: Bool) -> Bool {
    guard let last, last.stamp == candidate.stamp else { return true }
    let elapsed = candidate.instant - last.instant
    guard elapsed >= options.minimumInterval else { return false }
    if afterFailure, elapsed >= options.retryInterval { return true }
    guard options.minimumDistance > 0 else { return true }
    return options.isMovement(from: last.location, to: candidate.location)
  }
}

extension PlacemarkOptions {
  /// Whether the distance between two locations is at least the minimum distance and at least the
  /// error of the second.
  func isMovement(from old: Location, to new: Location) -> Bool {
    let distance = old.distance(to: new)
    return distance >= minimumDistance && new.horizontalAccuracy ?? 0 <= distance
  }
}
