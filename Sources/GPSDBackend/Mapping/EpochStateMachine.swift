/// Decides which of one receiver's reports make a location. Performs no I/O.
///
/// gpsd may report one epoch several times, and the earlier reports may be partial. The machine
/// learns how many reports an epoch has. A receiver that reports each epoch once is not delayed.
struct EpochStateMachine: Sendable {
  /// What a report says of the receiver's movement.
  struct Motion: OptionSet, Hashable, Sendable {
    let rawValue: UInt8

    static let speed = Self(rawValue: 1)
    static let track = Self(rawValue: 2)
    /// The speed is high enough for a track to mean something.
    static let moving = Self(rawValue: 4)
  }

  /// What to do with a report.
  enum Action: Hashable, Sendable {
    /// Deliver it as it is: it is the first of its epoch.
    case deliver
    /// Keep it: it is the first of an epoch that is not complete.
    case hold
    /// Complete what is kept with it, and keep that.
    case merge
    /// Complete what is kept with it, and deliver that.
    case mergeAndDeliver
    /// Complete what was delivered in this chunk with it.
    case amend
    /// Do nothing with it: its epoch was delivered before.
    case discard
  }

  struct Decision: Hashable, Sendable {
    /// Whether an earlier epoch that is kept is to be delivered first.
    let deliversHeld: Bool
    let action: Action

    init(_ action: Action, deliversHeld: Bool = false) {
      (self.action, self.deliversHeld) = (action, deliversHeld)
    }
  }

  private enum State {
    case delivered
    /// The instant is when the epoch counts as complete.
    case held(deadline: Duration)
  }

  /// Whether a report that lacks motion is the first of several.
  private enum PartialReports { case unproved, proved, disproved }

  /// The part of a receiver's cycle after which an epoch counts as complete when nothing more of it
  /// has arrived.
  static let quietDivisor = 3
  /// The shortest and the longest such time.
  static let quietRange = Duration.milliseconds(50)...Duration.milliseconds(500)
  private static let defaultQuiet = Duration.milliseconds(250)
  private static let noChunk = -1

  private var state = State.delivered
  /// Times of the epoch and of the one before, in seconds; NaN when there is none.
  private var time = Double.nan
  private var previousTime = Double.nan
  /// The chunk in which the epoch was delivered.
  private var chunk = Self.noChunk
  /// Reports of the epoch; 0 while none is open.
  private var count = 0
  private var counts = EpochCounts()
  /// When the epoch and the one before began.
  private var start: Duration?
  private var previousStart: Duration?
  private var quiet = Self.defaultQuiet
  /// What the epoch's reports say, and what the epochs before it said.
  private var motion: Motion = []
  private var usual: Motion = []
  private var partialReports = PartialReports.unproved
  /// The fix was lost, and no epoch with the usual motion has been delivered since.
  private var isRegained = false
  /// The receiver reports each epoch once, so that the next epoch is delivered at once.
  private var isSteady = false

  /// Whether an epoch is kept.
  var isHolding: Bool { deadline != nil }

  /// When the epoch that is kept counts as complete; nil when none is.
  var deadline: Duration? {
    switch state {
    case .delivered: nil
    case .held(let deadline): deadline
    }
  }

  // MARK: Reports

  /// A report with a fix arrived.
  ///
  /// - Parameters:
  ///   - time: The report's time in seconds; nil for an epoch of its own.
  ///   - chunk: Numbers what arrived at once; at least 0. Nil when reports arrive one by one.
  @inline(__always)
  mutating func reported(
    at time: Double?, _ motion: Motion, chunk: Int?, _ arrival: Duration
  ) -> Decision {
    guard isSteady, let time, time > self.time else {
      return decide(time, motion, chunk ?? Self.noChunk, arrival)
    }
    let chunk = chunk ?? Self.noChunk
    begin(time, motion, chunk, arrival)
    self.chunk = chunk
    return Decision(.deliver)
  }

  /// The receiver has no fix. True when an epoch that is kept is to be delivered first.
  mutating func lostFix() -> Bool {
    let deliversHeld = close()
    learnMotion()
    isRegained = !usual.isEmpty
    (start, previousStart) = (nil, nil)
    return deliversHeld
  }

