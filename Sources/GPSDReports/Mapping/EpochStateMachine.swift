/// Decides which reports of one receiver are combined into a location. Performs no I/O.
///
/// gpsd may report one epoch several times, and the earlier reports may be partial. The machine
/// estimates how many reports an epoch has. A receiver that reports each epoch once is not delayed.
struct EpochStateMachine: Sendable {
  /// Which data about the receiver's movement a report contains.
  struct Motion: OptionSet, Hashable, Sendable {
    let rawValue: UInt8

    static let speed = Self(rawValue: 1)
    static let track = Self(rawValue: 2)
    /// The speed is high enough for the track to be meaningful.
    static let moving = Self(rawValue: 4)
  }

  /// How to handle a report.
  enum Action: Hashable, Sendable {
    /// Deliver it unchanged: it is the first of its epoch.
    case deliver
    /// Hold it: it is the first of an incomplete epoch.
    case hold
    /// Merge it into the held report, which remains held.
    case merge
    /// Merge it into the held report, and deliver the result.
    case mergeAndDeliver
    /// Merge it into the report that was delivered in this chunk.
    case amend
    /// Ignore it: its epoch was already delivered and can no longer be amended.
    case discard
  }

  struct Decision: Hashable, Sendable {
    /// Whether a held earlier epoch must be delivered first.
    let deliversHeld: Bool
    let action: Action

    init(_ action: Action, deliversHeld: Bool = false) {
      (self.action, self.deliversHeld) = (action, deliversHeld)
    }
  }

  private enum State {
    case delivered
    /// Held until the deadline, when the epoch counts as complete.
    case held(deadline: Duration)
  }

  /// What is known about whether a report without the usual motion data is the first of several for
  /// its epoch.
  private enum PartialReports { case unproved, proved, disproved }

  /// The receiver's cycle divided by this number is the quiet time. An epoch counts as complete
  /// when no further report arrives for that time.
  static let quietDivisor = 3
  /// The range of the quiet time.
  static let quietRange = Duration.milliseconds(50)...Duration.milliseconds(500)
  /// The quiet time while no cycle is known.
  private static let defaultQuietTime = Duration.milliseconds(250)
  /// Stands for no chunk: reports arrive one by one, or the epoch was not delivered in a chunk.
  private static let noChunk = -1

  private var state = State.delivered
  /// The receiver's times of the current epoch and of the previous one, in seconds; NaN if there is
  /// none.
  private var time = Double.nan
  private var previousTime = Double.nan
  /// The chunk in which the epoch was delivered.
  private var chunk = Self.noChunk
  /// The number of reports in the epoch; 0 while none is open.
  private var count = 0
  private var counts = EpochCounts()
  /// When the first reports of the current epoch and of the previous one arrived.
  private var start: Duration?
  private var previousStart: Duration?
  /// The quiet time of the held epoch.
  private var quietTime = Self.defaultQuietTime
  /// The motion data in this epoch's reports.
  private var motion: Motion = []
  /// The motion data that the receiver usually reports.
  private var usualMotion: Motion = []
  private var partialReports = PartialReports.unproved
  /// Set when a receiver that usually reports motion data loses its fix. Cleared when an epoch with
  /// the usual motion data, or a held epoch, is delivered.
  private var followsLostFix = false
  /// Whether the receiver reports each epoch once, so that the next epoch is delivered immediately.
  private var isSteady = false

  /// Whether an epoch is held.
  var isHolding: Bool { deadline != nil }

  /// When the held epoch counts as complete; nil if none is held.
  var deadline: Duration? {
    switch state {
    case .delivered: nil
    case .held(let deadline): deadline
    }
  }

  // MARK: Reports

  /// Handles a report with a fix.
  ///
  /// - Parameters:
  ///   - time: The report's time in seconds. If nil, the report is an epoch of its own.
  ///   - chunk: The number of the chunk, at least 0. Nil if reports arrive one by one.
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

  /// Handles the loss of the fix. Returns true if a held epoch must be delivered first.
  mutating func lostFix() -> Bool {
    let deliversHeld = close()
    learnMotion()
    followsLostFix = !usualMotion.isEmpty
    (start, previousStart) = (nil, nil)
    return deliversHeld
  }

