package import AsyncLocation

/// Converts gpsd's reports to backend events.
///
/// For each receiver, it stores the data of other reports that a fix needs: the dilution of
/// precision, the satellite counts, the receiver clock, and whether a compass is active. Reports
/// without a device belong to one unnamed receiver. Unless all receivers serve subscribers without
/// a `device` option, one receiver at a time is preferred, and the events of the others are marked
/// as not preferred.
///
/// The TPVs of one epoch are combined into one location, as decided by one ``EpochStateMachine``
/// per receiver. A held epoch is delivered before any other event about its receiver's fix.
/// Satellite views and compass headings are not delayed. A location contains the stored data of the
/// other reports as of its delivery. The receiver selection is updated once for each delivered
/// epoch, not for each report.
package struct EventAssembler {
  /// The maximum number of receivers with stored state; the one that has been silent the longest is
  /// evicted.
  package static let maximumReceivers = 64

  /// The kinds of events to produce, set for each chunk. Locations are always produced.
  package var kinds = BackendCapabilities.all
  private var receivers: [ReceiverState] = []
  /// The index of the receiver whose report or epoch is being handled.
  private var current = 0
  /// The number of reports so far, from which receivers get their ``ReceiverState/lastReport``.
  private var reportCount = 0
  /// The number of receivers so far, from which receivers get their IDs.
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
  /// receivers serve them. Stored, since another module reads it for each report.
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

  /// The name of ``preferred``; nil if no receiver is preferred or it has no name.
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

  // Each method appends the events of a report, if any.

  @inline(__always)
  package mutating func add(_ report: borrowing TPV, to batch: inout EventBatch) {
    select(report.device, to: &batch)
    guard let quality = FixQuality(report) else { return lose(to: &batch) }
    if mergesEpochs {
      let decision = receivers[current].decideEpoch(of: report, chunk: chunk, batch.arrival)
      guard decision == EpochStateMachine.Decision(.deliver) else {
        return perform(decision, report, quality, to: &batch)
      }
    }
    deliver(report, quality, to: &batch)
  }

  @inline(__always)
  private mutating func deliver(
    _ report: borrowing TPV, _ quality: FixQuality, to batch: inout EventBatch
  ) {
    let preference = located(quality, to: &batch)
    let origin = receivers[current].addLocation(of: report, preference, &horizon, to: &batch)
    if let origin, kinds.contains(.headings) {
      receivers[current].addCourse(of: report, origin, preference, to: &batch)
    }
  }

  package mutating func add(_ report: borrowing SKY, to batch: inout EventBatch) {
    select(report.device, to: &batch)
    let isPreferred = isPreferred(after: .reported, to: &batch)
    let isWanted = kinds.contains(.satellites)
    receivers[current].addSatellites(
      of: report, isPreferred: isPreferred, isWanted: isWanted, &horizon, to: &batch)
  }

  package mutating func add(_ report: borrowing ATT, to batch: inout EventBatch) {
    select(report.device, to: &batch)
    guard report.hasHeading else { return }
    receivers[current].lastAttitude = batch.arrival
    addHeading(of: report, to: &batch)
  }

  /// Handles an IMU report. Its heading is used only while the receiver sends none in ATT reports,
  /// because ATT belongs to the epoch, while IMU is raw and more frequent.
  package mutating func add(inertial report: borrowing ATT, to batch: inout EventBatch) {
    select(report.device, to: &batch)
    guard report.hasHeading else { return }
    let lastAttitude = receivers[current].lastAttitude
    if let lastAttitude, batch.arrival - lastAttitude <= configuration.fixTimeout { return }
    addHeading(of: report, to: &batch)
  }

  private mutating func addHeading(of report: borrowing ATT, to batch: inout EventBatch) {
    let isSelected = compasses.selects(receivers[current].id, at: batch.arrival)
    guard kinds.contains(.headings) else { return }
    receivers[current].addHeading(
      of: report, isPreferred: selection == nil || isSelected, &horizon, to: &batch)
  }

  package mutating func add(_ report: borrowing DeviceReport, to batch: inout EventBatch) {
    let path = report.path
    guard report.isRemoved, let index = receivers.firstIndex(where: { $0.name == path }) else {
      return
    }
    remove(index, to: &batch)
  }

  package mutating func add(_ report: GPSDReport, to batch: inout EventBatch) {
    switch report {
    case .tpv(let report): add(report, to: &batch)
    case .sky(let report): add(report, to: &batch)
    case .att(let report): add(report, to: &batch)
    case .imu(let report): add(inertial: report, to: &batch)
    case .device(let report): add(report, to: &batch)
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

  /// Delivers the held epochs that are due by a deadline, or all of them if it is nil, in the order
  /// of their own deadlines.
  package mutating func closeEpochs(dueBy deadline: Duration? = nil, to batch: inout EventBatch) {
    guard holdsEpochs else { return }
    let due = receivers.indices
      .compactMap { index in receivers[index].epoch.deadline.map { (index, $0) } }
      .filter { _, instant in deadline.map { instant <= $0 } ?? true }
      .sorted { $0.1 < $1.1 }
    for (index, _) in due {
      current = index
      receivers[index].epoch.deliveredHeld()
      deliverEpoch(to: &batch)
    }
  }

  /// Updates the stored positions of events at or after an index, after events were inserted or
  /// removed before them.
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

  /// Performs any decision other than the plain delivery of the report.
  @inline(never)
  private mutating func perform(
    _ decision: EpochStateMachine.Decision, _ report: borrowing TPV,
    _ quality: FixQuality, to batch: inout EventBatch
  ) {
    if decision.deliversHeld { deliverEpoch(to: &batch) }
    switch decision.action {
    case .discard: discardedCount += 1
    case .deliver:
      receivers[current].epochReport.replaceNumbers(with: report)
      deliver(report, quality, to: &batch)
    case .hold:
      receivers[current].epochReport.replaceNumbers(with: report)
      heldCount += 1
    case .merge: receivers[current].epochReport.updateNumbers(with: report)
    case .mergeAndDeliver:
      receivers[current].epochReport.updateNumbers(with: report)
      deliverEpoch(to: &batch)
    case .amend:
      receivers[current].epochReport.updateNumbers(with: report)
      amendEpoch(to: &batch)
    }
  }

  /// Ends the current receiver's epoch when its fix is lost.
  private mutating func closeEpoch(to batch: inout EventBatch) {
    guard receivers[current].epoch.lostFix() else { return }
    deliverEpoch(to: &batch)
  }

  /// Delivers the epoch that the current receiver's machine has released.
  @inline(never)
  private mutating func deliverEpoch(to batch: inout EventBatch) {
    heldCount -= 1
    let report = receivers[current].epochReport
    guard let quality = FixQuality(report) else { return }
    deliver(report, quality, to: &batch)
  }

  /// Replaces the events of the current receiver's epoch in this chunk.
  private mutating func amendEpoch(to batch: inout EventBatch) {
    let report = receivers[current].epochReport
    let isPreferred = selection == nil || preferred == receivers[current].id
    let preference = ReceiverState.Preference(
      positions: isPreferred,
      courses: isPreferred && (selection == nil || !compasses.isActive(at: batch.arrival)))
    let old = receivers[current].epochEvents
    let first = batch.events.count
    let origin = receivers[current].addLocation(of: report, preference, &horizon, to: &batch)
    if let origin, kinds.contains(.headings) {
      receivers[current].addCourse(of: report, origin, preference, to: &batch)
    }
    let amended = Array(batch.events[first...])
    batch.events.removeSubrange(first...)
    batch.events.replaceSubrange(old, with: amended)
    eventsMoved(from: old.upperBound, by: amended.count - old.count)
    receivers[current].epochEvents = old.lowerBound..<old.lowerBound + amended.count
  }

  // MARK: Receiver selection

  /// Handles a fix of the current receiver. Returns which of its events also serve subscribers
  /// without a `device` option.
  @inline(__always)
  private mutating func located(
    _ quality: FixQuality, to batch: inout EventBatch
  ) -> ReceiverState.Preference {
    guard selection != nil else { return ReceiverState.Preference() }
    let isPreferred = isPreferred(after: .located(quality), to: &batch)
    return ReceiverState.Preference(
      positions: isPreferred, courses: isPreferred && !compasses.isActive(at: batch.arrival))
  }

  /// Passes an event of the current receiver to the receiver selection and reports a resulting
  /// loss. Returns whether the current receiver is then preferred.
  @inline(__always)
  private mutating func isPreferred(
    after event: ReceiverSelection.Event, to batch: inout EventBatch
  ) -> Bool {
    let id = receivers[current].id
    guard selection != nil else { return true }
    if let loss = choose(after: event, of: id, batch.arrival) { notify(loss, to: &batch) }
    return preferred == id
  }

  /// Passes an event of a receiver to the receiver selection, if there is one, and updates
  /// ``preferred``. Returns why subscribers lost their fixes; nil if they did not.
  @inline(__always)
  private mutating func choose(
    after event: ReceiverSelection.Event, of id: ReceiverSelection.ID, _ arrival: Duration
  ) -> ReceiverSelection.Loss? {
    let loss = selection?.handle(event, of: id, at: arrival)
    preferred = selection?.chosen
    return loss
  }

  /// Handles a report without a fix.
  private mutating func lose(to batch: inout EventBatch) {
    closeEpoch(to: &batch)
    let isNewLoss = receivers[current].lose()
    guard selection == nil else {
      _ = isPreferred(after: .lost, to: &batch)
      return
    }
    if isNewLoss { notify(.noFix(receivers[current].id), to: &batch) }
  }

  /// Handles the removal of a receiver from gpsd.
  private mutating func remove(_ index: Int, to batch: inout EventBatch) {
    current = index
    closeEpoch(to: &batch)
    let id = receivers[index].id
    compasses.remove(id)
    let isNewLoss = receivers[index].removed()
    let loss =
      selection == nil
      ? isNewLoss ? .removed(id) : nil : choose(after: .removed, of: id, batch.arrival)
    if let loss { notify(loss, to: &batch) }
  }

  private func notify(_ loss: ReceiverSelection.Loss, to batch: inout EventBatch) {
    let (id, words) =
      switch loss {
      case .noFix(let id): (id, "has no fix; check its antenna's view of the sky, and wait.")
      case .silent(let id, let span):
        (id, "has reported no fix for \(span / .seconds(1)) s; is it switched on and connected?")
      case .removed(let id): (id, "is no longer attached to gpsd; plug it in again.")
      }
    let name = receivers.first { $0.id == id }?.name
    let receiver = name.map { "The receiver \(String(printable: $0))" } ?? "The receiver"
    batch.events.append(.unavailable(LocationError(.locationUnknown, "\(receiver) \(words)")))
  }

  // MARK: The receivers

  /// Makes a receiver the current one. A report of the same receiver as the last report takes the
  /// fast path.
  @inline(__always)
  private mutating func select(_ name: String?, to batch: inout EventBatch) {
    reportCount &+= 1
    if current >= receivers.count || receivers[current].name != name {
      current = index(of: name, to: &batch)
    }
    receivers[current].lastReport = reportCount
  }

  /// Returns the index of a receiver. The state of a new receiver is created, and replaces that of
  /// the receiver that has been silent the longest if there are too many.
  private mutating func index(of name: String?, to batch: inout EventBatch) -> Int {
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
    closeEpoch(to: &batch)
    // No event is needed: a receiver that is in use would have reported more recently.
    let evicted = receivers[oldest].id
    _ = choose(after: .removed, of: evicted, .zero)
    compasses.remove(evicted)
    receivers[oldest] = state
    return oldest
  }
}
