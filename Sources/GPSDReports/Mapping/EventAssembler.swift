package import AsyncLocation
package import FoundationEssentials

/// Converts gpsd's reports to backend events.
///
/// It remembers, for each receiver, what a fix takes from other reports: the dilution of precision,
/// the satellite counts, the receiver clock, and whether a compass is active. Reports without a
/// device belong to one unnamed receiver. It prefers one receiver at a time and marks the events of
/// the others as not preferred.
///
/// The TPVs of one epoch become one location; one ``EpochStateMachine`` for each receiver decides
/// this. A held epoch is delivered before any other event about its receiver's fix. Satellite views
/// and compass headings are not delayed. The location uses the data that is known when it is
/// delivered. The receiver selection is updated once for each delivered epoch, not for each report.
package struct EventAssembler {
  /// The maximum number of receivers that are remembered; the one silent longest is evicted.
  package static let maximumReceivers = 64

  /// The kinds of events to produce, set for each chunk. Locations are always produced.
  package var kinds = BackendCapabilities.all
  private var receivers: [ReceiverState] = []
  private var current = 0
  private var reportCount = 0
  private var receiverCount = 0
  private var horizon = ReceiverClock.Horizon()
  /// Nil if every receiver serves subscribers without a `device` option.
  private var selection: ReceiverSelection?
  private var compasses: CompassSelection
  private let configuration: ReceiverSelection.Configuration
  private let names: DeviceNameLimit
  /// False if each report is delivered as its own location.
  private let mergesEpochs: Bool
  /// The number of the current chunk; nil while reports arrive one by one.
  private var chunk: Int?
  /// The number of receivers with a held epoch.
  private var heldCount = 0
  /// The receiver that serves subscribers without a `device` option; nil if there is none or if all
  /// receivers do. Stored, since another module reads it for each report.
  package private(set) var preferred: ReceiverSelection.ID?
  /// The number of reports discarded since the last ``takeDiscardedCount()``.
  package private(set) var discardedCount = 0

  package init() { self.init(selecting: true, ReceiverSelection.Configuration()) }

  package init(
    selecting: Bool, _ configuration: ReceiverSelection.Configuration,
    names: DeviceNameLimit = DeviceNameLimit(), mergesEpochs: Bool = true
  ) {
    self.configuration = configuration
    self.names = names
    self.mergesEpochs = mergesEpochs
    selection = selecting ? ReceiverSelection(configuration) : nil
    compasses = CompassSelection(timeout: configuration.fixTimeout)
  }

  /// Discards all receivers before the next connection.
  package mutating func reset() {
    self = Self(
      selecting: selection != nil, configuration, names: names, mergesEpochs: mergesEpochs)
  }

  /// The name of ``preferred``; nil if it has none.
  package var preferredReceiver: String? {
    guard let preferred else { return nil }
    return receivers.first { $0.id == preferred }?.name
  }

  /// Starts a chunk of reports that arrived together. Their events go into one array, in which a
  /// later report of an epoch updates the event of an earlier one.
  package mutating func beginChunk(_ kinds: BackendCapabilities) {
    self.kinds = kinds
    chunk = (chunk ?? 0) &+ 1
  }

  // MARK: Reports

  // Each method appends the events of a report, if any. `arrival` is on a monotonic clock and is
  // used to detect silent receivers. `hostTime` is called only if the receiver's time is missing or
  // doubtful.

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
    let isPreferred = isPreferred(after: .reported, arrival, to: &events)
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

  /// Handles an IMU report. Its heading is used only while the receiver sends none in ATT reports,
  /// because ATT belongs to the epoch, while IMU is raw and more frequent.
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

  /// Whether any receiver has a held epoch.
  package var holdsEpochs: Bool { heldCount > 0 }

  /// The earliest deadline of the held epochs; nil if none is held.
  package var epochDeadline: Duration? {
    holdsEpochs ? receivers.compactMap(\.epoch.deadline).min() : nil
  }

  /// Delivers the held epochs that are due, or all of them.
  package mutating func closeEpochs(
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

  /// Updates the stored event positions after events were inserted or removed before them.
  package mutating func eventsMoved(from index: Int, by distance: Int) {
    for receiver in receivers.indices where receivers[receiver].epochEvents.lowerBound >= index {
      let old = receivers[receiver].epochEvents
      receivers[receiver].epochEvents = old.lowerBound + distance..<old.upperBound + distance
    }
  }

  /// Returns the number of reports discarded since the last call.
  package mutating func takeDiscardedCount() -> Int {
    defer { discardedCount = 0 }
    return discardedCount
  }

  /// Handles a report of an epoch that has several.
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

  /// Ends the current receiver's epoch when its fix is lost.
  private mutating func closeEpoch(
    _ arrival: Duration, _ hostTime: () -> Date, to events: inout [BackendEvent]
  ) {
    guard receivers[current].epoch.lostFix() else { return }
    deliverEpoch(arrival, hostTime, to: &events)
  }

  /// Delivers the epoch that the current receiver's machine has released.
  @inline(never)
  private mutating func deliverEpoch(
    _ arrival: Duration, _ hostTime: () -> Date, to events: inout [BackendEvent]
  ) {
    heldCount -= 1
    let report = receivers[current].epochReport
    guard let quality = FixQuality(report) else { return }
    deliver(report, quality, arrival, hostTime, to: &events)
  }

  /// Replaces the events of the current receiver's epoch in this chunk.
  private mutating func amendEpoch(
    _ arrival: Duration, _ hostTime: () -> Date, to events: inout [BackendEvent]
  ) {
    let report = receivers[current].epochReport
    let isPreferred = selection == nil || preferred == receivers[current].id
    let preference = ReceiverState.Preference(
      positions: isPreferred,
      courses: isPreferred && (selection == nil || !compasses.isActive(at: arrival)))
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

  // MARK: Receiver selection

  @inline(__always)
  private mutating func located(
    _ quality: FixQuality, _ arrival: Duration, to events: inout [BackendEvent]
  ) -> ReceiverState.Preference {
    guard selection != nil else { return ReceiverState.Preference() }
    let isPreferred = isPreferred(after: .located(quality), arrival, to: &events)
    return ReceiverState.Preference(
      positions: isPreferred, courses: isPreferred && !compasses.isActive(at: arrival))
  }

  /// Passes the event to the receiver selection and reports a resulting loss. Returns whether the
  /// current receiver is preferred.
  @inline(__always)
  private mutating func isPreferred(
    after event: ReceiverSelection.Event, _ arrival: Duration, to events: inout [BackendEvent]
  ) -> Bool {
    let id = receivers[current].id
    guard selection != nil else { return true }
    if let loss = choose(after: event, of: id, arrival) { notify(loss, to: &events) }
    return preferred == id
  }

  /// Passes an event of a receiver to the receiver selection, if there is one, and updates
  /// ``preferred``. Returns why subscribers lost their fixes by it; nil if they did not.
  @inline(__always)
  private mutating func choose(
    after event: ReceiverSelection.Event, of id: ReceiverSelection.ID, _ arrival: Duration
  ) -> ReceiverSelection.Loss? {
    let loss = selection?.handle(event, of: id, at: arrival)
    preferred = selection?.chosen
    return loss
  }

  private mutating func lose(
    _ arrival: Duration, _ hostTime: () -> Date, to events: inout [BackendEvent]
  ) {
    closeEpoch(arrival, hostTime, to: &events)
    let isNewLoss = receivers[current].lose()
    guard selection == nil else {
      _ = isPreferred(after: .lost, arrival, to: &events)
      return
    }
    if isNewLoss { notify(.noFix(receivers[current].id), to: &events) }
  }

  private mutating func remove(
    _ index: Int, _ arrival: Duration, _ hostTime: () -> Date, to events: inout [BackendEvent]
  ) {
    current = index
    closeEpoch(arrival, hostTime, to: &events)
    let id = receivers[index].id
    compasses.remove(id)
    let isNewLoss = receivers[index].removed()
    let loss =
      selection == nil
      ? isNewLoss ? .removed(id) : nil : choose(after: .removed, of: id, arrival)
    if let loss { notify(loss, to: &events) }
  }

  private func notify(_ loss: ReceiverSelection.Loss, to events: inout [BackendEvent]) {
    let (id, words) =
      switch loss {
      case .noFix(let id): (id, "has no fix; check its antenna's view of the sky, and wait.")
      case .silent(let id, let span):
        (id, "has reported no fix for \(span / .seconds(1)) s; is it switched on and connected?")
      case .removed(let id): (id, "is no longer attached to gpsd; plug it in again.")
      }
    let name = receivers.first { $0.id == id }?.name
    let receiver = name.map { "The receiver \(String(printable: $0))" } ?? "The receiver"
    events.append(.unavailable(LocationError(.locationUnknown, "\(receiver) \(words)")))
  }

  // MARK: The receivers

  /// Makes a receiver's state the current one. The fast path is a report of the same receiver as
  /// the last one.
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
    // No event is needed: a receiver that is in use would have reported more recently.
    let forgotten = receivers[oldest].id
    _ = choose(after: .removed, of: forgotten, .zero)
    compasses.remove(forgotten)
    receivers[oldest] = state
    return oldest
  }
}