  /// Handles the delivery of the held epoch, complete or not.
  mutating func deliveredHeld() {
    switch state {
    case .delivered: break
    case .held:
      state = .delivered
      chunk = Self.noChunk
      // If the epoch has all its reports, the receiver itself omits the missing motion data.
      if lacks(motion), counts.expected <= count { partialReports = .disproved }
      followsLostFix = false
    }
  }

  @inline(never)
  private mutating func decide(
    _ time: Double?, _ motion: Motion, _ chunk: Int, _ arrival: Duration
  ) -> Decision {
    defer { isSteady = canBeSteady }
    // Without a time, the report's epoch cannot be distinguished from another.
    guard let time else { return Decision(.deliver, deliversHeld: close()) }
    if time == self.time { return Decision(repeated(motion, chunk, arrival)) }
    if time == previousTime { return Decision(.discard) }
    let deliversHeld = close()
    let quietTime = updatedQuietTime(forEpochAt: arrival)
    begin(time, motion, chunk, arrival)
    count = 1
    if isComplete {
      deliver(in: chunk)
      return Decision(.deliver, deliversHeld: deliversHeld)
    }
    self.quietTime = quietTime
    state = .held(deadline: arrival + quietTime)
    return Decision(.hold, deliversHeld: deliversHeld)
  }

  /// Handles another report of the same epoch.
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
        state = .held(deadline: arrival + quietTime)
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
    // Epochs that arrive together do not show the receiver's cycle.
    if chunk != self.chunk || chunk == Self.noChunk, arrival != start {
      (previousStart, start) = (start, arrival)
    }
    if usualMotion != self.motion { learnMotion() }
    self.motion = motion
  }

  private mutating func deliver(in chunk: Int) {
    state = .delivered
    self.chunk = chunk
    if !lacks(motion) { followsLostFix = false }
  }

  /// Ends the epoch and records its number of reports. Returns true if the epoch must be delivered.
  private mutating func close() -> Bool {
    let isHeld = isHolding
    deliveredHeld()
    if count > 0 { counts.append(count) }
    count = 0
    chunk = Self.noChunk
    isSteady = false
    return isHeld
  }

  /// Updates the usual motion data from the epoch that ends. A stationary receiver reports no
  /// track, so its reports do not show whether it reports a track when it moves.
  @inline(__always)
  private mutating func learnMotion() {
    if motion.contains(.track) {
      usualMotion = motion
    } else if motion.contains(.moving) {
      usualMotion = .speed
    } else {
      usualMotion = motion.union(usualMotion.intersection(.track))
    }
  }

  /// Whether the epoch has the expected number of reports and, while partial reports are possible,
  /// the motion data that the receiver usually reports.
  private var isComplete: Bool {
    count >= counts.expected && !(expectsPartialReports && lacks(motion))
  }

  /// Whether a report without the usual motion data may be the first of several: always once this
  /// has been proved, never once it has been disproved, and otherwise after a lost fix.
  private var expectsPartialReports: Bool {
    switch partialReports {
    case .unproved: followsLostFix
    case .proved: true
    case .disproved: false
    }
  }

  /// Whether a report of the next epoch can be delivered without ``decide(_:_:_:_:)``.
  private var canBeSteady: Bool {
    !isHolding && count == 1 && counts.isSteady && !expectsPartialReports
  }

  /// Whether the receiver's reports usually contain more motion data than this.
  private func lacks(_ motion: Motion) -> Bool {
    if usualMotion.contains(.speed), !motion.contains(.speed) { return true }
    return usualMotion.contains(.track) && motion.contains(.moving) && !motion.contains(.track)
  }

  /// Adds the motion data of a later report, whose speed takes precedence.
  private mutating func add(_ later: Motion) {
    if later.contains(.speed) { motion.remove(.moving) }
    motion.formUnion(later)
  }

  /// Returns a fraction of the longer of the last two cycles, clamped to ``quietRange``.
  ///
  /// - Parameter arrival: The beginning of the new epoch, which ends the last cycle.
  private func updatedQuietTime(forEpochAt arrival: Duration) -> Duration {
    guard let start else { return Self.defaultQuietTime }
    let cycle = max(arrival - start, previousStart.map { start - $0 } ?? .zero)
    let part = cycle / Self.quietDivisor
    return min(max(part, Self.quietRange.lowerBound), Self.quietRange.upperBound)
  }
}
