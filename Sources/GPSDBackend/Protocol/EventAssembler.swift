package import AsyncLocation
package import FoundationEssentials

/// Turns gpsd's reports into what a location manager hears of.
///
/// It remembers what a fix takes from other reports, by receiver: the geometry, the satellites, the
/// clock, and whether a compass speaks. Reports without a device count as one receiver's. Of
/// several receivers it prefers one at a time, and marks the others' reports.
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

  package init() { self.init(selecting: true, ReceiverSelection.Configuration()) }

  init(selecting: Bool, _ configuration: ReceiverSelection.Configuration) {
    self.configuration = configuration
    selection = selecting ? ReceiverSelection(configuration) : nil
    compasses = CompassSelection(timeout: configuration.fixTimeout)
  }

  /// Forgets all receivers; for the next connection.
  package mutating func reset() {
    self = Self(selecting: selection != nil, configuration)
  }

  /// The receiver that serves those who name none; nil while there is none and when all do.
  var preferred: ReceiverSelection.ID? { selection?.chosen }

  /// The name of ``preferred``; nil for one that has none.
  package var preferredReceiver: String? {
    guard let chosen = selection?.chosen else { return nil }
    return receivers.first { $0.id == chosen }?.name
  }

  // MARK: Reports

  // Each appends what a report means, which may be nothing. The arrival, on a monotonic clock, decides
  // who is silent; the host's clock is asked only when a receiver's is missing or doubtful.

  @inline(__always)
  package mutating func add(
    _ report: borrowing TimePositionVelocityReport, arrival: Duration, at hostTime: () -> Date,
    to events: inout [BackendEvent]
  ) {
    select(report.device)
    guard let quality = FixQuality(report) else { return lose(arrival, to: &events) }
    let preference = located(quality, arrival, to: &events)
    let origin = receivers[current].add(report, preference, &horizon, hostTime, to: &events)
    if let origin, kinds.contains(.headings) {
      receivers[current].addCourse(of: report, origin, preference, to: &events)
    }
  }

  package mutating func add(
    _ report: borrowing SkyReport, arrival: Duration, at hostTime: () -> Date,
    to events: inout [BackendEvent]
  ) {
    select(report.device)
    let isPreferred = isPreferred(after: .heard, arrival, to: &events)
    let isWanted = kinds.contains(.satellites)
    receivers[current].add(
      report, isPreferred: isPreferred, isWanted: isWanted, &horizon, hostTime, to: &events)
  }

  package mutating func add(
    _ report: borrowing AttitudeReport, arrival: Duration, at hostTime: () -> Date,
    to events: inout [BackendEvent]
  ) {
    select(report.device)
    guard report[.heading] != nil || report[.magneticHeading] != nil else { return }
    let serves = compasses.serves(receivers[current].id, at: arrival)
    guard kinds.contains(.headings) else { return }
    receivers[current].add(
      report, isPreferred: selection == nil || serves, &horizon, hostTime, to: &events)
  }

  package mutating func add(
    _ report: borrowing DeviceReport, arrival: Duration, to events: inout [BackendEvent]
  ) {
    let path = report.path
    guard report.isRemoved, let index = receivers.firstIndex(where: { $0.name == path }) else {
      return
    }
    remove(index, arrival, to: &events)
  }

  package mutating func add(
    _ report: GPSDReport, arrival: Duration = .zero, at hostTime: () -> Date,
    to events: inout [BackendEvent]
  ) {
    switch report {
    case .timePositionVelocity(let report):
      add(report, arrival: arrival, at: hostTime, to: &events)
    case .sky(let report): add(report, arrival: arrival, at: hostTime, to: &events)
    case .attitude(let report), .inertial(let report):
      add(report, arrival: arrival, at: hostTime, to: &events)
    case .device(let report): add(report, arrival: arrival, to: &events)
    case .version, .devices, .watch, .error, .pseudorangeNoise, .timeOffset, .pulse, .oscillator,
      .poll, .ais, .rtcm2, .rtcm3, .subframe, .raw, .log, .other:
      break
    }
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
    if let loss = selection?.handle(event, of: id, at: arrival) { tell(loss, to: &events) }
    return selection?.chosen == id
  }

  private mutating func lose(_ arrival: Duration, to events: inout [BackendEvent]) {
    let isNews = receivers[current].lose()
    guard selection == nil else {
      _ = isPreferred(after: .lost, arrival, to: &events)
      return
    }
    if isNews { tell(.noFix(receivers[current].id), to: &events) }
  }

  private mutating func remove(
    _ index: Int, _ arrival: Duration, to events: inout [BackendEvent]
  ) {
    let id = receivers[index].id
    compasses.remove(id)
    let isNews = receivers[index].removed()
    let loss =
      selection == nil
      ? isNews ? .removed(id) : nil : selection?.handle(.removed, of: id, at: arrival)
    if let loss { tell(loss, to: &events) }
  }

  private func tell(_ loss: ReceiverSelection.Loss, to events: inout [BackendEvent]) {
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
  private mutating func select(_ name: String?) {
    reportCount &+= 1
    if current >= receivers.count || receivers[current].name != name { current = index(of: name) }
    receivers[current].lastReport = reportCount
  }

  private mutating func index(of name: String?) -> Int {
    if let index = receivers.firstIndex(where: { $0.name == name }) { return index }
    receiverCount += 1
    let state = ReceiverState(name: name, id: ReceiverSelection.ID(rawValue: receiverCount))
    guard receivers.count >= Self.maximumReceivers,
      let oldest = receivers.indices.min(by: {
        receivers[$0].lastReport < receivers[$1].lastReport
      })
    else {
      receivers.append(state)
      return receivers.count - 1
    }
    // Forgotten without a word: a receiver that served would have reported.
    let forgotten = receivers[oldest].id
    _ = selection?.handle(.removed, of: forgotten, at: .zero)
    compasses.remove(forgotten)
    receivers[oldest] = state
    return oldest
  }
}
