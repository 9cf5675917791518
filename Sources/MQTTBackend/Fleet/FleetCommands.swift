import AsyncLocation
import OwnTracks

/// Publishes commands to the devices of a fleet, and resumes each caller exactly once.
final class FleetCommands: Sendable {
  private struct Call {
    let topic: String
    let payload: [UInt8]
    let continuation: CheckedContinuation<Void, any Error>
    /// Nil while it waits for a connection.
    var publication: PublicationID?
  }

  private struct State {
    /// By number, in the order of the calls.
    var calls: [UInt64: Call] = [:]
    var lastNumber: UInt64 = 0
    var submit: (@Sendable (@escaping @Sendable () -> Void) -> Void)?
    /// Set once the fleet has ended.
    var end: LocationError?
  }

  /// The number of calls that may wait.
  static let limit = 1_024

  private let state = Locked(State())
  private let base: String
  private let endpoint: String
  // SAFETY: only the transport's thread uses it.
  private nonisolated(unsafe) var channel: (any BrokerChannel)?

  init(_ configuration: FleetConfiguration) {
    (base, endpoint) = (configuration.base, configuration.broker.endpoint)
  }

  // MARK: Calls

  /// Returns when the broker has acknowledged the command.
  func send(_ command: CommandMessage, to device: FleetDevice.ID) async throws {
    let number = state.withLock { state in
      state.lastNumber += 1
      return state.lastNumber
    }
    let topic = "\(base)/\(device)/\(OwnTracksTopic.Kind.command.rawValue)"
    let payload = OwnTracksMessage.command(command).json
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        begin(number, Call(topic: topic, payload: payload, continuation: continuation))
        // A cancellation that came before found no call.
        if Task.isCancelled { end(number, throwing: CancellationError()) }
      }
    } onCancel: {
      end(number, throwing: CancellationError())
    }
  }

  private func begin(_ number: UInt64, _ call: Call) {
    let (submit, refusal) = state.withLock { state in
      let refusal =
        state.end
        ?? (state.calls.count < Self.limit
          ? nil
          : LocationError(
            .backendUnavailable, "\(Self.limit) commands wait already; try again later."))
      if refusal == nil { state.calls[number] = call }
      return (state.submit, refusal)
    }
    if let refusal { return call.continuation.resume(throwing: refusal) }
    submit? { [self] in publish(number) }
  }

  private func end(_ number: UInt64, throwing error: (any Error)?) {
    guard let call = state.withLock({ $0.calls.removeValue(forKey: number) }) else { return }
    if let error { call.continuation.resume(throwing: error) } else { call.continuation.resume() }
  }

  // MARK: The connection, on the thread of the transport

  func connected(_ channel: any BrokerChannel) {
    unsafe self.channel = channel
    let waiting = state.withLock { state in
      state.submit = channel.submit
      return state.calls.keys.sorted()
    }
    for number in waiting { publish(number) }
  }

  private func publish(_ number: UInt64) {
    guard let channel = unsafe channel,
      let call = state.withLock({ $0.calls[number] }), call.publication == nil
    else { return }
    switch channel.publish(call.payload, to: call.topic, retained: false) {
    case .sent(let publication): state.withLock { $0.calls[number]?.publication = publication }
    case .refused(let error): end(number, throwing: error)
    case .broken: break  // It waits for the next connection.
    }
  }

  func acknowledged(_ publication: PublicationID, refusal: PublicationRefusal?) {
    let found = state.withLock { state in
      state.calls.first { $0.value.publication == publication }.map { ($0.key, $0.value.topic) }
    }
    guard let (number, topic) = found else { return }
    end(
      number,
      throwing: refusal.map {
        LocationError.commandRefused(by: endpoint, topic, reasonCode: $0.reasonCode)
      })
  }

  /// Ends the calls whose command may have been sent or not.
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
      state.end = state.end ?? error
      return state.calls.keys.sorted()
    }
    for number in waiting { end(number, throwing: error) }
  }
}
