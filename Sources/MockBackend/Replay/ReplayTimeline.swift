import AsyncLocation

/// Computes when each event of a replay is due. Performs no I/O; instants are offsets from the
/// replay's start.
///
/// Events are numbered across all rounds: event `n` is the track's event `n % count`, in round
/// `n / count`.
struct ReplayTimeline: Sendable {
  /// The maximum duration of a track: 100 years. Later events are never due.
  static var longest: Duration { .seconds(3_155_760_000) }

  let events: [TimedEvent]
  private(set) var rate: Double
  private let rounds: Int?
  /// The time from the start of a round to the start of the next.
  let period: Duration

  init(
    _ events: [TimedEvent], rate: Double, repetition: ReplayBackend.Repetition
  ) throws(LocationError) {
    try Self.check(rate)
    if let rounds = repetition.rounds, rounds < 1 {
      throw LocationError(.invalidValue, "A replay must play at least once; got \(rounds) times.")
    }
    self.events = try Self.sorted(events)
    self.rate = rate
    rounds = repetition.rounds
    period = Self.period(self.events)
  }

  /// Changes the rate, which ``due(_:)`` uses.
  mutating func setRate(_ rate: Double) throws(LocationError) {
    try Self.check(rate)
    self.rate = rate
  }

  private static func check(_ rate: Double) throws(LocationError) {
    guard rate > 0, rate.isFinite else {
      throw LocationError(
        .invalidValue,
        "A replay's rate must be finite and above 0, where 1 is the recorded pace; got \(rate).")
    }
  }

  /// The offset of the last event of the last round, counted over all rounds; at most ``longest``.
  var end: Duration {
    guard count > 0 else { return .zero }
    let (round, index) = (count - 1).quotientAndRemainder(dividingBy: events.count)
    let seconds = secondsBefore(round: round) + events[index].offset / .seconds(1)
    guard seconds < Self.longest / .seconds(1) else { return Self.longest }
    return period * round + events[index].offset
  }

  /// The time that playback needs to reach an offset, at most ``longest``.
  func elapsed(to offset: Duration) -> Duration {
    guard rate != 1 else { return min(offset, Self.longest) }
    let seconds = offset / .seconds(1) / rate
    return seconds < Self.longest / .seconds(1) ? .seconds(seconds) : Self.longest
  }

  /// The offset that playback reaches after a time, at most ``end``.
  func offset(after elapsed: Duration) -> Duration {
    guard rate != 1 else { return min(elapsed, end) }
    let seconds = elapsed / .seconds(1) * rate
    return seconds < end / .seconds(1) ? .seconds(seconds) : end
  }

  /// The number of events in all rounds, at most 2⁵³ (9 × 10¹⁵) even for an endless replay, so that
  /// arithmetic here does not overflow.
  var count: Int {
    let maximum = 1 << 53
    guard let rounds else { return events.isEmpty ? 0 : maximum }
    let (count, isTooMany) = events.count.multipliedReportingOverflow(by: rounds)
    return isTooMany ? maximum : min(count, maximum)
  }

  /// Returns the time when an event is due; the greatest duration if it is never due, nil after the
  /// last event.
  func due(_ number: Int) -> Duration? {
    guard number < count else { return nil }
    let (round, index) = number.quotientAndRemainder(dividingBy: events.count)
    let seconds = secondsBefore(round: round) + events[index].offset / .seconds(1)
    guard seconds / rate < Self.longest / .seconds(1) else { return .greatest }
    return rate == 1 ? period * round + events[index].offset : .seconds(seconds / rate)
  }

  /// Returns the event with a number; its time is moved forward by the length of the previous
  /// rounds.
  func event(_ number: Int) -> BackendEvent {
    let (round, index) = number.quotientAndRemainder(dividingBy: events.count)
    let event = events[index].event
    return round == 0 ? event : event.delayed(bySeconds: secondsBefore(round: round))
  }

  private func secondsBefore(round: Int) -> Double { Double(round) * (period / .seconds(1)) }

  /// Returns the number of the first event at or after `number` that is not past at an instant;
  /// `count` if all are past.
  func first(from number: Int, notBefore instant: Duration) -> Int {
    func isPast(_ number: Int) -> Bool { due(number).map { $0 < instant } ?? false }
    guard isPast(number) else { return number }
    var (past, step) = (number, 1)
    while isPast(past + step) {
      past += step
      step *= 2
    }
    var next = min(past + step, count)
    while next - past > 1 {
      let middle = past + (next - past) / 2
      if isPast(middle) { past = middle } else { next = middle }
    }
    return next
  }

  private static func sorted(_ events: [TimedEvent]) throws(LocationError) -> [TimedEvent] {
    for event in events where event.offset < .zero || event.offset > longest {
      throw LocationError(
        .invalidValue,
        "A replay's offsets must be between 0 and a hundred years; got \(event.offset).")
    }
    // `sorted` is stable, so events with equal offsets keep their order.
    return events.sorted { $0.offset < $1.offset }
  }

  /// The track's duration plus one mean interval, so that the end of a round and the start of the
  /// next do not coincide.
  private static func period(_ events: [TimedEvent]) -> Duration {
    let length = events.last?.offset ?? .zero
    guard events.count > 1, length > .zero else { return length + .seconds(1) }
    return length + length / (events.count - 1)
  }
}
