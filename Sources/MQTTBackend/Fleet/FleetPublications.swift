import AsyncLocation
import LocationFleet
import OwnTracks

/// Publishes commands to the devices of a fleet, and confirmations of stored locations.
///
/// The caller of each command is resumed exactly once. Of several waiting confirmations of a
/// device, only the last one is published. A confirmation that is in flight when the connection
/// ends is not published again: the broker may have ended the connection because its rules do not
/// permit the topic. The device then sends its location again, which requests another confirmation.
/// The removal of a confirmation is published again until the broker has acknowledged it.
final class FleetPublications: Sendable {
  private typealias Submit = @Sendable (@escaping @Sendable () -> Void) -> Void

  private struct Call {
    let topic: String
    let payload: [UInt8]
    let continuation: CheckedContinuation<Void, any Error>
    /// Nil until the command is published.
    var publication: PublicationID?
  }

  private struct State {
    /// The unfinished calls by number. Numbers increase in the order of the calls.
    var calls: [UInt64: Call] = [:]
    var lastNumber: UInt64 = 0
    var submit: Submit?
    /// Set once the fleet has ended.
    var closeError: LocationError?
    /// The devices whose confirmations wait.
    var confirmations = DeviceQueue()
    /// The devices whose confirmations are in flight.
    var sentConfirmations: [PublicationID: FleetDevice.ID] = [:]
    /// The erased devices whose removal of the confirmation is not acknowledged yet.
    var removals: Set<FleetDevice.ID> = []
    /// The number of consecutive connections that ended with a confirmation in flight.
    var brokenConnections = 0
    var counts = ConfirmationCounts()
  }

  /// Counts of confirmations.
  struct ConfirmationCounts: Sendable {
    var acknowledged: UInt64 = 0
    var refused: UInt64 = 0
  }

  /// The maximum number of unfinished calls, waiting or in flight.
  static let limit = 1_024
  /// From this number of ``State/brokenConnections`` on, new confirmations are not published, but
  /// counted as refused.
  ///
  /// The nodes of a cluster that fail one after the other break some connections too.
  static let maximumBrokenConnections = 10
  /// The maximum number of publications in flight: published and not acknowledged.
  static let window = 20

  private let state = Locked(State())
  private let base: String
  private let endpoint: String
  private let keys: FleetConfiguration.Keys?
  /// Returns the confirmation of a device; nil for a device that was erased.
  private let confirmation: @Sendable (FleetDevice.ID) -> StoredTimes?
  // SAFETY: only the transport's thread uses it.
  private nonisolated(unsafe) var channel: (any BrokerChannel)?

  init(
    _ configuration: FleetConfiguration,
    confirmation: @escaping @Sendable (FleetDevice.ID) -> StoredTimes? = { _ in nil }
  ) {
    (base, endpoint) = (configuration.base, configuration.broker.endpoint)
    (keys, self.confirmation) = (configuration.keys, confirmation)
  }

  private func topic(of device: FleetDevice.ID, _ kind: OwnTracksTopic.Kind) -> String {
    "\(base)/\(device)/\(kind.rawValue)"
  }

  // MARK: Confirmations

  var confirmationCounts: ConfirmationCounts { state.withLock(\.counts) }

  /// Publishes the confirmations of devices, once there is a connection.
  ///
  /// - Parameter erased: Devices whose confirmation is removed from the broker.
  func confirm(_ devices: [FleetDevice.ID], removing erased: [FleetDevice.ID] = []) {
    guard !(devices.isEmpty && erased.isEmpty) else { return }
    let submit = state.withLock { state in
      guard state.closeError == nil else { return nil as Submit? }
      guard state.brokenConnections < Self.maximumBrokenConnections else {
        state.counts.refused += UInt64(devices.count)
        return nil
      }
      state.removals.formUnion(erased)
      for device in devices + erased { state.confirmations.append(device) }
      return state.submit
    }
    submit? { [self] in publishWaiting() }
  }

  // MARK: Calls

