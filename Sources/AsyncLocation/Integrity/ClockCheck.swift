/// Compares the clock of a receiver with the monotonic clock of arrival.
///
/// A report can arrive late, also minutes late and then with all others at once. So a time that is
/// behind its arrival is no evidence, but one that is ahead is, and so is one that goes back.
struct ClockCheck: Sendable {
  /// Seconds.
  static let tolerance = 2.0
  static let longestDelay = 30.0
  static let longestStandstill = 10.0
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
    var count = 1
  }

  /// Seconds from 2001-01-01 by the host's wall clock at the monotonic time zero; nil if unknown.
  private let hostOffset: Double?
  private var start = 0.0
  private var last: Fix?
  private var interval = 1.0
  /// The time less the arrival of the fixes with the shortest delay.
  private var baseline = 0.0
  private var candidate: Candidate?
  private var standstillStart = 0.0
  private var standstillCount = 0
  private var delayedCount = 0
  private var datedCount = 0
  /// The confirmed change: its reason, its offset, and the arrival at which it was confirmed.
  private var change: (reason: LocationIntegrity.Reasons, offset: Double, arrival: Double)?
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
    if let candidate { return confirm(candidate, fix) }
    if step < 0 {
      candidate = Candidate(
        reason: .replay, offset: fix.offset, decrease: -step, last: time)
      return false
    }
    if fix.offset > baseline + Self.tolerance {
      // A backlog that arrives at once advances in the usual steps.
      guard step <= 2 * interval, wait < step / 2 else {
        candidate = Candidate(reason: .clock, offset: fix.offset, decrease: 0, last: time)
        return false
      }
    }
    track(fix, step, wait)
    watchDelay(fix, step, wait)
    return false
  }

  /// Moves the baseline as far as clocks drift, or to a fix of a backlog that had a shorter delay.
  private mutating func track(_ fix: Fix, _ step: Double, _ wait: Double) {
    if wait < step / 2, step <= 2 * interval {
      baseline = max(baseline, fix.offset)
    } else {
      let most = Self.highestRate * wait
      baseline += min(max(fix.offset - baseline, -most), most)
    }
    if step < 60 { interval += (step - interval) / 4 }
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
      self.candidate = Candidate(
        reason: reason, offset: fix.offset, decrease: candidate.decrease, last: fix.time)
      return false
    }
    candidate.count += 1
    candidate.last = fix.time
    self.candidate = candidate
    guard candidate.count >= Self.confirmation else { return false }
    self.candidate = nil
    let isLearning = fix.arrival - start < Self.learningTime
    if candidate.reason == .replay,
      candidate.decrease <= (isLearning ? Self.leapSeconds : Self.tolerance)
    {
      // Not the offset of this fix, which may be one of a stall.
      baseline -= candidate.decrease + interval
      return true
    }
    change = (candidate.reason, fix.offset, fix.arrival)
    agreeing = 0
    return true
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
    guard change == nil, standstillCount >= 8,
      fix.arrival - standstillStart > Self.longestStandstill
    else { return }
    change = (.clock, .infinity, fix.arrival)
  }

  /// Watches for a delay that persists although reports arrive at their usual pace.
  private mutating func watchDelay(_ fix: Fix, _ step: Double, _ wait: Double) {
    let isAtPace = abs(step - wait) < step / 2
    let isLate = fix.offset < baseline - Self.longestDelay
    delayedCount = isLate && isAtPace ? delayedCount + 1 : 0
    guard delayedCount >= 10 else { return }
    change = (.clock, fix.offset, fix.arrival)
    (delayedCount, agreeing) = (0, 0)
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
    if datedCount >= Self.confirmation, change == nil {
      change = (.clock, fix.offset, fix.arrival)
      agreeing = 0
    }
    return datedCount >= Self.confirmation
  }
}
