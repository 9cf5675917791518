import AsyncLocation
import TestSupport
import Testing

@testable import GPSDBackend
@testable import LocationTransport

/// Runs sessions that have a subscriber to reports, in virtual time.
@Suite(.inTurn) struct ReportSessionTests {
  private struct Harness {
    /// The delivered reports, one array per batch.
    let batches = Locked([[ReceivedReport]]())
    let bench: SessionBench

    init(_ options: ReportOptions = ReportOptions(), device: String? = nil) {
      // Reports are numbered consecutively over all batches.
      let outlet = ReportOutlet(options) { [batches] batch in
        batches.withLock { $0.append(batch.numbered(from: $0.reduce(0) { $0 + $1.count })) }
      }
      bench = SessionBench(reports: outlet) { $0.device = device }
    }

    /// The classes of the delivered reports, one array per batch.
    var classes: [[String?]] { batches.withLock { $0.map { $0.map { $0.report?.className } } } }
  }

  @Test func reportsOfAChunkAreDeliveredTogether() throws {
    let harness = Harness()
    let connection = try harness.bench.open()
    connection.receive(FakeGPSD.banner + FakeGPSD.watching)
    connection.receive((1...50).map { FakeGPSD.fix($0) }.joined())
    connection.receive("{}\r\n")
    #expect(
      harness.classes == [["VERSION", "DEVICES", "WATCH"], Array(repeating: "TPV", count: 50)])
    let numbers = harness.batches.withLock { $0.flatMap { $0 }.map(\.number) }
    #expect(numbers == Array(0..<53))
    let statistics = harness.bench.statistics
    #expect(statistics.reports == 53)
    #expect(statistics.malformedLines == 1)
    #expect(statistics.classes.positions == 50)
    #expect(statistics.classes.devices == 1)
  }

  @Test("a session for reports produces no locations and prefers no receiver")
  func makesNoEvents() throws {
    let harness = Harness()
    let connection = try harness.bench.open()
    connection.receive(FakeGPSD.banner + FakeGPSD.watching)
    connection.receive((1...5).map { FakeGPSD.fix($0) }.joined())
    let events = harness.bench.events
    #expect(events.count == harness.bench.phases.count, "\(events)")
    #expect(harness.bench.phases == [.connecting, .connected, .connected])
    #expect(harness.bench.statistics.preferredReceiver == nil)
  }

  @Test func reportsAfterTheEndInAChunkAreIgnored() throws {
    let harness = Harness(device: "/dev/none")
    let connection = try harness.bench.open()
    connection.receive(FakeGPSD.banner + FakeGPSD.watching + FakeGPSD.fix(1))
    #expect(harness.bench.results.count == 1)
    #expect(connection.isClosed)
    #expect(harness.classes == [["VERSION", "DEVICES"]])
    connection.receive(FakeGPSD.fix(2))
    #expect(harness.classes.count == 1)
  }

  @Test func linesOfAnotherServerAreNotDelivered() throws {
    let harness = Harness(ReportOptions(nmea: true))
    let connection = try harness.bench.open()
    connection.receive("$GPGGA,1\r\n" + FakeGPSD.banner + FakeGPSD.fix(1))
    #expect(harness.classes.isEmpty)
    #expect(harness.bench.results.count == 1)
  }

  @Test func silentReceiversAreProbed() throws {
    let harness = Harness(ReportOptions(classes: ["PPS"]))
    let connection = try harness.bench.open()
    connection.receive(FakeGPSD.banner + FakeGPSD.watching)
    // Reports that the subscriber does not request also show that the receivers are active.
    for second in 1...20 {
      harness.bench.transport.advance(by: .seconds(1))
      connection.receive(FakeGPSD.fix(second))
    }
    #expect(!connection.sent.contains("?VERSION"))
    harness.bench.transport.advance(by: .seconds(10))
    #expect(connection.sent.hasSuffix("?VERSION;\n"))
    #expect(harness.classes.isEmpty)
  }

  @Test("the WATCH command contains the options, also when a device returns")
  func flags() throws {
    let harness = Harness(ReportOptions(scaled: true))
    let connection = try harness.bench.open()
    #expect(connection.sent == "?WATCH={\"enable\":true,\"json\":true,\"scaled\":true};\n")
  }

  @Test func linesArrivingTogetherAreSeparateReports() throws {
    let harness = Harness(ReportOptions(classes: ["TPV"]))
    let connection = try harness.bench.open()
    connection.receive(FakeGPSD.banner)
    let lines = (0..<3).map {
      "{\"class\":\"TPV\",\"mode\":\($0),\"x\":\"\(String(repeating: "y", count: $0))\"}"
    }
    connection.receive(lines[0] + "\r\n" + lines[1] + "\n" + lines[2].prefix(20))
    connection.receive(lines[2].dropFirst(20) + "\r\n")
    let received = harness.batches.withLock { $0.flatMap { $0 } }
    #expect(received.map { String(decoding: $0.line, as: UTF8.self) } == lines)
    // Reports are compared by content, not by their storage.
    for report in received {
      let copy = ReceivedReport(number: report.number, report: report.report, line: report.line)
      #expect(copy == report)
      #expect(copy.hashValue == report.hashValue)
    }
    #expect(Set(received).count == 3)
  }
}
