import AsyncLocation
import MockBackend
import Testing

@testable import GPSDBackend

/// The runner of a connection with a subscriber to reports, in virtual time.
@Suite struct ReportSessionTests {
  private final class Harness {
    let transport = FakeTransport()
    let statistics = Locked(GPSDStatistics())
    let batches = Locked([[ReceivedReport]]())
    let events = Locked([BackendEvent]())
    let session: GPSDSession
    var results: [Result<[Receiver], any Error>] = []

    init(_ options: ReportOptions = ReportOptions(), device: String? = nil) {
      session = GPSDSession(
        GPSDConfiguration(host: "boat", device: device), purpose: .watch, wanted: WantedKinds(.all),
        transport: transport, statistics: statistics, generator: SplitMix64(seed: 1),
        reports: ReportOutlet(options) { [batches] batch in
          batches.withLock { $0.append(batch.numbered(from: $0.reduce(0) { $0 + $1.count })) }
        },
        emit: { [events] batch in events.withLock { $0 += batch } })
    }

    func open() throws -> FakeTransport.FakeChannel {
      session.start { self.results.append($0) }
      transport.advance(by: .zero)
      session.channelOpened()
      return try #require(transport.channels.last)
    }

    var classes: [[String?]] { batches.withLock { $0.map { $0.map { $0.report?.className } } } }
    var phases: [ConnectionState.Phase] {
      events.withLock {
        $0.map { if case .connection(let state) = $0 { state.phase } else { nil } }
      }
      .compactMap(\.self)
    }
  }

  @Test func reportsOfAChunkAreDeliveredTogether() throws {
    let harness = Harness()
    let channel = try harness.open()
    channel.receive(FakeGPSD.banner + FakeGPSD.watching)
    channel.receive((1...50).map { FakeGPSD.fix($0) }.joined())
    channel.receive("{}\r\n")
    #expect(
      harness.classes == [["VERSION", "DEVICES", "WATCH"], Array(repeating: "TPV", count: 50)])
    let numbers = harness.batches.withLock { $0.flatMap { $0 }.map(\.number) }
    #expect(numbers == Array(0..<53))
    let statistics = harness.statistics.withLock { $0 }
    #expect(statistics.reports == 53 && statistics.malformedLines == 1)
    #expect(statistics.classes.positions == 50 && statistics.classes.devices == 1)
  }

  @Test("a session for reports produces no locations and prefers no receiver")
  func makesNoEvents() throws {
    let harness = Harness()
    let channel = try harness.open()
    channel.receive(FakeGPSD.banner + FakeGPSD.watching)
    channel.receive((1...5).map { FakeGPSD.fix($0) }.joined())
    let events = harness.events.withLock { $0 }
    #expect(events.count == harness.phases.count, "\(events)")
    #expect(harness.phases == [.connecting, .connected, .connected])
    #expect(harness.statistics.withLock { $0.preferredReceiver } == nil)
  }

  @Test func reportsAfterTheEndInAChunkAreIgnored() throws {
    let harness = Harness(device: "/dev/none")
    let channel = try harness.open()
    channel.receive(FakeGPSD.banner + FakeGPSD.watching + FakeGPSD.fix(1))
    #expect(harness.results.count == 1 && channel.isClosed)
    #expect(harness.classes == [["VERSION", "DEVICES"]])
    channel.receive(FakeGPSD.fix(2))
    #expect(harness.classes.count == 1)
  }

  @Test func nothingIsDeliveredFromAnotherServer() throws {
    let harness = Harness(ReportOptions(nmea: true))
    let channel = try harness.open()
    channel.receive("$GPGGA,1\r\n" + FakeGPSD.banner + FakeGPSD.fix(1))
    #expect(harness.classes.isEmpty && harness.results.count == 1)
  }

  @Test func theSilenceOfReceiversIsNoticed() throws {
    let harness = Harness(ReportOptions(classes: ["PPS"]))
    let channel = try harness.open()
    channel.receive(FakeGPSD.banner + FakeGPSD.watching)
    // Reports that the subscriber does not request also show that the receivers are active.
    for second in 1...20 {
      harness.transport.advance(by: .seconds(1))
      channel.receive(FakeGPSD.fix(second))
    }
    #expect(!channel.sent.contains("?VERSION"))
    harness.transport.advance(by: .seconds(10))
    #expect(channel.sent.hasSuffix("?VERSION;\n"))
    #expect(harness.classes.isEmpty)
  }

  @Test("the WATCH command contains the options, also when a device returns")
  func flags() throws {
    let harness = Harness(ReportOptions(scaled: true))
    let channel = try harness.open()
    #expect(channel.sent == "?WATCH={\"enable\":true,\"json\":true,\"scaled\":true};\n")
  }

  @Test func linesThatArriveTogetherAreSeparateReports() throws {
    let harness = Harness(ReportOptions(classes: ["TPV"]))
    let channel = try harness.open()
    channel.receive(FakeGPSD.banner)
    let lines = (0..<3).map {
      "{\"class\":\"TPV\",\"mode\":\($0),\"x\":\"\(String(repeating: "y", count: $0))\"}"
    }
    channel.receive(lines[0] + "\r\n" + lines[1] + "\n" + lines[2].prefix(20))
    channel.receive(lines[2].dropFirst(20) + "\r\n")
    let received = harness.batches.withLock { $0.flatMap { $0 } }
    #expect(received.map { String(decoding: $0.line, as: UTF8.self) } == lines)
    // Equal by content, at any position in memory.
    for report in received {
      let copy = ReceivedReport(number: report.number, report: report.report, line: report.line)
      #expect(copy == report && copy.hashValue == report.hashValue)
    }
    #expect(Set(received).count == 3)
  }
}
