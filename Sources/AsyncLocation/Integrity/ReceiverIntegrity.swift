/// Assesses the locations of all receivers of a manager, separately for each receiver.
package struct ReceiverIntegrity: Sendable {
  /// Names are external input, so the table is bounded: when it is full, all entries are removed.
  static let rememberedReceivers = 256

  private struct Receiver: Sendable {
    let device: DeviceID
    var machine: IntegrityStateMachine
  }

  private let hostOffset: Double?
  private var receivers: [Receiver] = []
  private var indices: [DeviceID: Int] = [:]
  /// The index of the receiver of the last report: most reports come from the same receiver as the
  /// previous one.
  private var recent = 0
  private var agreement = AgreementCheck()

  var receiverCount: Int { receivers.count }

  /// - Parameter hostOffset: See ``IntegrityStateMachine/init(hostOffset:)``.
  package init(hostOffset: Double? = nil) { self.hostOffset = hostOffset }

  /// Handles a location in order of arrival, and returns the result; nil if it is not assessed.
  ///
  /// - Parameter instant: The arrival on a monotonic clock.
  package mutating func assess(
    _ location: borrowing Location, at instant: Duration
  ) -> LocationIntegrity? {
    guard location.gnss != nil else { return nil }
    let device = location.sourceInformation.deviceID
    select(device)
    guard let own = receivers[recent].machine.assess(location, at: instant) else { return nil }
    let others = agreement.observe(location, of: device, at: instant.approximateSeconds)
    return LocationIntegrity(reasons: own.reasons.union(others))
  }

  /// Handles a view of a receiver's sky.
  ///
  /// - Parameter instant: The arrival on a monotonic clock.
  package mutating func observe(_ view: SatelliteView, at instant: Duration) {
    select(view.sourceInformation.deviceID)
    receivers[recent].machine.observe(view, at: instant)
  }

  /// Discards what is known of every receiver.
  package mutating func reset() { self = Self(hostOffset: hostOffset) }

  private mutating func select(_ device: DeviceID) {
    if recent < receivers.count, receivers[recent].device == device { return }
    if let index = indices[device] {
      recent = index
      return
    }
    if receivers.count >= Self.rememberedReceivers {
      receivers.removeAll()
      indices.removeAll()
    }
    recent = receivers.count
    indices[device] = recent
    receivers.append(
      Receiver(device: device, machine: IntegrityStateMachine(hostOffset: hostOffset)))
  }
}
