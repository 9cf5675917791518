import AsyncLocation

/// The epochs of a receiver that gpsd reported on one connection.
struct ReportedEpochs {
  private struct Epoch {
    let time: Double
    /// The emission number of the last report.
    var number: Int
    var altitude: Double?
    var speed: Double?
    var lastReport: Duration
    var isDelivered = false
  }

  /// The maximum time that an epoch waits for another report.
  private static let epochTimeout = Duration.milliseconds(500)

  private var epochs: [Epoch] = []

  /// The emission number of the first epoch that is not delivered yet.
  var pending: Int? { epochs.first { !$0.isDelivered }?.number }

  /// Records a report of the current epoch or a new one.
  mutating func record(
    _ number: Int, time: Double, altitude: Double?, speed: Double?, at now: Duration
  ) {
    if let last = epochs.indices.last, epochs[last].time == time {
      guard !epochs[last].isDelivered else { return }
      epochs[last].number = number
      epochs[last].altitude = altitude ?? epochs[last].altitude
      epochs[last].speed = speed ?? epochs[last].speed
      epochs[last].lastReport = now
    } else {
      epochs.append(
        Epoch(time: time, number: number, altitude: altitude, speed: speed, lastReport: now))
    }
  }

  /// Records the delivery of an epoch's location. Returns a description of the violation; nil if
  /// there is none.
  mutating func deliver(_ location: Location, time: Double, number: Int) -> String? {
    guard let index = epochs.firstIndex(where: { $0.time == time }) else {
      return "\(number) was not reported"
    }
    let epoch = epochs[index]
    guard !epoch.isDelivered else { return "\(number) is of an epoch that was delivered" }
    guard epochs[..<index].allSatisfy(\.isDelivered) else { return "\(number) overtook another" }
    guard epoch.number == number, location.altitude == epoch.altitude,
      location.speed == epoch.speed
    else { return "\(location) is not the merged value of the reports of \(epoch)" }
    epochs[index].isDelivered = true
    return nil
  }

  /// Whether an epoch is not delivered although the wait for further reports has expired.
  func isOverdue(at now: Duration) -> Bool {
    epochs.contains { !$0.isDelivered && now - $0.lastReport > Self.epochTimeout }
  }

  mutating func forget() { epochs = [] }
}

extension World {
  /// Requires at rest that every epoch is delivered or not yet due.
  func checkEpochs() {
    guard let network else { return }
    if network.connection?.phase == .open {
      require(
        !reportedEpochs.isOverdue(at: clock.now.offset), "46 epochs", "an epoch is not delivered")
    } else {
      require(reportedEpochs.pending == nil, "46 epochs", "an epoch was lost with its connection")
    }
  }

  /// Requires that a loss of fix or connection is emitted after all earlier epochs.
  func checkEpochs(at event: BackendEvent) {
    switch event {
    case .unavailable:
      require(reportedEpochs.pending == nil, "46 epochs", "a loss overtook an epoch")
    case .connection(let state) where state.phase != .connected:
      require(reportedEpochs.pending == nil, "46 epochs", "a disconnection overtook an epoch")
    default: break
    }
  }
}
