import AsyncLocation
import Glibc
import TestSupport
import Testing

@testable import MQTTBackend

/// Connections to a real broker.
@Suite(.enabled(if: RealBroker.isInstalled, "mosquitto is not installed"), .inTurn)
struct BrokerRunTests {
  /// "localhost" is `::1` first, where the broker does not listen.
  @Test(arguments: ["127.0.0.1", "localhost"])
  func aMessageComesBack(_ host: String) async throws {
    let broker = try RealBroker()
    let recorder = RecordingHandler()
    let events = recorder.events
    recorder.onConnected = { channel in
      _ = channel.publish(Array("hello".utf8), to: "a/b", retained: false)
    }
    let run = try BrokerRun(
      MQTTConfiguration(host: host, port: broker.port),
      BrokerRun.Role(subscriptions: [.init(filter: "a/#")]), identifier: "one", handler: recorder)
    let task = Task { try await run.run() }
    var seen: [RecordedEvent] = []
    for await event in events {
      seen.append(event)
      if case .received = event { break }
    }
    #expect(seen.contains(.connected(resumesSession: false)))
    #expect(seen.contains(.received(topic: "a/b", payload: "hello", isRetained: false)))
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  /// A program that is started while a client is connected does not inherit the connection.
  @Test func childrenInheritNoConnection() async throws {
    let broker = try RealBroker()
    let recorder = RecordingHandler()
    let events = recorder.events
    let run = try BrokerRun(
      MQTTConfiguration(host: "127.0.0.1", port: broker.port), BrokerRun.Role(), identifier: "one",
      handler: recorder)
    let task = Task { try await run.run() }
    for await event in events {
      if case .connected = event { break }
    }
    let descriptors = (0..<Int32(20_000)).filter { peerPort(of: $0) == broker.port }
    #expect(!descriptors.isEmpty)
    for descriptor in descriptors {
      #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0)
    }
    task.cancel()
    _ = await task.result
  }
}
