import AsyncLocation
import TestSupport

@testable import MQTTBackend

/// A subscriber in this process that reads every message that a broker sent before it was killed.
///
/// The subscription has quality of service 0, because the system may discard the last bytes of a
/// killed broker if the broker has not read all acknowledgements.
final class BrokerSubscriber: Sendable {
  private let events: AsyncStream<RecordedEvent>
  private let task: Task<Void, Never>

  /// Subscribes, and waits for the broker's confirmation.
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

  /// The next location's seconds since ``PublisherBench/start``; nil at the end of the connection.
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
