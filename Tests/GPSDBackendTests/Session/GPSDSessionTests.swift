import AsyncLocation
import Glibc
import TestSupport
import Testing

@testable import GPSDBackend
@testable import LocationTransport

/// Runs sessions over a fake network, in virtual time.
@Suite(.inTurn) struct GPSDSessionTests {
  @Test func aChunkIsEmittedInOneCall() throws {
    let bench = SessionBench()
    let connection = try bench.connect()
    connection.receive((1...50).map { FakeGPSD.fix($0) }.joined())
    // The fixes, preceded by their preferred receiver.
    #expect(bench.batches.withLock { $0.map(\.count) } == [51])
    connection.receive("{}\r\n")
    #expect(bench.batches.withLock { $0.count } == 1)
    #expect(bench.statistics.malformedLines == 1)
  }

  /// While lines arrive, the silence timer does not fire; afterwards it fires in time.
  @Test func anActiveConnectionIsNotProbed() throws {
    let bench = SessionBench { $0.silenceTimeout = .seconds(10) }
    let connection = try bench.connect()
    for second in 1...50 {
      bench.transport.advance(by: .seconds(1))
      connection.receive(FakeGPSD.fix(second))
      #expect(bench.transport.nextTimer() == bench.transport.time + .seconds(10))
    }
    let sent = connection.sent
    bench.transport.advance(by: .seconds(10) - .milliseconds(1))
    #expect(connection.sent == sent)
    bench.transport.advance(by: .milliseconds(1))
    #expect(connection.sent == sent + "?VERSION;\n")
  }

  @Test func nothingIsEmittedAfterTheEnd() throws {
    let bench = SessionBench()
    let connection = try bench.connect()
    bench.session.stop()
    #expect(bench.results.count == 1)
    #expect(connection.isClosed)
    #expect(connection.sent.hasSuffix("?WATCH={\"enable\":false};\n"))
    bench.batches.withLock { $0 = [] }
    connection.receive(FakeGPSD.fix(1))
    bench.session.connectionClosed(nil)
    bench.transport.advance(by: .seconds(1000))
    bench.session.stop()
    #expect(bench.events.isEmpty)
    #expect(bench.results.count == 1)
    #expect(bench.transport.nextTimer() == nil)
  }

  @Test func linesAfterAForeignBannerAreIgnored() throws {
    let bench = SessionBench()
    bench.start()
    bench.session.connectionOpened()
    try #require(bench.transport.connections.last).receive(
      "HTTP/1.1 400 Bad Request\r\n" + FakeGPSD.banner + FakeGPSD.fix(1))
    #expect(bench.phases == [.connecting, .failed])
    #expect(bench.results.count == 1)
  }

  @Test func aRunStoppedBeforeItsStartEndsAtOnce() {
    let bench = SessionBench()
    bench.session.stop()
    bench.start()
    #expect(bench.results.count == 1)
    #expect(bench.events.isEmpty)
    #expect(bench.transport.connections.isEmpty)
    #expect(bench.transport.nextTimer() == nil)
  }

  @Test("F1 an absent gpsd is retried with growing delays")
  func absent() {
    let bench = SessionBench()
    bench.transport.addresses = .failure(.lookup(code: EAI_AGAIN))
    bench.start()
    bench.transport.advance(by: .seconds(600))
    let attempts = bench.statistics.attempts
    // The delays double for at most 31 s; then there is one attempt every 15 to 30 s.
    #expect((20...50).contains(attempts))
    let delays = bench.events.compactMap { event in
      if case .connection(let state) = event { state.retryDelay } else { nil }
    }
    #expect(delays.allSatisfy { $0 >= .milliseconds(500) && $0 <= .seconds(30) })
    bench.session.stop()
    #expect(bench.transport.nextTimer() == nil)
  }

  @Test("F15 half a line does not affect the next connection")
  func halfALine() throws {
    let bench = SessionBench()
    let connection = try bench.connect()
    connection.receive("{\"class\":\"TPV\",\"mo")
    bench.session.connectionClosed(.system(errno: ECONNRESET))
    bench.transport.advance(by: .seconds(1))
    #expect(bench.transport.connections.count == 2)
    bench.session.connectionOpened()
    bench.transport.connections[1].receive(FakeGPSD.banner + FakeGPSD.watching + FakeGPSD.fix(1))
    #expect(bench.statistics.malformedLines == 0)
    #expect(bench.events.contains { if case .location = $0 { true } else { false } })
    #expect(connection.isClosed)
    #expect(bench.transport.connections.count == 2)
    bench.session.stop()
  }

  @Test("F6 silent receivers are reported once")
  func silentReceivers() throws {
    let bench = SessionBench()
    let connection = try bench.connect()
    connection.receive(FakeGPSD.fix(1))
    for _ in 0..<5 {
      bench.transport.advance(by: .seconds(10))
      connection.receive(FakeGPSD.banner)
    }
    let unavailable = bench.events.filter { if case .unavailable = $0 { true } else { false } }
    #expect(unavailable.count == 1)
    #expect(!connection.isClosed)
    bench.session.stop()
  }

  @Test("F3 an answered probe delays the next one by at most the silence timeout")
  func answeredProbe() throws {
    let bench = SessionBench {
      ($0.silenceTimeout, $0.handshakeTimeout) = (.seconds(10), .seconds(60))
    }
    let connection = try bench.connect()
    bench.transport.advance(by: .seconds(10))
    let probe = "?VERSION;\n"
    #expect(connection.sent.hasSuffix(probe))
    connection.receive(FakeGPSD.banner)
    let sent = connection.sent
    bench.transport.advance(by: .seconds(10))
    #expect(connection.sent == sent + probe, "next: \(bench.transport.nextTimer() ?? .zero)")
    bench.session.stop()
  }
}
