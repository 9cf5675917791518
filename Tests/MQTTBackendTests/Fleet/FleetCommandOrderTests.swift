import AsyncLocation
import OwnTracks
import TestSupport
import Testing

@testable import MQTTBackend

/// The calls that wait for a broker's acknowledgement, on a connection that the test simulates.
@Suite(.inTurn) struct FleetCommandOrderTests {
  /// A broker that accepts every publication, on the thread of the test.
  private final class PlayedChannel: BrokerChannel {
    var limits = BrokerLimits()
    private(set) var topics: [String] = []
    /// Called during a publication.
    var duringPublication: (() -> Void)?

    func publish(_ payload: [UInt8], to topic: String, retained: Bool) -> PublicationOutcome {
      topics.append(topic)
      duringPublication?()
      return .sent(PublicationID(rawValue: Int32(topics.count)))
    }

    func drop(reconnects: Bool) {}
    var submit: @Sendable (@escaping @Sendable () -> Void) -> Void { { $0() } }
  }

  private let commands = FleetPublications(FleetConfiguration())

  private func call(_ device: String) -> Task<Void, any Error> {
    Task.immediate { [commands] in
      try await commands.send(CommandMessage(.dump), to: id("jane/\(device)"))
    }
  }

  private static func publication(_ number: Int32) -> PublicationID {
    PublicationID(rawValue: number)
  }

  @Test func acknowledgementsInAnyOrderResumeTheirCalls() async throws {
    let channel = PlayedChannel()
    let first = call("a")
    commands.connected(channel)
    let second = call("b")
    #expect(channel.topics == ["owntracks/jane/a/cmd", "owntracks/jane/b/cmd"])
    commands.acknowledged(Self.publication(2), refusal: PublicationRefusal(reasonCode: 0x87))
    let error = await #expect(throws: LocationError.self) { try await second.value }
    #expect(error?.code == .denied)
    commands.acknowledged(Self.publication(1), refusal: nil)
    try await first.value
    commands.acknowledged(Self.publication(1), refusal: nil)
  }

  @Test func sentCommandsFailWithTheirConnection() async throws {
    let (channel, next) = (PlayedChannel(), PlayedChannel())
    channel.limits.receiveMaximum = 1
    let (sent, waits) = (call("a"), call("b"))
    commands.connected(channel)
    #expect(channel.topics == ["owntracks/jane/a/cmd"])
    commands.disconnected()
    let error = await #expect(throws: LocationError.self) { try await sent.value }
    #expect(error?.code == .backendUnavailable)
    #expect(error?.message.contains("may have arrived") == true)
    commands.connected(next)
    #expect(next.topics == ["owntracks/jane/b/cmd"])
    commands.acknowledged(Self.publication(1), refusal: nil)
    try await waits.value
  }

  @Test("a connection that ends within a publication leaves no number behind")
  func endWithinAPublication() async throws {
    let (channel, next) = (PlayedChannel(), PlayedChannel())
    let waits = call("a")
    channel.duringPublication = { [commands] in commands.disconnected() }
    commands.connected(channel)
    commands.connected(next)
    #expect(next.topics == ["owntracks/jane/a/cmd"])
    commands.acknowledged(Self.publication(1), refusal: nil)
    try await waits.value
  }

  @Test func unacknowledgedCommandsAreLimitedToTheWindow() async throws {
    let channel = PlayedChannel()
    let calls = (0..<30).map { call("\($0)") }
    commands.connected(channel)
    #expect(channel.topics.count == FleetPublications.window)
    calls[25].cancel()
    await #expect(throws: CancellationError.self) { try await calls[25].value }
    for number in 1...29 { commands.acknowledged(Self.publication(Int32(number)), refusal: nil) }
    #expect(channel.topics.count == 29)
    #expect(!channel.topics.contains("owntracks/jane/25/cmd"))
    for (index, call) in calls.enumerated() where index != 25 { try await call.value }
  }

  @Test func commandsFailWithoutAcknowledgements() async throws {
    let channel = PlayedChannel()
    channel.limits.maximumQuality = 0
    commands.connected(channel)
    let error = await #expect(throws: LocationError.self) { try await call("a").value }
    #expect(error?.code == .unsupported)
    #expect(channel.topics == [])
  }

  @Test func moreCallsThanTheLimitAreRefused() async throws {
    let calls = (0..<FleetPublications.limit).map { call("\($0)") }
    let error = await #expect(throws: LocationError.self) { try await call("more").value }
    #expect(error?.code == .backendUnavailable)
    commands.close(LocationError(.shutDown, "The fleet was shut down."))
    for call in calls {
      await #expect(throws: LocationError.self) { try await call.value }
    }
  }
}
