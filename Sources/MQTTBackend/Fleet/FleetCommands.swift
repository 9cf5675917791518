import AsyncLocation
import OwnTracks

/// Publishes commands to the devices of a fleet, and resumes each caller exactly once.
final class FleetCommands: Sendable {
  private struct Call {
    let topic: String
    let payload: [UInt8]
    let continuation: CheckedContinuation<Void, any Error>
    /// Nil until the command is published.
    var publication: PublicationID?
  }

  private struct State {
    /// Keyed by number. Numbers increase in the order of the calls.
    var calls: [UInt64: Call] = [:]
    var lastNumber: UInt64 = 0
    var submit: (@Sendable (@escaping @Sendable () -> Void) -> Void)?
    /// Set once the fleet has ended.
    var closeError: LocationError?
  }

  /// The maximum number of unfinished calls, waiting or in flight.
  static let limit = 1_024
  /// The maximum number of commands in flight: published and not acknowledged.
  static let window = 20

  private let state = Locked(State())
  private let base: String
  private let endpoint: String
  private let keys: FleetConfiguration.Keys?
  // SAFETY: only the transport's thread uses it.
  private nonisolated(unsafe) var channel: (any BrokerChannel)?

  init(_ configuration: FleetConfiguration) {
    (base, endpoint) = (configuration.base, configuration.broker.endpoint)
    keys = configuration.keys
  }

  // MARK: Calls

  /// Publishes a command and waits for the broker's acknowledgement.
  func send(_ command: CommandMessage, to device: FleetDevice.ID) async throws {
    let number = state.withLock { state in
      state.lastNumber += 1
      return state.lastNumber
    }
    let topic = "\(base)/\(device)/\(OwnTracksTopic.Kind.command.rawValue)"
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

  /// Publishes waiting calls in order, up to the in-flight limit. The client library would queue
  /// the rest itself and send them even after their callers were cancelled.
  private func publishWaiting() {
    while let channel = unsafe channel {
      let window = min(Self.window, Int(channel.limits.receiveMaximum))
      let next = state.withLock { state -> (number: UInt64, call: Call)? in
        let waiting = state.calls.filter { $0.value.publication == nil }
        guard state.calls.count - waiting.count < window else { return nil }
        return waiting.min { $0.key < $1.key }.map { ($0.key, $0.value) }
      }
      guard let (number, call) = next else { return }
      guard channel.limits.maximumQuality > 0 else {
        end(
          number,
          throwing: LocationError(
            .unsupported,
            "The broker at \(endpoint) acknowledges no publications (its maximum quality of service is "
              + "0), so that a command may be lost."))
        continue
      }
      switch channel.publish(call.payload, to: call.topic, retained: false) {
      case .sent(let publication):
        // The connection may have ended during the call.
        guard unsafe self.channel === channel else { return }
        state.withLock { $0.calls[number]?.publication = publication }
      case .refused(let error): end(number, throwing: error)
      case .broken: return  // It waits for the next connection.
      }
    }
  }

  func acknowledged(_ publication: PublicationID, refusal: PublicationRefusal?) {
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
    publishWaiting()
  }

  /// Ends the calls in flight: the broker may or may not have received their commands.
  func disconnected() {
    unsafe channel = nil
    let sent = state.withLock { state in
      state.submit = nil
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
    let waiting = state.withLock { state in
      state.closeError = state.closeError ?? error
      return state.calls.keys.sorted()
    }
    for number in waiting { end(number, throwing: error) }
  }
}
