import AsyncLocation
import FoundationEssentials
import GPSDReports
import NMEASentences

/// The state of one receiver on the line between its sentences.
struct LineReceiver: Sendable {
  /// How long a fix waits for the first date of its receiver. Then it gets the host's time.
  static let dateTimeout = Duration.seconds(5)

  let family: TalkerFamily
  let id: ReceiverSelection.ID
  var epochs: NMEAEpochAssembler
  var cycle = CycleStateMachine()
  var first: FirstEpochStateMachine
  var talker = PositionTalker()
  /// Whether the location of the current epoch was delivered before the epoch's end.
  var isDelivered = false
  private var clock = ReceiverClock()
  /// The time of the last fix.
  private var lastTime: NMEAEpochAssembler.Time?
  /// When the first of the last consecutive fixes without a date arrived.
  private var undatedSince: Duration?

  init(
    _ family: TalkerFamily, _ id: ReceiverSelection.ID, today: Int, first: FirstEpochStateMachine
  ) {
    (self.family, self.id, self.first) = (family, id, first)
    epochs = NMEAEpochAssembler(today: today)
  }

  /// Determines the time of a fix. Nil if the fix is not delivered: it belongs to the epoch of the
  /// last one, or there may still come a date.
  mutating func timestamp(
    of fix: NMEAFix, at time: NMEAEpochAssembler.Time, arrival: Duration,
    _ horizon: inout ReceiverClock.Horizon, _ hostTime: () -> Date
  ) -> (Date, SourceInformation.TimeSource)? {
    if time != .unknown, time == lastTime { return nil }
    lastTime = time
    guard case .date(let seconds) = time else {
      clock.lostFix()
      let since = undatedSince ?? arrival
      undatedSince = since
      return arrival - since >= Self.dateTimeout ? (hostTime(), .host) : nil
    }
    undatedSince = nil
    let date = NMEAClock.date(seconds)
    guard clock.accepts(date, &horizon, hostTime: hostTime) else {
      clock.lostFix()
      return (hostTime(), .host)
    }
    clock.fixed(at: date, isThreeDimensional: fix.mode == .threeDimensional)
    return (date, clock.isProved ? .receiver : .provisional)
  }

  /// The time of an epoch's satellites; nil if the receiver's time is not known or plausible.
  mutating func timestamp(
    ofSatellitesAt time: NMEAEpochAssembler.Time, _ horizon: inout ReceiverClock.Horizon,
    _ hostTime: () -> Date
  ) -> Date? {
    guard case .date(let seconds) = time else { return nil }
    let date = NMEAClock.date(seconds)
    return clock.accepts(date, &horizon, hostTime: hostTime) ? date : nil
  }

  mutating func lostFix() { clock.lostFix() }
}