  /// The epoch that is kept is delivered now, complete or not.
  mutating func deliveredHeld() {
    switch state {
    case .delivered: break
    case .held:
      state = .delivered
      chunk = Self.noChunk
      // The receiver itself leaves motion out.
      if lacks(motion), counts.expected <= count { partialReports = .disproved }
      isRegained = false
    }
  }

  @inline(never)
  private mutating func decide(
    _ time: Double?, _ motion: Motion, _ chunk: Int, _ arrival: Duration
  ) -> Decision {
    defer { isSteady = canBeSteady }
    // Without a time nothing tells its epoch from another.
    guard let time else { return Decision(.deliver, deliversHeld: close()) }
    if time == self.time { return Decision(repeated(motion, chunk, arrival)) }
    if time == previousTime { return Decision(.discard) }
    let deliversHeld = close()
    let quiet = quiet(arrival)
    begin(time, motion, chunk, arrival)
    count = 1
    if isComplete {
      deliver(in: chunk)
      return Decision(.deliver, deliversHeld: deliversHeld)
    }
    self.quiet = quiet
    state = .held(deadline: arrival + quiet)
    return Decision(.hold, deliversHeld: deliversHeld)
  }

  /// One more report of the epoch.
  private mutating func repeated(
    _ motion: Motion, _ chunk: Int, _ arrival: Duration
  ) -> Action {
    count += 1
    let wasPartial = lacks(self.motion)
    add(motion)
    if wasPartial, !lacks(self.motion) { partialReports = .proved }
    switch state {
    case .delivered:
      return chunk == self.chunk && chunk != Self.noChunk ? .amend : .discard
    case .held:
      guard isComplete else {
        state = .held(deadline: arrival + quiet)
        return .merge
      }
      deliver(in: chunk)
      return .mergeAndDeliver
    }
  }

  // MARK: Epochs

  @inline(__always)
  private mutating func begin(
    _ time: Double, _ motion: Motion, _ chunk: Int, _ arrival: Duration
  ) {
    (previousTime, self.time) = (self.time, time)
    if chunk != self.chunk || chunk == Self.noChunk, arrival != start {
      (previousStart, start) = (start, arrival)
    }
    if usual != self.motion { learnMotion() }
    self.motion = motion
  }

  private mutating func deliver(in chunk: Int) {
    state = .delivered
    self.chunk = chunk
    if !lacks(motion) { isRegained = false }
  }

  /// Ends the epoch and learns from it. True when it is to be delivered.
  private mutating func close() -> Bool {
    let isHeld = isHolding
    deliveredHeld()
    if count > 0 { counts.append(count) }
    count = 0
    chunk = Self.noChunk
    isSteady = false
    return isHeld
  }

  /// A receiver that stands gives no track, which says nothing of whether it gives one when it moves.
  @inline(__always)
  private mutating func learnMotion() {
    if motion.contains(.track) {
      usual = motion
    } else if motion.contains(.moving) {
      usual = .speed
    } else {
      usual = motion.union(usual.intersection(.track))
    }
  }

  /// As many reports as the last epochs had, with the motion that the receiver reports.
  private var isComplete: Bool {
    count >= counts.expected && !(doubtsPartialReports && lacks(motion))
  }

  /// A report without motion may be the first of several: after a lost fix until that is disproved,
  /// and always once it was seen.
  private var doubtsPartialReports: Bool {
    switch partialReports {
    case .unproved: isRegained
    case .proved: true
    case .disproved: false
    }
  }

  private var canBeSteady: Bool {
    !isHolding && count == 1 && counts.isSteady && !doubtsPartialReports
  }

  /// Whether reports usually say more of the movement.
  private func lacks(_ motion: Motion) -> Bool {
    if usual.contains(.speed), !motion.contains(.speed) { return true }
    return usual.contains(.track) && motion.contains(.moving) && !motion.contains(.track)
  }

  /// Adds what a later report says, whose speed counts.
  private mutating func add(_ later: Motion) {
    if later.contains(.speed) { motion.remove(.moving) }
    motion.formUnion(later)
  }

  /// A part of the longer one of the last two cycles.
  private func quiet(_ arrival: Duration) -> Duration {
    guard let start else { return Self.defaultQuiet }
    let cycle = max(arrival - start, previousStart.map { start - $0 } ?? .zero)
    let part = cycle / Self.quietDivisor
    return min(max(part, Self.quietRange.lowerBound), Self.quietRange.upperBound)
  }
}
