package import AsyncLocation
package import FoundationEssentials

/// Turns gpsd's reports into what a location manager hears of.
///
/// It remembers what a fix takes from other reports, by receiver: the geometry, the satellites, the
/// clock, and whether a compass speaks. Reports without a device count as one receiver's. Of
/// several receivers it prefers one at a time, and marks the others' reports.
///
/// The TPVs of one epoch become one location, which ``EpochStateMachine`` decides by receiver. An
/// epoch that is kept is delivered before anything else is said of its receiver's fix. Views of the
/// sky and headings of a compass do not wait for it; the location quotes what is known when it is
/// delivered. The selection among receivers sees an epoch when it is delivered, not each report.
package struct EventAssembler {
  /// How many receivers are remembered; the one that was silent longest makes room.
  package static let maximumReceivers = 64

  /// What is made of reports, told with each chunk; locations always are.
  var kinds = BackendCapabilities.all
  private var receivers: [ReceiverState] = []
  private var current = 0
  private var reportCount = 0
  private var receiverCount = 0
  private var horizon = ReceiverClock.Horizon()
  /// Nil when every receiver serves those who name none.
  private var selection: ReceiverSelection?
  private var compasses: CompassSelection
  private let configuration: ReceiverSelection.Configuration
  private let names: DeviceNameLimit
  /// False when each report is delivered.
  private let mergesEpochs: Bool
  /// Numbers the chunks; nil while reports arrive one by one.
  private var chunk: Int?
  /// How many receivers' epochs are kept.
  private var heldCount = 0
  /// How many reports were discarded, until ``takeDiscardedCount()``.
  private(set) var discardedCount = 0

  package init() { self.init(selecting: true, ReceiverSelection.Configuration()) }

  init(
    selecting: Bool, _ configuration: ReceiverSelection.Configuration,
    names: DeviceNameLimit = DeviceNameLimit(), mergesEpochs: Bool = true
  ) {
    self.configuration = configuration
    self.names = names
    self.mergesEpochs = mergesEpochs
    selection = selecting ? ReceiverSelection(configuration) : nil
    compasses = CompassSelection(timeout: configuration.fixTimeout)
  }

  /// Forgets all receivers; for the next connection.
  package mutating func reset() {
    self = Self(
      selecting: selection != nil, configuration, names: names, mergesEpochs: mergesEpochs)
  }

  /// The receiver that serves those who name none; nil while there is none and when all do.
  var preferred: ReceiverSelection.ID? { selection?.chosen }

  /// The name of ``preferred``; nil for one that has none.
  package var preferredReceiver: String? {
    guard let chosen = selection?.chosen else { return nil }
    return receivers.first { $0.id == chosen }?.name
  }

  /// Begins to make events of what arrived at once. They are added to one array, where a later report
  /// of an epoch completes the event of an earlier one.
  mutating func beginChunk(_ kinds: BackendCapabilities) {
    self.kinds = kinds
    chunk = (chunk ?? 0) &+ 1
  }

  // MARK: Reports

  // Each appends what a report means, which may be nothing. The arrival, on a monotonic clock, decides
  // who is silent; the host's clock is asked only when a receiver's is missing or doubtful.

  @inline(__always)
  package mutating func add(
    _ report: borrowing TPV, arrival: Duration, at hostTime: () -> Date,
    to events: inout [BackendEvent]
  ) {
    select(report.device, arrival, hostTime, to: &events)
    guard let quality = FixQuality(report) else { return lose(arrival, hostTime, to: &events) }
    if mergesEpochs {
      let decision = receivers[current].take(report, chunk: chunk, arrival)
      guard decision == EpochStateMachine.Decision(.deliver) else {
        return perform(decision, report, quality, arrival, hostTime, to: &events)
      }
    }
    deliver(report, quality, arrival, hostTime, to: &events)
  }

  @inline(__always)
  private mutating func deliver(
    _ report: borrowing TPV, _ quality: FixQuality, _ arrival: Duration,
    _ hostTime: () -> Date, to events: inout [BackendEvent]
  ) {
    let preference = located(quality, arrival, to: &events)
    let origin = receivers[current].add(report, preference, &horizon, hostTime, to: &events)
    if let origin, kinds.contains(.headings) {
      receivers[current].addCourse(of: report, origin, preference, to: &events)
    }
  }

  package mutating func add(
    _ report: borrowing SKY, arrival: Duration, at hostTime: () -> Date,
    to events: inout [BackendEvent]
  ) {
    select(report.device, arrival, hostTime, to: &events)
    let isPreferred = isPreferred(after: .heard, arrival, to: &events)
    let isWanted = kinds.contains(.satellites)
    receivers[current].add(
      report, isPreferred: isPreferred, isWanted: isWanted, &horizon, hostTime, to: &events)
  }

  package mutating func add(
    _ report: borrowing ATT, arrival: Duration, at hostTime: () -> Date,
    to events: inout [BackendEvent]
  ) {
    select(report.device, arrival, hostTime, to: &events)
    guard report.hasHeading else { return }
    receivers[current].lastAttitude = arrival
    addHeading(of: report, arrival, hostTime, to: &events)
  }

  /// Takes an IMU report. Its heading counts only while the receiver sends none by ATT, which is of
  /// the epoch where IMU is raw and more frequent.
  package mutating func add(
    inertial report: borrowing ATT, arrival: Duration, at hostTime: () -> Date,
    to events: inout [BackendEvent]
  ) {
    select(report.device, arrival, hostTime, to: &events)
    guard report.hasHeading else { return }
    if let last = receivers[current].lastAttitude, arrival - last <= configuration.fixTimeout {
      return
    }
    addHeading(of: report, arrival, hostTime, to: &events)
  }

  private mutating func addHeading(
    of report: borrowing ATT, _ arrival: Duration, _ hostTime: () -> Date,
    to events: inout [BackendEvent]
  ) {
    let serves = compasses.serves(receivers[current].id, at: arrival)
    guard kinds.contains(.headings) else { return }
    receivers[current].add(
      report, isPreferred: selection == nil || serves, &horizon, hostTime, to: &events)
  }

  package mutating func add(
    _ report: borrowing DeviceReport, arrival: Duration, at hostTime: () -> Date,
    to events: inout [BackendEvent]
  ) {
    let path = report.path
    guard report.isRemoved, let index = receivers.firstIndex(where: { $0.name == path }) else {
      return
    }
    remove(index, arrival, hostTime, to: &events)
  }

  package mutating func add(
    _ report: GPSDReport, arrival: Duration = .zero, at hostTime: () -> Date,
    to events: inout [BackendEvent]
  ) {
    switch report {
    case .tpv(let report):
      add(report, arrival: arrival, at: hostTime, to: &events)
    case .sky(let report): add(report, arrival: arrival, at: hostTime, to: &events)
    case .att(let report): add(report, arrival: arrival, at: hostTime, to: &events)
    case .imu(let report):
      add(inertial: report, arrival: arrival, at: hostTime, to: &events)
    case .device(let report): add(report, arrival: arrival, at: hostTime, to: &events)
    case .version, .devices, .watch, .error, .gst, .toff, .pps, .osc,
      .poll, .ais, .rtcm2, .rtcm3, .subframe, .raw, .log, .other:
      break
    }
  }

  // MARK: Epochs

  /// Whether an epoch of any receiver is kept.
  var holdsEpochs: Bool { heldCount > 0 }

  /// When the first epoch that is kept counts as complete; nil when none is.
  var epochDeadline: Duration? {
    holdsEpochs ? receivers.compactMap(\.epoch.deadline).min() : nil
  }

  /// Delivers the epochs that are kept: those that are due, or all.
  mutating func closeEpochs(
    dueBy deadline: Duration? = nil, arrival: Duration, at hostTime: () -> Date,
    to events: inout [BackendEvent]
  ) {
    guard holdsEpochs else { return }
    let due = receivers.indices
      .compactMap { index in receivers[index].epoch.deadline.map { (index, $0) } }
      .filter { _, instant in deadline.map { instant <= $0 } ?? true }
      .sorted { $0.1 < $1.1 }
    for (index, _) in due {
      current = index
      receivers[index].epoch.deliveredHeld()
      deliverEpoch(arrival, hostTime, to: &events)
    }
  }

  /// Tells where events are that were moved on because another was put before them.
  mutating func eventsMoved(from index: Int, by distance: Int) {
    for receiver in receivers.indices where receivers[receiver].epochEvents.lowerBound >= index {
      let old = receivers[receiver].epochEvents
      receivers[receiver].epochEvents = old.lowerBound + distance..<old.upperBound + distance
    }
  }

  /// How many reports were discarded since the last call.
  mutating func takeDiscardedCount() -> Int {
    defer { discardedCount = 0 }
    return discardedCount
  }

  /// Takes a report of an epoch that has several.
  @inline(never)
  private mutating func perform(
    _ decision: EpochStateMachine.Decision, _ report: borrowing TPV,
    _ quality: FixQuality, _ arrival: Duration, _ hostTime: () -> Date,
    to events: inout [BackendEvent]
  ) {
    if decision.deliversHeld { deliverEpoch(arrival, hostTime, to: &events) }
    switch decision.action {
    case .discard: discardedCount += 1
    case .deliver:
      receivers[current].epochReport.replaceNumbers(with: report)
      deliver(report, quality, arrival, hostTime, to: &events)
    case .hold:
      receivers[current].epochReport.replaceNumbers(with: report)
      heldCount += 1
    case .merge: receivers[current].epochReport.updateNumbers(with: report)
    case .mergeAndDeliver:
      receivers[current].epochReport.updateNumbers(with: report)
      deliverEpoch(arrival, hostTime, to: &events)
    case .amend:
      receivers[current].epochReport.updateNumbers(with: report)
      amendEpoch(arrival, hostTime, to: &events)
    }
  }

  /// The current receiver's epoch ends with its fix.
  private mutating func closeEpoch(
    _ arrival: Duration, _ hostTime: () -> Date, to events: inout [BackendEvent]
  ) {
    guard receivers[current].epoch.lostFix() else { return }
    deliverEpoch(arrival, hostTime, to: &events)
  }

  /// Delivers what the current receiver's machine no longer keeps.
  @inline(never)
  private mutating func deliverEpoch(
    _ arrival: Duration, _ hostTime: () -> Date, to events: inout [BackendEvent]
  ) {
    heldCount -= 1
    let report = receivers[current].epochReport
    guard let quality = FixQuality(report) else { return }
    deliver(report, quality, arrival, hostTime, to: &events)
  }

  /// Makes the events anew that the current receiver's epoch has in this chunk.
  private mutating func amendEpoch(
    _ arrival: Duration, _ hostTime: () -> Date, to events: inout [BackendEvent]
  ) {
    let report = receivers[current].epochReport
    let isPreferred = selection == nil || selection?.chosen == receivers[current].id
    let preference = ReceiverState.Preference(
      positions: isPreferred,
      courses: isPreferred && (selection == nil || !compasses.speaks(at: arrival)))
    let old = receivers[current].epochEvents
    let first = events.count
    let origin = receivers[current].add(report, preference, &horizon, hostTime, to: &events)
    if let origin, kinds.contains(.headings) {
      receivers[current].addCourse(of: report, origin, preference, to: &events)
    }
    let amended = Array(events[first...])
    events.removeSubrange(first...)
    events.replaceSubrange(old, with: amended)
    eventsMoved(from: old.upperBound, by: amended.count - old.count)
    receivers[current].epochEvents = old.lowerBound..<old.lowerBound + amended.count
  }

  // MARK: Which receivers serve

  @inline(__always)
  private mutating func located(
    _ quality: FixQuality, _ arrival: Duration, to events: inout [BackendEvent]
  ) -> ReceiverState.Preference {
    guard selection != nil else { return ReceiverState.Preference() }
    let isPreferred = isPreferred(after: .located(quality), arrival, to: &events)
    return ReceiverState.Preference(
      positions: isPreferred, courses: isPreferred && !compasses.speaks(at: arrival))
  }

  /// Tells the selection of the current receiver, and the loss that this may be.
  @inline(__always)
  private mutating func isPreferred(
    after event: ReceiverSelection.Event, _ arrival: Duration, to events: inout [BackendEvent]
  ) -> Bool {
    let id = receivers[current].id
    guard selection != nil else { return true }
    if let loss = selection?.handle(event, of: id, at: arrival) { notify(loss, to: &events) }
    return selection?.chosen == id
  }

  private mutating func lose(
    _ arrival: Duration, _ hostTime: () -> Date, to events: inout [BackendEvent]
  ) {
    closeEpoch(arrival, hostTime, to: &events)
    let isNews = receivers[current].lose()
    guard selection == nil else {
      _ = isPreferred(after: .lost, arrival, to: &events)
      return
    }
    if isNews { notify(.noFix(receivers[current].id), to: &events) }
  }

  private mutating func remove(
    _ index: Int, _ arrival: Duration, _ hostTime: () -> Date, to events: inout [BackendEvent]
  ) {
    current = index
    closeEpoch(arrival, hostTime, to: &events)
    let id = receivers[index].id
    compasses.remove(id)
    let isNews = receivers[index].removed()
    let loss =
      selection == nil
      ? isNews ? .removed(id) : nil : selection?.handle(.removed, of: id, at: arrival)
    if let loss { notify(loss, to: &events) }
  }

  private func notify(_ loss: ReceiverSelection.Loss, to events: inout [BackendEvent]) {
    let (id, words) =
      switch loss {
      case .noFix(let id): (id, "has no fix; give it time and its antenna a free view of the sky.")
      case .silent(let id, let span):
        (id, "has given no fix for \(span / .seconds(1)) s; is it switched on and connected?")
      case .removed(let id): (id, "is no longer attached to gpsd; plug it in again.")
      }
    let name = receivers.first { $0.id == id }?.name
    let receiver = name.map { "The receiver \(String(printable: $0))" } ?? "The receiver"
    events.append(.unavailable(LocationError(.locationUnknown, "\(receiver) \(words)")))
  }

  // MARK: The receivers

  /// Makes the state of a receiver the current one; most reports are of the same as the last.
  @inline(__always)
  private mutating func select(
    _ name: String?, _ arrival: Duration, _ hostTime: () -> Date, to events: inout [BackendEvent]
  ) {
    reportCount &+= 1
    if current >= receivers.count || receivers[current].name != name {
      current = index(of: name, arrival, hostTime, to: &events)
    }
    receivers[current].lastReport = reportCount
  }

  private mutating func index(
    of name: String?, _ arrival: Duration, _ hostTime: () -> Date, to events: inout [BackendEvent]
  ) -> Int {
    if let index = receivers.firstIndex(where: { $0.name == name }) { return index }
    receiverCount += 1
    let state = ReceiverState(
      name: name, device: names.identifier(of: name),
      id: ReceiverSelection.ID(rawValue: receiverCount))
    guard receivers.count >= Self.maximumReceivers,
      let oldest = receivers.indices.min(by: {
        receivers[$0].lastReport < receivers[$1].lastReport
      })
    else {
      receivers.append(state)
      return receivers.count - 1
    }
    current = oldest
    closeEpoch(arrival, hostTime, to: &events)
    // Forgotten without a word: a receiver that served would have reported.
    let forgotten = receivers[oldest].id
    _ = selection?.handle(.removed, of: forgotten, at: .zero)
    compasses.remove(forgotten)
    receivers[oldest] = state
    return oldest
  }
}
