import AsyncLocation

/// What was emitted, by the number that its coordinate carries.
struct Emission {
  let number: Int
  /// When it was handed over.
  var instant: Duration
  /// Seconds of the receiver's clock.
  let time: Double
  /// Nothing else happened while it was handed over, so that who got it is known for certain.
  let isCertain: Bool
  /// Whether it may be delivered at all, as far as is certain.
  var mayPass: Bool
}

/// One who reads a stream, and what a bystander knows of what that stream must hold.
///
// SAFETY: everything in a simulation, this included, is touched by one thread alone.
final class Subscriber: @unchecked Sendable {
  enum Phase { case idle, waiting, busy, over }

  let number: Int
  let stream: Operation.Stream
  let isStuck: Bool
  /// Takes its time over every element.
  var isSlow: Bool { number % 2 == 1 }
  /// Holds the stream where nobody reads.
  var keptStream: Any?
  var task: Task<Void, Never>?
  var phase = Phase.idle
  /// When its task was told to stop; what it takes in a job that began later is wrong.
  var cancelledAt: Int?
  /// Gives up after the next element.
  var leavesNext = false
  /// No longer counted among those who want something.
  var hasLeft = false
  /// From this emission on nothing reaches it: it was over by then.
  var closedAt: Int?
  /// Whether the manager was shut down before; nil where that is not known.
  var openedAfterTheEnd: Bool?
  /// Which emission came next when it was opened.
  let openedAt: Int
  let openedWhen: Duration
  /// Emissions that must reach it, in order, of which some may have made room.
  var due: [Int] = []
  /// How many of those due made room or were withdrawn.
  var dropped = 0
  /// What comes next of `due`, where the bound is exact.
  var head = 0
  /// Emissions before this one were withdrawn when its last `next()` began.
  var withdrawnBefore = 0
  var lastNumber = -1
  var lastInstant: Duration?
  /// From when on an interval is measured, where one was asked for.
  var pacedSince: Duration?
  /// How many it took where an interval was asked for.
  var paced = 0
  var seen = 0
  /// The last location was a coarse one, which says not where it is.
  var tookCoarse = false
  var session: Int?
  /// Whether a run may have been lost to it unnoticed: then nothing is due any more.
  var isCertain = true
  /// Opened before the end of a run was known to all: that may have ended it.
  var mayBeOver = false

  init(
    number: Int, stream: Operation.Stream, isStuck: Bool, openedAt: Int, openedWhen: Duration
  ) {
    (self.number, self.stream, self.isStuck) = (number, stream, isStuck)
    (self.openedAt, self.openedWhen) = (openedAt, openedWhen)
  }

  /// Drops the stream; others come in between while it goes.
  func drop() {
    let old = keptStream
    keptStream = nil
    withExtendedLifetime(old) {}
  }

  var wants: BackendCapabilities? {
    switch stream {
    case .updates, .options, .distant, .seldom, .elsewhere, .batched, .live: .locations
    case .headings: .headings
    case .satellites: .satellites
    case .connections, .authorizations, .diagnostics: nil
    }
  }
  var isReport: Bool { wants != nil && stream != .live }
  /// Its bound is all that waits for it, so that what is dropped is known to the element.
  var isExact: Bool { stream == .updates || stream == .options }
  /// Hears of every location.
  var takesAll: Bool {
    switch stream {
    case .updates, .options, .batched: true
    // A live stream also holds reasons, which take room.
    case .live, .distant, .seldom, .elsewhere, .headings, .satellites, .connections,
      .authorizations,
      .diagnostics:
      false
    }
  }
}

/// A call that waits.
///
// SAFETY: everything in a simulation, this included, is touched by one thread alone.
final class Caller: @unchecked Sendable {
  let call: Operation.Call
  var task: Task<Void, Never>?
  var isOver = false
  /// Its body has begun.
  var hasBegun = false
  var cancelledAt: Int?
  let begunAt: Duration
  /// How many questions for always the policy had been asked when it began.
  let askedBefore: Int

  init(_ call: Operation.Call, at instant: Duration, askedBefore: Int) {
    (self.call, begunAt, self.askedBefore) = (call, instant, askedBefore)
  }

  var isLocation: Bool {
    switch call {
    case .location, .quickLocation, .knownLocation: true
    case .whenInUse, .always, .fullAccuracy, .otherAccuracy, .facts: false
    }
  }
}

/// Counts how many of something live.
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

/// An error as a user might make: its last reference must not be dropped under a lock.
final class WatchedError: Error {
  private let isWrong: @Sendable (Violation) -> Void

  init(_ isWrong: @escaping @Sendable (Violation) -> Void) { self.isWrong = isWrong }

  deinit {
    #if SIMULATION
      if unsafe LockWatch.depth > 0 {
        isWrong(Violation("O10 quiet locks", "a user's error was freed with a lock held"))
      }
    #endif
  }
}
