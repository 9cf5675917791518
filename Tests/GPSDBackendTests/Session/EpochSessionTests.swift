import AsyncLocation
import FoundationEssentials
import TestSupport
import Testing

@testable import GPSDBackend
@testable import LocationTransport

/// Epochs of several reports in a run in virtual time.
@Suite(.inTurn) struct EpochSessionTests {
  private static func report(
    _ second: Int, _ members: String = "", device: String = "d"
  ) -> String {
    #"{"class":"TPV","device":"\#(device)","mode":3,"time":"2026-05-04T03:0\#(second / 60):"#
      + (second % 60 < 10 ? "0" : "") + #"\#(second % 60).000Z","lat":1.5,"lon":2.5"#
      + (members.isEmpty ? "" : "," + members) + "}\r\n"
  }
  private static let loss = #"{"class":"TPV","device":"d","mode":1}"# + "\r\n"

  /// Returns a run whose receiver has reported each epoch twice, from second 1 to `lastSecond`. The
  /// next epoch is therefore held until its second report.
  private func benchWithTwoReportsPerEpoch(
    until lastSecond: Int = 3, _ change: (inout GPSDConfiguration) -> Void = { _ in }
  ) throws -> SessionBench {
    let bench = try SessionBench.connected(change)
    for second in 1...lastSecond {
      _ = try bench.receive(Self.report(second))
      _ = try bench.receive(Self.report(second))
      _ = bench.advance(milliseconds: 1000)
    }
    return bench
  }

