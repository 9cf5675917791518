/// Compares the clock of a receiver with the monotonic clock of arrival.
///
/// A report can arrive late, also minutes late and then with all others at once. So a time that is
/// behind its arrival is no evidence, but one that is ahead is, and so is one that goes back.
struct ClockCheck: Sendable {
  /// Seconds.
  static let tolerance = 2.0
  static let longestDelay = 30.0
  static let longestStandstill = 10.0
  /// Seconds after which a receiver may have been switched off.
  static let shortestGap = 5.0
  /// Seconds by which a receiver that learns the leap seconds corrects its clock, and the time in
  /// which it learns them: they are broadcast every 12.5 minutes.
  static let leapSeconds = 20.5
  static let learningTime = 900.0
  /// Seconds after which a changed clock is accepted.
  static let memory = 600.0
  /// The highest rate by which two oscillators differ.
  static let highestRate = 5e-4
  /// The number of consecutive fixes that show a change.
  static let confirmation = 3
  /// Seconds in 1,024 weeks.
  private static let rollover = 1_024 * 7 * 86_400.0

  private struct Fix: Sendable {
    let time: Double
    let arrival: Double
    var offset: Double { time - arrival }
  }

  /// A change that is not confirmed yet.
  private struct Candidate: Sendable {
    let reason: LocationIntegrity.Reasons
    let offset: Double
    /// Seconds by which the clock went back.
    let decrease: Double
    var last: Double
    /// The last fix that counted.
    var counted: Fix
    var count = 1

    init(_ reason: LocationIntegrity.Reasons, _ fix: Fix, decrease: Double) {
      (self.reason, self.decrease, offset) = (reason, decrease, fix.offset)
      (last, counted) = (fix.time, fix)
    }
  }

  /// A period in which the shortest delay is not known: fixes may be ahead of earlier ones.
  private struct Settling: Sendable {
    /// The arrival until which it lasts at least.
    let end: Double
    /// The fixes for which it lasts at least.
    var count: Int
    /// The highest offset that is accepted.
    let ceiling: Double
  }

  /// A confirmed change.
  private struct Change: Sendable {
    let reason: LocationIntegrity.Reasons
    let offset: Double
    /// The arrival at which it was confirmed.
    let arrival: Double
  }

  /// Seconds from 2001-01-01 by the host's wall clock at the monotonic time zero; nil if unknown.
  private let hostOffset: Double?
  /// The arrival of the first fix, or of a later one since which the leap seconds may be unknown.
  private var start = 0.0
  private var last: Fix?
  /// The usual seconds between two times; nil before the second one.
  private var interval: Double?
  /// The time less the arrival of the fixes with the shortest delay.
  private var baseline = 0.0
  private var settling: Settling?
  private var candidate: Candidate?
  private var standstillStart = 0.0
  private var standstillCount = 0
  /// The number of late fixes in a row whose delay did not shrink, and their highest offset.
  private var delayedCount = 0
  private var delayedOffset = 0.0
  private var datedCount = 0
  private var change: Change?
  /// The number of fixes since then that agree with the clock before the change.
  private var agreeing = 0

  init(hostOffset: Double? = nil) { self.hostOffset = hostOffset }

  var reasons: LocationIntegrity.Reasons { change?.reason ?? [] }

  /// True while the last fix may be one of a clock that changed, or a late one.
  var isDoubtful: Bool { candidate != nil }

  /// Handles a fix. Times are seconds.
  ///
  /// - Returns: True if a change of the clock was confirmed, so that earlier times are no longer
  ///   comparable with later ones.
  mutating func observe(time: Double, arrival: Double) -> Bool {
    let fix = Fix(time: time, arrival: arrival)
    guard let last else {
      (self.last, baseline, start, standstillStart) = (fix, fix.offset, arrival, arrival)
      settling = Settling(end: arrival + 60, count: 10, ceiling: fix.offset + Self.longestDelay)
      return false
    }
    defer { self.last = fix }
    if watchDate(fix) { return false }
    let (step, wait) = (time - last.time, max(0, arrival - last.arrival))
    if step == 0 {
      watchStandstill(fix)
      return false
    }
    (standstillStart, standstillCount) = (arrival, 0)
    if change?.offset == .infinity { change = nil }  // It advances again.
    if change != nil { return follow(fix, step) }
    if min(step, wait) > max(Self.shortestGap, 3 * usualInterval) { resume(fix, wait) }
    if let candidate { return confirm(candidate, fix) }
    if step < 0 {
      candidate = Candidate(.replay, fix, decrease: -step)
      return false
    }
    settle(fix)
    if fix.offset > baseline + Self.tolerance {
      // A backlog that arrives at once advances in the usual steps.
      guard step <= 2 * usualInterval, wait < step / 2 else {
        candidate = Candidate(.clock, fix, decrease: 0)
        return false
      }
    }
    track(fix, step, wait)
    watchDelay(fix, step, wait)
    return false
  }

  private var usualInterval: Double { interval ?? 1 }

