import AsyncLocation
import Glibc
import MockBackend
import Testing

@testable import GPSDBackend

/// The runner over a fake network, in virtual time.
@Suite struct GPSDSessionTests {
  private final class Harness {
    let transport = FakeTransport()
    let statistics = Locked(GPSDStatistics())
    let batches = Locked([[BackendEvent]]())
    let session: GPSDSession
    var results: [Result<[Receiver], any Error>] = []

    init(_ change: (inout GPSDConfiguration) -> Void = { _ in }) {
      var configuration = GPSDConfiguration(host: "boat")
      change(&configuration)
      session = GPSDSession(
        configuration, purpose: .watch, wanted: WantedKinds(.all), transport: transport,
        statistics: statistics, generator: SplitMix64(seed: 1),
        emit: { [batches] batch in batches.withLock { $0.append(batch) } })
    }

    func start() {
      session.start { self.results.append($0) }
      transport.advance(by: .zero)
    }

    /// Starts, connects and greets.
    func connect() throws -> FakeTransport.FakeChannel {
      start()
      let channel = try #require(transport.channels.last)
      session.channelOpened()
      channel.receive(FakeGPSD.banner + FakeGPSD.watching)
      batches.withLock { $0 = [] }
      return channel
    }

    var events: [BackendEvent] { batches.withLock { $0.flatMap { $0 } } }
    var phases: [ConnectionState.Phase] {
      events.compactMap { if case .connection(let state) = $0 { state.phase } else { nil } }
    }
  }

  @Test func aChunkIsEmittedInOneCall() throws {
    let harness = Harness()
    let channel = try harness.connect()
    channel.receive((1...50).map { FakeGPSD.fix($0) }.joined())
    // The fixes, preceded by their preferred receiver.
    #expect(harness.batches.withLock { $0.map(\.count) } == [51])
    channel.receive("{}\r\n")
    #expect(harness.batches.withLock { $0.count } == 1)
    #expect(harness.statistics.withLock { $0.malformedLines } == 1)
  }

  /// While lines arrive, the silence timer does not fire; afterwards it fires in time.
  @Test func anActiveConnectionIsNotProbed() throws {
    let harness = Harness { $0.silenceTimeout = .seconds(10) }
    let channel = try harness.connect()
    for second in 1...50 {
      harness.transport.advance(by: .seconds(1))
      channel.receive(FakeGPSD.fix(second))
      #expect(harness.transport.nextTimer() == harness.transport.time + .seconds(10))
    }
    let sent = channel.sent
    harness.transport.advance(by: .seconds(10) - .milliseconds(1))
    #expect(channel.sent == sent)
    harness.transport.advance(by: .milliseconds(1))
    #expect(channel.sent == sent + "?VERSION;\n")
  }

  @Test func nothingIsEmittedAfterTheEnd() throws {
    let harness = Harness()
    let channel = try harness.connect()
    harness.session.stop()
    #expect(harness.results.count == 1)
    #expect(channel.isClosed && channel.sent.hasSuffix("?WATCH={\"enable\":false};\n"))
    harness.batches.withLock { $0 = [] }
    channel.receive(FakeGPSD.fix(1))
    harness.session.channelClosed(nil)
    harness.transport.advance(by: .seconds(1000))
    harness.session.stop()
    #expect(harness.events.isEmpty && harness.results.count == 1)
    #expect(harness.transport.nextTimer() == nil)
  }

  @Test func linesAfterAForeignBannerAreIgnored() throws {
    let harness = Harness()
    harness.start()
    harness.session.channelOpened()
    try #require(harness.transport.channels.last).receive(
      "HTTP/1.1 400 Bad Request\r\n" + FakeGPSD.banner + FakeGPSD.fix(1))
    #expect(harness.phases == [.connecting, .failed])
    #expect(harness.results.count == 1)
  }

  @Test func aRunStoppedBeforeItsStartEndsAtOnce() {
    let harness = Harness()
    harness.session.stop()
    harness.start()
    #expect(harness.results.count == 1 && harness.events.isEmpty)
    #expect(harness.transport.channels.isEmpty && harness.transport.nextTimer() == nil)
  }

  @Test("F1 an absent gpsd is retried with growing delays")
  func absent() {
    let harness = Harness()
    harness.transport.addresses = .failure(.lookup(code: EAI_AGAIN))
    harness.start()
    harness.transport.advance(by: .seconds(600))
    let attempts = harness.statistics.withLock { $0.attempts }
    // 31 s of doubling, then one attempt every 15 to 30 s.
    #expect((20...50).contains(attempts))
    let delays = harness.events.compactMap { event in
      if case .connection(let state) = event { state.retryDelay } else { nil }
    }
    #expect(delays.allSatisfy { $0 >= .milliseconds(500) && $0 <= .seconds(30) })
    harness.session.stop()
    #expect(harness.transport.nextTimer() == nil)
  }

  @Test("F15 half a line does not affect the next connection")
  func halfALine() throws {
    let harness = Harness()
    let channel = try harness.connect()
    channel.receive("{\"class\":\"TPV\",\"mo")
    harness.session.channelClosed(.system(errno: ECONNRESET))
    harness.transport.advance(by: .seconds(1))
    #expect(harness.transport.channels.count == 2)
    harness.session.channelOpened()
    harness.transport.channels[1].receive(FakeGPSD.banner + FakeGPSD.watching + FakeGPSD.fix(1))
    #expect(harness.statistics.withLock { $0.malformedLines } == 0)
    #expect(harness.events.contains { if case .location = $0 { true } else { false } })
    #expect(channel.isClosed && harness.transport.channels.count == 2)
    harness.session.stop()
  }

  @Test("F6 silent receivers are reported once")
  func silentReceivers() throws {
    let harness = Harness()
    let channel = try harness.connect()
    channel.receive(FakeGPSD.fix(1))
    for _ in 0..<5 {
      harness.transport.advance(by: .seconds(10))
      channel.receive(FakeGPSD.banner)
    }
    let unavailable = harness.events.filter { if case .unavailable = $0 { true } else { false } }
    #expect(unavailable.count == 1)
    #expect(!channel.isClosed)
    harness.session.stop()
  }

  @Test("F3 an answered probe delays the next one by at most the silence timeout")
  func answeredProbe() throws {
    let harness = Harness {
      ($0.silenceTimeout, $0.handshakeTimeout) = (.seconds(10), .seconds(60))
    }
    let channel = try harness.connect()
    harness.transport.advance(by: .seconds(10))
    let probe = "?VERSION;\n"
    #expect(channel.sent.hasSuffix(probe))
    channel.receive(FakeGPSD.banner)
    let sent = channel.sent
    harness.transport.advance(by: .seconds(10))
    #expect(channel.sent == sent + probe, "next: \(harness.transport.nextTimer() ?? .zero)")
    harness.session.stop()
  }
}
