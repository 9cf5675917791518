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
    /// Ignore it: its epoch was delivered before.
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

  /// Whether a report without motion data is the first of several for its epoch.
  private enum PartialReports { case unproved, proved, disproved }

  /// The receiver's cycle divided by this number is the quiet time. An epoch counts as complete
  /// when no further report arrives for that time.
  static let quietDivisor = 3
  /// The shortest and the longest quiet time.
  static let quietRange = Duration.milliseconds(50)...Duration.milliseconds(500)
  private static let defaultQuiet = Duration.milliseconds(250)
  private static let noChunk = -1

  private var state = State.delivered
  /// Times of the current epoch and of the previous one, in seconds; NaN if there is none.
  private var time = Double.nan
  private var previousTime = Double.nan
  /// The chunk in which the epoch was delivered.
  private var chunk = Self.noChunk
  /// The number of reports in the epoch; 0 while none is open.
  private var count = 0
  private var counts = EpochCounts()
  /// When the current epoch and the previous one began.
  private var start: Duration?
  private var previousStart: Duration?
  private var quiet = Self.defaultQuiet
  /// The motion data in this epoch's reports, and the motion data that the receiver usually
  /// reports.
  private var motion: Motion = []
  private var usual: Motion = []
  private var partialReports = PartialReports.unproved
  /// Set when the fix is lost; cleared when an epoch with the usual motion data, or a held epoch,
  /// is delivered.
  private var isRegained = false
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
    isRegained = !usual.isEmpty
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
      // The epoch has all its reports, so the receiver itself omits the motion data.
      if lacks(motion), counts.expected <= count { partialReports = .disproved }
      isRegained = false
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

  /// Updates the motion data that the receiver usually reports. A stationary receiver reports no
  /// track, so its reports do not show whether it reports a track when it moves.
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

  /// Whether the epoch has the expected number of reports and, while partial reports are possible,
  /// the motion data that the receiver usually reports.
  private var isComplete: Bool {
    count >= counts.expected && !(doubtsPartialReports && lacks(motion))
  }

  /// Whether a report without motion data may be the first of several: while `isRegained` is set,
  /// always once it has been proved, and never once it has been disproved.
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

  /// Whether the receiver's reports usually contain more motion data.
  private func lacks(_ motion: Motion) -> Bool {
    if usual.contains(.speed), !motion.contains(.speed) { return true }
    return usual.contains(.track) && motion.contains(.moving) && !motion.contains(.track)
  }

  /// Adds the motion data of a later report, whose speed takes precedence.
  private mutating func add(_ later: Motion) {
    if later.contains(.speed) { motion.remove(.moving) }
    motion.formUnion(later)
  }

  /// A fraction of the longer of the last two cycles, clamped to ``quietRange``.
  private func quiet(_ arrival: Duration) -> Duration {
    guard let start else { return Self.defaultQuiet }
    let cycle = max(arrival - start, previousStart.map { start - $0 } ?? .zero)
    let part = cycle / Self.quietDivisor
    return min(max(part, Self.quietRange.lowerBound), Self.quietRange.upperBound)
  }
}
