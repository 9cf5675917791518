import AsyncLocation
import MQTTBackend
import MockBackend
import OwnTracks
import TestSupport
import Testing

@Suite(.needsBroker, .inTurn)
struct MQTTConformanceTests {
  @Test(arguments: [nil, "boat-display"])
  func keepsTheProtocol(_ identifier: String?) async throws {
    let topic = try OwnTracksTopic(user: "jane", device: "boat")
    let conformance = BackendConformance(limit: .seconds(600)) {
      let broker = try await RealBroker()
      let device = try await RawPublisher(to: broker.port)
      let second = Locked(0)
      var configuration = MQTTConfiguration.local(broker)
      configuration.clientIdentifier = identifier
      return BackendConformance.Subject(MQTTBackend(configuration, topic: topic)) { listeners in
        await broker.waitForSubscribers(listeners)
        guard !Task.isCancelled else { return }
        let next = second.withLock { second in
          second += 1
          return second
        }
        try await device.publish([.location(next)])
      }
    }
    for violation in try await conformance.violations() { Issue.record("\(violation)") }
  }
}
