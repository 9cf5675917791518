import AsyncLocation
import FoundationEssentials
import GPSDReports
import NMEASentences

/// Converts the sentences of a line to backend events.
///
/// A line may carry the sentences of several receivers, which a multiplexer merges. They are told
/// apart by their talkers (``TalkerFamily``), and one at a time is used, as ``ReceiverSelection``
/// decides: the best one, until it loses its fix, falls silent for 5 s or another has been clearly
/// better for 5 s. The events of the others are dropped: a plotter repeats the position of the
/// receiver that it uses. ``LineDevices`` names them.
struct LiveAssembler: Sendable {
  /// How a sentence was used.
  enum Use: Hashable, Sendable {
    case used
    /// It has nothing that is reported, or it is not of the selected receiver or compass.
    case skipped
    /// Its time or position cannot be read.
    case malformed
  }

  /// The maximum number of receivers; sentences of further ones are skipped.
  static let maximumReceivers = 16
  /// A day before this code was written. A host's clock that is earlier is wrong.
  private static let plausibleDay = CivilTime.days(year: 2026, month: 1, day: 1)

  private let source: String
  private let hostTime: @Sendable () -> Date
  private var receivers: [LineReceiver] = []
  private var selection = ReceiverSelection()
  private var heading = HeadingTalker()
  private var horizon = ReceiverClock.Horizon()
  /// The names of the devices, which remain after ``connectionEnded()``.
  private(set) var devices: LineDevices
  /// When the last byte arrived; before the first one, when the source was opened.
  private var lastByte = Duration.zero
  /// Whether the line was quiet since the source was opened: then no cycle is cut.
  private var wasQuiet = false
  /// The number of epochs so far.
  private(set) var epochCount = 0

  /// - Parameters:
  ///   - source: The source's name.
  ///   - first: The receiver that has the source's name, if it is known from an earlier run.
  ///   - hostTime: Called for a fix without a plausible time, and for headings.
  init(source: String, first: TalkerFamily?, hostTime: @escaping @Sendable () -> Date) {
    (self.source, self.hostTime) = (source, hostTime)
    devices = LineDevices(source: source, first: first)
  }

  /// Handles the opening of the source, and a change of its speed: bytes that precede the next ones
  /// were lost.
  mutating func opened(at now: Duration) { (lastByte, wasQuiet) = (now, false) }

  /// Forgets the receivers, but not their names.
  mutating func connectionEnded() {
    var devices = devices
    devices.connectionEnded()
    self = Self(source: source, first: nil, hostTime: hostTime)
    self.devices = devices
  }

  /// When the first of the open epochs ends unless more arrives, or a held one is delivered.
  var deadline: Duration? {
    var deadline: Duration?
    for receiver in receivers {
      for next in [receiver.cycle.deadline, receiver.first.deadline] {
        if let next { deadline = min(deadline ?? next, next) }
      }
    }
    return deadline
  }

  /// Handles the arrival of bytes of any kind, before their sentences.
  mutating func heard(at arrival: Duration) {
    if arrival - lastByte >= CycleStateMachine.defaultQuietTime { wasQuiet = true }
    lastByte = arrival
    for index in receivers.indices { receivers[index].cycle.heard(at: arrival) }
  }

  /// Handles a valid sentence. Appends the events that it completes.
  mutating func handle(
    _ sentence: NMEASentence, at arrival: Duration, into events: inout [BackendEvent]
  ) -> Use {
    guard sentence.talker != "P" else { return .skipped }
    guard !sentence.hasInvalidTime, !sentence.hasInvalidPosition else { return .malformed }
    if NMEAHeading.types.contains(sentence.type) {
      return handleHeading(sentence, at: arrival, into: &events)
    }
    guard Self.isOfEpoch(sentence), let index = index(of: sentence.talker),
      receivers[index].talker.accepts(sentence)
    else { return .skipped }
    conclude(receivers[index].first.handle(sentence), of: index, at: arrival, into: &events)
    if let epoch = receivers[index].epochs.handle(sentence, line: 0) {
      end(epoch, of: index, before: sentence, at: arrival, into: &events)
    }
    if receivers[index].cycle.handle(sentence, at: arrival), !receivers[index].isDelivered,
      receivers[index].first.isSettled,
      let (fix, time) = receivers[index].epochs.fixSoFar()
    {
      receivers[index].isDelivered = true
      deliver(fix, time, of: index, at: arrival, into: &events)
    }
    return .used
  }

  /// Ends the open epochs whose deadline has passed, and delivers a held one; all of them without a
  /// time.
  mutating func endEpochs(
    dueBy now: Duration?, at arrival: Duration, into events: inout [BackendEvent]
  ) {
    for index in receivers.indices {
      if let deadline = receivers[index].cycle.deadline, now.map({ deadline <= $0 }) ?? true,
        let epoch = receivers[index].epochs.close()
      {
        end(epoch, of: index, before: nil, at: arrival, into: &events)
      }
      if let epoch = receivers[index].first.expire(by: now) {
        conclude(.whole(epoch), of: index, at: arrival, into: &events)
      }
    }
  }

  private static func isOfEpoch(_ sentence: NMEASentence) -> Bool {
    switch sentence.type {
    case "GGA", "GNS", "RMC", "GLL", "VTG", "GSA", "GST", "ZDA", "GSV": true
    default: false
    }
  }

