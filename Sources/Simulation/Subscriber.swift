import AsyncLocation

/// An emitted location, identified by the number that its coordinate encodes.
struct Emission {
  let number: Int
  /// The time of the emission.
  var instant: Duration
  /// The time on the receiver's clock, in seconds.
  let time: Double
  /// Whether the location may be delivered, as far as the world can determine.
  var mayBeDelivered: Bool
}

/// A reader of a stream, and the elements that the world expects the stream to contain.
///
// SAFETY: a simulation, including this object, runs on a single thread.
final class Subscriber: @unchecked Sendable {
  enum Phase { case idle, waiting, busy, over }

  let number: Int
  let stream: Operation.Stream
  let isUnread: Bool
  /// Whether the reader handles each element slowly.
  var isSlow: Bool { number % 2 == 1 }
  /// The stream, if it has no reader.
  var unreadStream: Any?
  var task: Task<Void, Never>?
  var phase = Phase.idle
  /// The step in which the task was cancelled. The subscriber must not receive an element in a job
  /// that began later.
  var cancelledAt: Int?
  /// Whether the reader leaves its loop after the next element.
  var leavesNext = false
  /// The step in which the subscriber stopped counting as demand.
  var leftAt: Int?
  var hasLeft: Bool { leftAt != nil }
  /// The first emission that must not reach the subscriber, because the stream had ended.
  var closedAt: Int?
  /// Whether the stream was opened after the manager was shut down; nil if unknown.
  var openedAfterTheEnd: Bool?
  /// The number of the next emission when the stream was opened.
  let openedAt: Int
  let openingInstant: Duration
  /// The number of the last emission that other streams of events had received when this one was
  /// opened; nil if there were none, and for other kinds of streams.
  var lastOfOthers: Int?
  /// The emissions that must reach the subscriber, in order; some may have been dropped from the
  /// buffer.
  var due: [Int] = []
  /// The number of due emissions that were dropped or withdrawn.
  var dropped = 0
  /// The index in `due` of the next expected element, if the buffer limit is exact.
  var head = 0
  /// Emissions before this one were withdrawn when the reader's last `next()` began.
  var withdrawnBefore = 0
  /// The number of the last emission received; -1 before the first.
  var lastNumber = -1
  /// The time of that emission.
  var lastInstant: Duration?
  /// The start of the measured interval, for a stream with `minimumInterval`.
  var pacedSince: Duration?
  /// The number of elements received in that interval.
  var paced = 0
  /// The number of elements received.
  var seen = 0
  /// Whether the last location had reduced accuracy and therefore cannot be identified.
  var lastWasReduced = false
  /// The index of the session, for a stream of diagnostics.
  var session: Int?
  /// The last authorization received, for a stream of events.
  var authorization: Authorization?
  /// Whether the recipients of all emissions were known since the stream was opened. Otherwise no
  /// element is expected.
  var isCertain = true
  /// Whether the stream may have ended: a run ended, of which the manager may not have been
  /// notified yet, or other steps ran while the stream was opened.
  var mayBeOver = false

  init(
    number: Int, stream: Operation.Stream, isUnread: Bool, openedAt: Int, openingInstant: Duration
  ) {
    (self.number, self.stream, self.isUnread) = (number, stream, isUnread)
    (self.openedAt, self.openingInstant) = (openedAt, openingInstant)
  }

  /// Restarts the measurement of the interval, without a previous location.
  func forgetPace() { (lastInstant, pacedSince, paced) = (nil, nil, 0) }

  /// Drops the stream. The property is cleared first, because preemptions may run during the
  /// stream's deinitialization.
  func drop() {
    let old = unreadStream
    unreadStream = nil
    withExtendedLifetime(old) {}
  }

  /// The kinds of data that the stream demands; nil if it creates no demand.
  var demandedKinds: BackendCapabilities? {
    switch stream {
    case .updates, .options, .distant, .seldom, .elsewhere, .batched, .live, .events: .locations
    case .headings: .headings
    case .satellites: .satellites
    case .connections, .authorizations, .diagnostics: nil
    }
  }
  /// Whether the stream creates demand and continues when permission is refused.
  var isLive: Bool { stream == .live || stream == .events }
  /// Whether the stream creates demand and ends with an error when permission is refused.
  var isReport: Bool { demandedKinds != nil && !isLive }
  /// Whether the buffer holds only locations, so that the dropped elements are known exactly.
  var isExact: Bool { stream == .updates || stream == .options }
  /// Whether the stream receives every location.
  var receivesEveryLocation: Bool {
    switch stream {
    case .updates, .options, .batched: true
    // A live stream also buffers diagnostics, and a stream of events also buffers states, which
    // count towards the limit.
    case .live, .events, .distant, .seldom, .elsewhere, .headings, .satellites, .connections,
      .authorizations, .diagnostics:
      false
    }
  }
}

/// A call of the manager and its task.
///
// SAFETY: a simulation, including this object, runs on a single thread.
final class Caller: @unchecked Sendable {
  let call: Operation.Call
  var task: Task<Void, Never>?
  var isOver = false
  var cancelledAt: Int?
  let begunAt: Duration
  /// The number of requests for `always` that the policy had received when the call began.
  let alwaysRequestsBefore: Int

  init(_ call: Operation.Call, at instant: Duration, alwaysRequestsBefore: Int) {
    (self.call, begunAt, self.alwaysRequestsBefore) = (call, instant, alwaysRequestsBefore)
  }

  /// Whether the call requests a location.
  var isLocation: Bool {
    switch call {
    case .location, .quickLocation, .knownLocation: true
    case .whenInUse, .always, .fullAccuracy, .otherAccuracy, .facts: false
    }
  }
}

/// Counts the live tasks of users: each of them retains a member.
final class Census {
  private(set) var alive = 0

  final class Member {
    private let census: Census
    init(_ census: Census) {
      self.census = census
      census.alive += 1
    }
    deinit { census.alive -= 1 }
  }
}

/// An error defined by a user; its last reference must not be released while a lock is held.
final class LockCheckingError: Error {
  private let onViolation: @Sendable (Violation) -> Void

  init(_ onViolation: @escaping @Sendable (Violation) -> Void) { self.onViolation = onViolation }

  deinit {
    if LockWatch.isLockHeld {
      onViolation(Violation("O10 quiet locks", "a user's error was freed with a lock held"))
    }
  }
}