  @Test("F46 an epoch of two reports is one location with the values of both")
  func merges() throws {
    let bench = try benchWithTwoReportsPerEpoch()
    #expect(try bench.receive(Self.report(4, #""altMSL":9,"speed":59.5,"eph":3"#)).isEmpty)
    let events = try bench.receive(Self.report(4, #""speed":12.1,"track":90"#))
    let location = try #require(events.locations.first)
    #expect(events.locations.count == 1)
    #expect(events.headings.map(\.trueHeading) == [90])
    #expect(location.speed == 12.1)
    #expect(location.altitude == 9)
    #expect(location.course == 90)
    #expect(location.horizontalAccuracy == 3)
    // No epoch is held, so only the silence timer is armed.
    #expect(bench.transport.nextTimer() == bench.transport.time + .seconds(10))
  }

  @Test("F46 a held epoch is delivered after the quiet time")
  func quiet() throws {
    let bench = try benchWithTwoReportsPerEpoch()
    #expect(try bench.receive(Self.report(4, #""altMSL":9"#)).isEmpty)
    #expect(bench.advance(milliseconds: 332).isEmpty)
    let events = bench.advance(milliseconds: 2)
    #expect(events.locations.map(\.altitude) == [9])
    // The remaining reports are too late.
    #expect(try bench.receive(Self.report(4, #""altMSL":10"#)).isEmpty)
    #expect(bench.advance(milliseconds: 5000).locations.isEmpty)
  }

  @Test("F46 a receiver with one report per epoch is not delayed and arms no timer")
  func once() throws {
    let bench = try SessionBench.connected()
    for second in 1...60 {
      let events = try bench.receive(Self.report(second))
      #expect(events.locations.count == 1)
      #expect(bench.transport.nextTimer() == bench.transport.time + .seconds(10))
      #expect(bench.advance(milliseconds: 1000).isEmpty)
    }
  }

  /// A receiver whose clock does not advance: one location, and a counter of the discarded reports.
  @Test("F46 reports that produce no location are counted")
  func counts() throws {
    let bench = try SessionBench.connected()
    #expect(try bench.receive(Self.report(1)).locations.count == 1)
    for _ in 1...9 { #expect(try bench.receive(Self.report(1)).isEmpty) }
    #expect(bench.statistics.repeatedPositions == 9)
    #expect(bench.statistics.reports == 13)  // VERSION, DEVICES and WATCH too.
    let unmergedBench = try SessionBench.connected { $0.epochs = .everyReport }
    for _ in 1...9 { #expect(try unmergedBench.receive(Self.report(1)).locations.count == 1) }
    #expect(unmergedBench.statistics.repeatedPositions == 0)
  }

  enum Ending: CaseIterable { case loss, removal, hangUp, stop, next, withoutTime }

  @Test("F46 a held epoch is delivered before the event that ends it", arguments: Ending.allCases)
  func order(_ ending: Ending) throws {
    let bench = try benchWithTwoReportsPerEpoch()
    #expect(try bench.receive(Self.report(4)).isEmpty)
    let events =
      switch ending {
      case .loss: try bench.receive(Self.loss)
      case .removal:
        try bench.receive(#"{"class":"DEVICE","path":"d","activated":0}"# + "\r\n")
      case .hangUp: bench.closeByPeer()
      case .stop: bench.stop()
      case .next: try bench.receive(Self.report(5, #""altMSL":9"#) + Self.report(5))
      case .withoutTime:
        try bench.receive(
          #"{"class":"TPV","device":"d","mode":3,"lat":7,"lon":8}"# + "\r\n")
      }
    let first = try #require(events.locations.first)
    #expect(first.timestamp == date(2026, 5, 4, 3, 0, 4))
    if case .location = events.first {} else { Issue.record("\(events) does not begin with it") }
    #expect(events.locations.count == (ending == .next || ending == .withoutTime ? 2 : 1))
    if ending == .stop {
      #expect(bench.results.count == 1)
      #expect(bench.transport.nextTimer() == nil)
    } else {
      #expect(bench.advance(milliseconds: 2000).locations.isEmpty)
    }
  }

  @Test("F46 each receiver's epoch is held separately")
  func receivers() throws {
    let bench = try benchWithTwoReportsPerEpoch()
    #expect(try bench.receive(Self.report(4)).isEmpty)
    let other = try bench.receive(Self.report(4, device: "e"))
    #expect(other.locations.map(\.sourceInformation?.device) == ["e"])
    #expect(try bench.receive(Self.report(5, device: "e")).locations.count == 1)
    #expect(try bench.receive(Self.report(4)).locations.map(\.sourceInformation?.device) == ["d"])
  }

  @Test("F46 hundreds of receivers lose no epoch and hold at most one report each", .longWork)
  func manyReceivers() throws {
    let bench = try SessionBench.connected()
    var delivered = 0
    for second in 1...4 {
      for receiver in 0..<300 {
        // There are more receivers than are remembered, so each is new at its next epoch.
        let line = Self.report(second, device: "r\(receiver)")
        delivered += try bench.receive(line).locations.count
        delivered += try bench.receive(line).locations.count
      }
    }
    delivered += bench.advance(milliseconds: 1000).locations.count
    #expect(delivered == 1200)
    #expect(bench.transport.nextTimer() != nil)
  }

  @Test("F46 reports of one epoch in one chunk are one location, at any position")
  func chunks() throws {
    let bench = try SessionBench.connected { $0.receiverSelection = .best }
    let sky = #"{"class":"SKY","device":"d","uSat":7,"satellites":[]}"# + "\r\n"
    let events = try bench.receive(
      Self.report(1, #""speed":1,"track":80,"altMSL":5"#) + Self.report(1, device: "e") + sky
        + Self.report(1, #""speed":0.1,"climb":2"#) + Self.report(2, #""speed":3,"track":70"#))
    let locationsOfD = events.locations.filter { $0.sourceInformation?.device == "d" }
    #expect(locationsOfD.map(\.speed) == [0.1, 3])
    #expect(locationsOfD.map(\.altitude) == [5, nil])
    #expect(locationsOfD.map(\.climb) == [2, nil])
    #expect(locationsOfD.first?.gnss?.satellitesUsed == 7)
    #expect(locationsOfD.map(\.course) == [nil, 70])
    #expect(events.headings.map(\.trueHeading) == [70])
    #expect(events.locations.map(\.sourceInformation?.device) == ["d", "e", "d"])
    // A new course follows its location.
    let later = try bench.receive(
      Self.report(3) + Self.report(3, device: "e") + Self.report(3, #""track":40"#))
    let kinds = later.map { event in
      switch event {
      case .location(let location): location.sourceInformation?.device ?? ""
      case .heading: "heading"
      default: "other"
      }
    }
    #expect(kinds == ["d", "heading", "e"])
  }

  @Test("F46 every report is delivered on request")
  func everyReport() throws {
    let bench = try SessionBench.connected { $0.epochs = .everyReport }
    for second in 1...4 {
      let lines = Self.report(second, #""altMSL":1"#) + Self.report(second)
      #expect(try bench.receive(lines).locations.map(\.altitude) == [1, nil])
      #expect(try bench.receive(Self.report(second)).locations.count == 1)
      _ = bench.advance(milliseconds: 1000)
    }
  }
}
