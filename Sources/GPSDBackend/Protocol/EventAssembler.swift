package import AsyncLocation
package import FoundationEssentials

/// Turns gpsd's reports into what a location manager hears of.
///
/// It remembers what a fix takes from other reports, by receiver: the geometry, the satellites, the
/// clock, and whether a compass speaks. Reports without a device count as one receiver's.
package struct EventAssembler {
  /// How many receivers are remembered; the one that was silent longest makes room.
  package static let maximumReceivers = 64

  private var receivers: [ReceiverState] = []
  private var current = 0
  private var reportCount = 0
  private var horizon = ReceiverClock.Horizon()

  package init() {}

  /// Forgets all receivers; for the next connection.
  package mutating func reset() { self = Self() }

  /// Appends what a report means, which may be nothing.
  ///
  /// - Parameter hostTime: The host's clock; asked only when a receiver's is missing or doubtful.
  package mutating func add(
    _ report: borrowing GPSDReport, at hostTime: () -> Date, to events: inout [BackendEvent]
  ) {
    switch copy report {
    case .timePositionVelocity(let report):
      select(report.device)
      receivers[current].add(report, &horizon, hostTime, to: &events)
    case .sky(let report):
      select(report.device)
      receivers[current].add(report, &horizon, hostTime, to: &events)
    case .attitude(let report):
      select(report.device)
      receivers[current].add(report, &horizon, hostTime, to: &events)
    case .device(let report) where report.isRemoved:
      guard let index = receivers.firstIndex(where: { $0.name == report.path }) else { return }
      receivers[index].removed(to: &events)
    case .version, .devices, .device, .watch, .error, .pseudorangeNoise, .inertial, .timeOffset,
      .pulse, .oscillator, .poll, .ais, .rtcm2, .rtcm3, .subframe, .raw, .log, .other:
      break
    }
  }

  /// Makes the state of a receiver the current one; most reports are of the same as the last.
  @inline(__always)
  private mutating func select(_ name: String?) {
    reportCount &+= 1
    if current >= receivers.count || receivers[current].name != name { current = index(of: name) }
    receivers[current].lastReport = reportCount
  }

  private mutating func index(of name: String?) -> Int {
    if let index = receivers.firstIndex(where: { $0.name == name }) { return index }
    guard receivers.count >= Self.maximumReceivers,
      let oldest = receivers.indices.min(by: {
        receivers[$0].lastReport < receivers[$1].lastReport
      })
    else {
      receivers.append(ReceiverState(name: name))
      return receivers.count - 1
    }
    receivers[oldest] = ReceiverState(name: name)
    return oldest
  }
}
