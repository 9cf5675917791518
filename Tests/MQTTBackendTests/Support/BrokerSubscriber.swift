import AsyncLocation
import TestSupport

@testable import MQTTBackend

/// A subscriber in this process, which reads every message that a broker sent before it was killed.
///
/// It sends no acknowledgements: if a killed broker has not read all of them, the system discards
/// the bytes that it sent.
final class BrokerSubscriber: Sendable {
  private let events: AsyncStream<RecordedEvent>
  private let task: Task<Void, Never>

  /// Returns when the broker has confirmed the subscription.
  init(
    to filter: String, of broker: RealBroker, keepAlive: Duration = .seconds(600)
  ) async throws {
    var configuration = MQTTConfiguration.local(broker)
    configuration.keepAlive = keepAlive
    configuration.reconnection = .never
    let recorder = RecordingHandler()
    events = recorder.events
    let run = try BrokerRun(
      configuration, BrokerRun.Role(subscriptions: [.init(filter: filter, quality: 0)]),
      identifier: BrokerRun.randomIdentifier(), handler: recorder)
    task = Task { try? await run.run() }
    for await event in events {
      if case .connected = event { break }
    }
  }

  deinit { task.cancel() }

  /// The second of the next location; nil at the end of the connection.
  func nextSecond() async -> Int? {
    while let message = await next() {
      if let second = message.seconds { return second }
    }
    return nil
  }

  /// The next message; nil at the end of the connection.
  func next() async -> ForeignSubscriber.Message? {
    for await event in events {
      switch event {
      case .received(let topic, let payload, _):
        return ForeignSubscriber.Message(topic: topic, payload: payload)
      case .disconnected: return nil
      case .connected, .acknowledged, .changed: break
      }
    }
    return nil
  }
}