  /// Publishes a command and waits for the broker's acknowledgement.
  func send(_ command: CommandMessage, to device: FleetDevice.ID) async throws {
    let number = state.withLock { state in
      state.lastNumber += 1
      return state.lastNumber
    }
    let topic = topic(of: device, .command)
    let message = OwnTracksMessage.command(command).json
    let payload = try keys?(device).map { try $0.encrypt(message).json } ?? message
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        begin(number, Call(topic: topic, payload: payload, continuation: continuation))
        // A cancellation before `begin` found no call to end.
        if Task.isCancelled { end(number, throwing: CancellationError()) }
      }
    } onCancel: {
      end(number, throwing: CancellationError())
    }
  }

  private func begin(_ number: UInt64, _ call: Call) {
    let (submit, refusal) = state.withLock { state in
      let refusal =
        state.closeError
        ?? (state.calls.count < Self.limit
          ? nil
          : LocationError(
            .backendUnavailable, "\(Self.limit) commands wait already; try again later."))
      if refusal == nil { state.calls[number] = call }
      return (state.submit, refusal)
    }
    if let refusal { return call.continuation.resume(throwing: refusal) }
    submit? { [self] in publishWaiting() }
  }

  private func end(_ number: UInt64, throwing error: (any Error)?) {
    guard let call = state.withLock({ $0.calls.removeValue(forKey: number) }) else { return }
    if let error { call.continuation.resume(throwing: error) } else { call.continuation.resume() }
  }

  // MARK: The connection, on the thread of the transport

  func connected(_ channel: any BrokerChannel) {
    unsafe self.channel = channel
    state.withLock { $0.submit = channel.submit }
    publishWaiting()
  }

  private enum Next {
    case command(UInt64, Call)
    case confirmation(FleetDevice.ID)
  }

  /// Publishes waiting calls in order, and then confirmations, up to the in-flight limit. The
  /// client library would queue further commands itself, and send them even after their callers
  /// were cancelled.
  private func publishWaiting() {
    while let channel = unsafe channel, let next = next(on: channel) {
      let isSent =
        switch next {
        case .command(let number, let call): publish(call, number, on: channel)
        case .confirmation(let device): publishConfirmation(of: device, on: channel)
        }
      guard isSent else { return }
    }
  }

  /// The next publication; nil if none is waiting, or if no more may be in flight.
  private func next(on channel: any BrokerChannel) -> Next? {
    let window = min(Self.window, Int(channel.limits.receiveMaximum))
    return state.withLock { state in
      let waiting = state.calls.filter { $0.value.publication == nil }
      let sent = state.calls.count - waiting.count + state.sentConfirmations.count
      guard sent < window else { return nil }
      if let (number, call) = waiting.min(by: { $0.key < $1.key }) { return .command(number, call) }
      return state.confirmations.popFirst().map(Next.confirmation)
    }
  }

  /// Returns false if the connection has ended.
  private func publish(_ call: Call, _ number: UInt64, on channel: any BrokerChannel) -> Bool {
    guard channel.limits.maximumQuality > 0 else {
      end(
        number,
        throwing: LocationError(
          .unsupported,
          "The broker at \(endpoint) acknowledges no publications (its maximum quality of service is "
            + "0), so that a command may be lost."))
      return true
    }
    switch channel.publish(call.payload, to: call.topic, retained: false) {
    case .sent(let publication):
      // The connection may have ended during the call.
      guard unsafe self.channel === channel else { return false }
      state.withLock { $0.calls[number]?.publication = publication }
    case .refused(let error): end(number, throwing: error)
    case .broken: return false  // It waits for the next connection.
    }
    return true
  }

  /// Returns false if the connection has ended.
  private func publishConfirmation(
    of device: FleetDevice.ID, on channel: any BrokerChannel
  ) -> Bool {
    let stored = confirmation(device)
    let isErased = state.withLock { $0.removals.contains(device) }
    // The device may have been forgotten since, which removes nothing.
    guard stored != nil || isErased else { return true }
    // An empty message removes the one that the broker retains.
    let payload = stored?.json ?? []
    let outcome = channel.publish(
      payload, to: topic(of: device, .stored), retained: channel.limits.keepsRetained)
    return state.withLock { state in
      switch outcome {
      case .sent(let publication):
        guard unsafe self.channel === channel else { break }
        state.sentConfirmations[publication] = device
        return true
      case .refused:
        state.counts.refused += 1
        state.removals.remove(device)
        return true
      case .broken: break
      }
      state.confirmations.append(device)
      return false
    }
  }

  func acknowledged(_ publication: PublicationID, refusal: PublicationRefusal?) {
    let isConfirmation = state.withLock { state in
      guard let device = state.sentConfirmations.removeValue(forKey: publication) else {
        return false
      }
      state.brokenConnections = 0
      // Erased again meanwhile, it waits to be removed again.
      if !state.confirmations.contains(device) { state.removals.remove(device) }
      if refusal == nil { state.counts.acknowledged += 1 } else { state.counts.refused += 1 }
      return true
    }
    if !isConfirmation { commandAcknowledged(publication, refusal) }
    publishWaiting()
  }

  private func commandAcknowledged(_ publication: PublicationID, _ refusal: PublicationRefusal?) {
    let found = state.withLock { state in
      state.calls.first { $0.value.publication == publication }.map { ($0.key, $0.value.topic) }
    }
    if let (number, topic) = found {
      end(
        number,
        throwing: refusal.map {
          LocationError.commandRefused(by: endpoint, topic, reasonCode: $0.reasonCode)
        })
    }
  }

  /// Ends the calls in flight: the broker may or may not have received their commands.
  func disconnected() {
    unsafe channel = nil
    let sent = state.withLock { state in
      state.submit = nil
      if !state.sentConfirmations.isEmpty { state.brokenConnections += 1 }
      state.counts.refused += UInt64(state.sentConfirmations.count)
      for device in state.sentConfirmations.values where state.removals.contains(device) {
        state.confirmations.append(device)
      }
      state.sentConfirmations = [:]
      if state.brokenConnections >= Self.maximumBrokenConnections {
        state.counts.refused += UInt64(state.confirmations.count)
        (state.confirmations, state.removals) = (DeviceQueue(), [])
      }
      return state.calls.filter { $0.value.publication != nil }.keys.sorted()
    }
    for number in sent {
      end(
        number,
        throwing: LocationError(
          .backendUnavailable,
          "The connection to \(endpoint) ended before the broker acknowledged the command; "
            + "it may have arrived."))
    }
  }

  // MARK: The end

  func close(_ error: LocationError) {
    let numbers = state.withLock { state in
      state.closeError = state.closeError ?? error
      state.confirmations = DeviceQueue()
      return state.calls.keys.sorted()
    }
    for number in numbers { end(number, throwing: error) }
  }
}

/// Devices in the order in which they were added, each once.
private struct DeviceQueue {
  private var devices: [FleetDevice.ID] = []
  private var first = 0
  private var members: Set<FleetDevice.ID> = []

  var count: Int { members.count }

  func contains(_ device: FleetDevice.ID) -> Bool { members.contains(device) }

  mutating func append(_ device: FleetDevice.ID) {
    if members.insert(device).inserted { devices.append(device) }
  }

  mutating func popFirst() -> FleetDevice.ID? {
    guard first < devices.count else { return nil }
    let device = devices[first]
    members.remove(device)
    first += 1
    if first > devices.count / 2 {
      devices.removeFirst(first)
      first = 0
    }
    return device
  }
}