  /// Handles the first fix after a gap. A receiver that was switched off may have forgotten the leap
  /// seconds.
  private mutating func resume(_ fix: Fix, _ wait: Double) {
    candidate = nil
    let most = Self.leapSeconds + Self.highestRate * wait
    guard settling == nil else { return }
    settling = Settling(end: fix.arrival + 10, count: 3, ceiling: baseline + most)
  }

  /// Accepts a fix that is ahead of earlier ones while the shortest delay is not known.
  private mutating func settle(_ fix: Fix) {
    guard var settling else { return }
    if fix.offset > baseline, fix.offset <= settling.ceiling {
      if fix.offset > baseline + Self.tolerance { start = fix.arrival }
      baseline = fix.offset
    }
    settling.count -= 1
    self.settling = settling.count > 0 || fix.arrival < settling.end ? settling : nil
  }

  /// Moves the baseline as far as clocks drift, or to a fix of a backlog that had a shorter delay.
  private mutating func track(_ fix: Fix, _ step: Double, _ wait: Double) {
    if wait < step / 2, step <= 2 * usualInterval {
      baseline = max(baseline, fix.offset)
    } else {
      let most = Self.highestRate * wait
      baseline += min(max(fix.offset - baseline, -most), most)
    }
    // A gap has a small influence, a different interval has a large one.
    interval = interval.map { $0 + (min(step, 4 * $0) - $0) / 4 } ?? min(step, Self.memory)
  }

  private mutating func confirm(_ candidate: Candidate, _ fix: Fix) -> Bool {
    var candidate = candidate
    let near = candidate.reason == .clock ? .infinity : min(Self.tolerance, candidate.decrease / 2)
    let isBack =
      fix.offset <= baseline + Self.tolerance && fix.offset >= baseline - near
    if isBack {
      self.candidate = nil
      return false
    }
    guard fix.time > candidate.last, abs(fix.offset - candidate.offset) <= Self.tolerance else {
      let reason = fix.offset > baseline + Self.tolerance ? .clock : candidate.reason
      self.candidate = Candidate(reason, fix, decrease: candidate.decrease)
      return false
    }
    candidate.last = fix.time
    // Reports that are sent again arrive at once.
    let counted = candidate.counted
    if fix.arrival - counted.arrival >= (fix.time - counted.time) / 2 {
      candidate.count += 1
      candidate.counted = fix
    }
    self.candidate = candidate
    guard candidate.count >= Self.confirmation else { return false }
    self.candidate = nil
    let isLearning = fix.arrival - start < Self.learningTime
    if candidate.reason == .replay,
      candidate.decrease <= (isLearning ? Self.leapSeconds : Self.tolerance)
    {
      // Not the offset of this fix, which may be one of a stall.
      baseline -= candidate.decrease + usualInterval
      return true
    }
    report(candidate.reason, fix)
    return true
  }

  private mutating func report(_ reason: LocationIntegrity.Reasons, _ fix: Fix) {
    change = Change(reason: reason, offset: fix.offset, arrival: fix.arrival)
    agreeing = 0
  }

  /// Handles a fix after a confirmed change.
  private mutating func follow(_ fix: Fix, _ step: Double) -> Bool {
    guard let change else { return false }
    if abs(fix.offset - baseline) <= Self.tolerance, step > 0 {
      agreeing += 1
      guard agreeing >= 10 else { return false }
      self.change = nil
      return true
    }
    agreeing = 0
    guard fix.arrival - change.arrival > Self.memory else { return false }
    self.change = nil
    baseline = fix.offset
    return true
  }

  private mutating func watchStandstill(_ fix: Fix) {
    standstillCount += 1
    // Some receivers repeat their last fix until the next one.
    guard let interval, change == nil, standstillCount >= 8,
      fix.arrival - standstillStart > max(Self.longestStandstill, 3 * interval)
    else { return }
    change = Change(reason: .clock, offset: .infinity, arrival: fix.arrival)
  }

  /// Watches for a delay that persists although reports arrive at their usual pace.
  private mutating func watchDelay(_ fix: Fix, _ step: Double, _ wait: Double) {
    let isAtPace = abs(step - wait) < step / 2
    guard fix.offset < baseline - Self.longestDelay, isAtPace else {
      delayedCount = 0
      return
    }
    // A backlog that drains slowly is at pace too, but its delay shrinks.
    if delayedCount == 0 || fix.offset > delayedOffset + 0.5 {
      (delayedCount, delayedOffset) = (0, fix.offset)
    }
    delayedCount += 1
    guard delayedCount >= 10 else { return }
    delayedCount = 0
    report(.clock, fix)
  }

  /// Watches for a date that a week number with 10 bits explains.
  private mutating func watchDate(_ fix: Fix) -> Bool {
    guard let hostOffset else { return false }
    let weeks = (hostOffset - fix.offset) / Self.rollover
    let isRolledOver = weeks > 0.5 && abs(weeks - weeks.rounded()) * Self.rollover < 2 * 86_400
    guard isRolledOver else {
      datedCount = 0
      return false
    }
    datedCount += 1
    if datedCount >= Self.confirmation, change == nil { report(.clock, fix) }
    return datedCount >= Self.confirmation
  }
}
