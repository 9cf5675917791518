import AsyncLocation
import Glibc
import TestSupport
import Testing

@testable import MQTTBackend

/// Connections to a real broker.
@Suite(.needsBroker, .inTurn)
struct BrokerRunTests {
  /// "localhost" resolves to `::1` first, where the broker does not listen.
  @Test(arguments: ["127.0.0.1", "localhost"])
  func aMessageComesBack(_ host: String) async throws {
    let broker = try await RealBroker()
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

  /// A broker that ends a connection may state why. Mosquitto 2.0 closes without a reason.
  @Test(arguments: [
    (UInt8(0x8E), BrokerRefusal.takenOver, "identifier"),
    (0x8B, .other(reasonCode: 0x8B), "shutting down"), (0x98, .other(reasonCode: 0x98), "dmin"),
  ])
  func reportsTheDisconnectReason(
    code: UInt8, cause: BrokerRefusal, text: String
  ) async throws {
    let server = ScriptedServer(.sendAndClose([0x20, 3, 0, 0, 0, 0xE0, 2, code, 0]))
    let recorder = RecordingHandler()
    let events = recorder.events
    let run = try BrokerRun(
      MQTTConfiguration(
        host: "127.0.0.1", port: server.port,
        reconnection: .exponential(initial: .seconds(10_000), maximum: .seconds(10_000))),
      BrokerRun.Role(), identifier: "one", handler: recorder)
    let task = Task { try await run.run() }
    var seen: [RecordedEvent] = []
    var problem: LocationError?
    for await event in events {
      seen.append(event)
      guard case .changed(let state) = event, state.phase == .waiting else { continue }
      problem = state.problem
      break
    }
    #expect(seen.contains(.connected(resumesSession: false)))
    #expect(problem?.code == .connectionLost)
    #expect(problem?.cause as? BrokerRefusal == cause)
    #expect(problem?.message.contains(text) == true, "\(String(describing: problem))")
    task.cancel()
    _ = await task.result
  }

  /// A will states when its connection began, so that a receiver can ignore the will of an earlier
  /// connection.
  @Test func eachConnectionHasAWillOfItsOwn() async throws {
    let relay = Relay(to: 1)  // Nothing listens there.
    let wills = Locked(0)
    let trial = try await ConnectionTrial(
      MQTTConfiguration(
        host: "127.0.0.1", port: relay.port,
        reconnection: .exponential(
          initial: .milliseconds(10), maximum: .milliseconds(10), attempts: 3)),
      BrokerRun.Role(will: {
        wills.withLock { $0 += 1 }
        return BrokerOptions.Message(topic: "a", payload: [])
      }))
    #expect(trial.waits.count == 2)
    #expect(wills.withLock { $0 } == 3)
  }

  /// The descriptors are closed when another program is started.
  @Test func childrenInheritNoConnection() async throws {
    let broker = try await RealBroker()
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