  private mutating func index(of talker: String) -> Int? {
    let family = TalkerFamily(talker)
    if let index = receivers.firstIndex(where: { $0.family == family }) { return index }
    guard receivers.count < Self.maximumReceivers else { return nil }
    let today = max(Self.plausibleDay, CivilTime.split(hostTime()).seconds / 86_400)
    receivers.append(
      LineReceiver(
        family, ReceiverSelection.ID(rawValue: receivers.count), today: today,
        first: FirstEpochStateMachine(isWhole: wasQuiet)))
    return receivers.count - 1
  }
}

// MARK: - Events

extension LiveAssembler {
  /// - Parameter next: The sentence with which the next epoch begins; nil if the line is quiet.
  private mutating func end(
    _ epoch: NMEAEpochAssembler.Epoch, of index: Int, before next: NMEASentence?,
    at arrival: Duration, into events: inout [BackendEvent]
  ) {
    epochCount += 1
    receivers[index].cycle.ended()
    let verdict = receivers[index].first.ended(epoch, before: next, at: arrival)
    conclude(verdict, of: index, at: arrival, into: &events)
  }

  /// Delivers an epoch that is whole.
  private mutating func conclude(
    _ verdict: FirstEpochStateMachine.Verdict?, of index: Int, at arrival: Duration,
    into events: inout [BackendEvent]
  ) {
    switch verdict {
    case nil: break
    case .cut?: receivers[index].cycle.forgetStart()
    case .whole(let epoch)?: deliver(epoch, of: index, at: arrival, into: &events)
    }
  }

  private mutating func deliver(
    _ epoch: NMEAEpochAssembler.Epoch, of index: Int, at arrival: Duration,
    into events: inout [BackendEvent]
  ) {
    let wasDelivered = receivers[index].isDelivered
    receivers[index].isDelivered = false
    if let satellites = epoch.satellites {
      deliver(satellites, epoch, of: index, into: &events)
    }
    if let fix = epoch.fix {
      if !wasDelivered { deliver(fix, epoch.time, of: index, at: arrival, into: &events) }
    } else if epoch.reportsPosition {
      receivers[index].lostFix()
      notify(selection.handle(.lost, of: receivers[index].id, at: arrival), into: &events)
      devices.changed(inUse: familyInUse)
    }
  }

  private mutating func deliver(
    _ fix: NMEAFix, _ time: NMEAEpochAssembler.Time, of index: Int, at arrival: Duration,
    into events: inout [BackendEvent]
  ) {
    guard
      let (timestamp, timeSource) = receivers[index].timestamp(
        of: fix, at: time, arrival: arrival, &horizon, hostTime)
    else { return }
    let family = receivers[index].family
    let source = SourceInformation(
      isSimulated: fix.status == .simulated, deviceID: devices.id(of: family),
      timeSource: timeSource)
    guard let location = try? fix.location(at: timestamp, from: source) else { return }
    let quality = FixQuality(
      mode: fix.mode ?? .twoDimensional, status: fix.status, accuracy: location.horizontalAccuracy)
    let id = receivers[index].id
    notify(selection.handle(.located(quality), of: id, at: arrival), into: &events)
    devices.located(family, inUse: familyInUse)
    guard selection.chosen == id else { return }
    events.append(.location(location))
    guard let course = location.course, !heading.isActive(at: arrival) else { return }
    let courseHeading = try? Heading(
      trueHeading: course, timestamp: timestamp, source: .courseOverGround,
      sourceInformation: source)
    if let courseHeading { events.append(.heading(courseHeading)) }
  }

  private mutating func deliver(
    _ satellites: [Satellite], _ epoch: NMEAEpochAssembler.Epoch, of index: Int,
    into events: inout [BackendEvent]
  ) {
    // A GNSS receiver's satellites are reported even if another device's position is used.
    guard receivers[index].family == .gnss || selection.chosen == receivers[index].id else {
      return
    }
    let timestamp = receivers[index].timestamp(
      ofSatellitesAt: epoch.time, &horizon, hostTime)
    let view = try? SatelliteView(
      timestamp: timestamp, satellites: satellites, dilutionOfPrecision: epoch.fix?.dilution,
      sourceInformation: SourceInformation(
        deviceID: devices.id(of: receivers[index].family),
        timeSource: timestamp == nil ? .host : .receiver))
    if let view { events.append(.satellites(view)) }
  }

  private mutating func handleHeading(
    _ sentence: NMEASentence, at arrival: Duration, into events: inout [BackendEvent]
  ) -> Use {
    // Sentences of headings have no time.
    let family = TalkerFamily(sentence.talker)
    let source = SourceInformation(deviceID: devices.id(of: family), timeSource: .host)
    guard let read = NMEAHeading(sentence) else { return .skipped }
    let value = try? Heading(
      trueHeading: read.trueHeading, magneticHeading: read.magneticHeading,
      timestamp: Timestamp.nearest(hostTime()), source: .compass, sourceInformation: source)
    guard let value else { return .malformed }
    guard heading.selects(sentence, hasTrueHeading: read.trueHeading != nil, at: arrival) else {
      return .skipped
    }
    devices.deliveredHeading(of: family)
    events.append(.heading(value))
    return .used
  }

  private var familyInUse: TalkerFamily? {
    receivers.first { $0.id == selection.chosen }?.family
  }

  private func notify(_ loss: ReceiverSelection.Loss?, into events: inout [BackendEvent]) {
    guard loss != nil else { return }
    events.append(.unavailable(.noFix(String(printable: source))))
  }
}
