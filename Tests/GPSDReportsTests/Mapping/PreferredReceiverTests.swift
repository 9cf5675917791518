import AsyncLocation
import FoundationEssentials
import TestSupport
import Testing

@testable import GPSDReports

/// The delivery of reports to subscribers without a `device` option.
@Suite(.inTurn) struct PreferredReceiverTests {
  private final class Bench {
    var assembler: EventAssembler
    private var batch = EventBatch { date(2026, 11, 21) }

    init(_ assembler: EventAssembler = EventAssembler()) { self.assembler = assembler }

    func receive(_ line: String, at second: Double) -> [BackendEvent] {
      batch.events = []
      batch.arrival = .seconds(second)
      if let report = report(line) { assembler.add(report, to: &batch) }
      return batch.events
    }
  }

  private static func fix(_ device: String, _ members: String = "") -> String {
    EventAssemblerTests.fix(members, device: device)
  }

  @Test func reportsStateWhetherTheirReceiverIsPreferred() {
    let bench = Bench()
    let sky = #"{"class":"SKY","device":"b","satellites":[]}"#
    #expect(
      bench.receive(Self.fix("a"), at: 0).locations.map(\.sourceInformation?.isPreferred) == [true])
    #expect(
      bench.receive(Self.fix("b"), at: 0).locations.map(\.sourceInformation?.isPreferred) == [false]
    )
    #expect(bench.receive(sky, at: 0).satellites.map(\.sourceInformation?.isPreferred) == [false])
    #expect(bench.assembler.preferredReceiver == "a")
    // The first receiver is silent, so the other is preferred.
    #expect(
      bench.receive(Self.fix("b"), at: 6).locations.map(\.sourceInformation?.isPreferred) == [true])
    #expect(bench.receive(sky, at: 6).satellites.map(\.sourceInformation?.isPreferred) == [true])
    #expect(bench.assembler.preferredReceiver == "b")
    bench.assembler.reset()
    #expect(bench.assembler.preferredReceiver == nil)
  }

  @Test func allReceiversArePreferredOnRequest() {
    let bench = Bench(EventAssembler(selecting: false, .init()))
    for device in ["a", "b", "a"] {
      let locations = bench.receive(Self.fix(device), at: 0).locations
      #expect(locations.map(\.sourceInformation?.isPreferred) == [true])
    }
    #expect(bench.assembler.preferredReceiver == nil)
  }

  @Test func aLossOfOneOfTwoReceiversIsNotReported() {
    let bench = Bench()
    _ = bench.receive(Self.fix("a"), at: 0)
    _ = bench.receive(Self.fix("b"), at: 0)
    #expect(bench.receive(#"{"class":"TPV","device":"a","mode":1}"#, at: 1).isEmpty)
    #expect(bench.assembler.preferredReceiver == "b")
    let removal = bench.receive(#"{"class":"DEVICE","path":"b","activated":0}"#, at: 1)
    #expect(
      removal.losses.map(\.message) == [
        "The receiver b is no longer attached to gpsd; plug it in again."
      ])
  }

  @Test func aSilentPreferredReceiverIsReportedWhenTheOtherHasNoFix() {
    let bench = Bench()
    _ = bench.receive(Self.fix("a"), at: 0)
    let reported = bench.receive(#"{"class":"TPV","device":"b","mode":1}"#, at: 6).losses
    #expect(
      reported.map(\.message) == [
        "The receiver a has reported no fix for 6.0 s; is it switched on and connected?"
      ])
  }

  @Test("a separate compass device provides the heading instead of the course")
  func compassBesideAReceiver() {
    let bench = Bench()
    let moving = Self.fix("a", #""track":10,"speed":5,"#)
    let compass = #"{"class":"ATT","device":"c","heading":20}"#
    func preferred(_ line: String, _ second: Double) -> Bool? {
      bench.receive(line, at: second).headings.first?.sourceInformation?.isPreferred
    }
    #expect(preferred(moving, 0) == true)
    #expect(preferred(compass, 1) == true)
    #expect(preferred(moving, 2) == false)
    #expect(preferred(#"{"class":"ATT","device":"d","heading":30}"#, 3) == false)
    #expect(preferred(moving, 7) == true)
    #expect(preferred(#"{"class":"ATT","device":"d","heading":30}"#, 8) == true)
    #expect(bench.assembler.preferredReceiver == "a")
  }

  @Test("a receiver that sends only IMU has a heading")
  func inertialHeading() throws {
    let bench = Bench()
    let line =
      #"{"class":"IMU","device":"a","timeTag":7,"heading":20.5,"mheading":18,"#
      + #""mag_x":1,"mag_y":2,"mag_z":3}"#
    let heading = try #require(bench.receive(line, at: 0).headings.first)
    #expect(heading.trueHeading == 20.5)
    #expect(heading.magneticHeading == 18)
    #expect(heading.source == .compass)
    #expect(heading.magneticField != nil)
    #expect(heading.sourceInformation?.timeSource == .host)
    #expect(heading.sourceInformation?.isPreferred == true)
    // A course does not replace a compass heading.
    #expect(bench.receive(Self.fix("a", #""track":10,"speed":5,"#), at: 1).headings.isEmpty)
    #expect(bench.receive(#"{"class":"IMU","device":"a","acc_x":1,"gyro_z":2}"#, at: 1).isEmpty)
    bench.assembler.kinds = [.locations]
    #expect(bench.receive(line, at: 2).isEmpty)
  }

  @Test("ATT takes precedence over IMU until it is silent")
  func attitudeBeforeInertial() {
    let bench = Bench()
    func heading(
      _ name: String, _ degrees: Int, _ second: Double, _ device: String = "a"
    ) -> Double? {
      bench.receive(
        #"{"class":"\#(name)","device":"\#(device)","heading":\#(degrees)}"#, at: second
      ).headings.first?.trueHeading
    }
    #expect(heading("IMU", 1, 0) == 1)
    #expect(heading("ATT", 2, 1) == 2)
    #expect(heading("IMU", 3, 1.1) == nil)
    #expect(heading("IMU", 4, 6) == nil)
    #expect(heading("IMU", 5, 2, "b") == 5)  // Of another receiver.
    #expect(heading("IMU", 6, 6.1) == 6)
    #expect(heading("ATT", 7, 7) == 7)
    #expect(heading("IMU", 8, 7.1) == nil)
    // An ATT report without a heading does not suppress IMU.
    _ = bench.receive(#"{"class":"ATT","device":"b","pitch":1}"#, at: 8)
    #expect(heading("IMU", 9, 8.1, "b") == 9)
    // A receiver that was removed and returned starts over.
    _ = bench.receive(#"{"class":"DEVICE","path":"a","activated":0}"#, at: 8.2)
    #expect(heading("IMU", 10, 8.3) == 10)
  }

  @Test func satelliteCountsExpire() throws {
    let bench = Bench()
    _ = bench.receive(#"{"class":"SKY","device":"a","uSat":7,"hdop":1.5}"#, at: 0)
    var used: [Int?] = []
    for _ in 0...60 {
      used.append(bench.receive(Self.fix("a"), at: 0).locations.first?.gnss?.satellitesUsed)
    }
    #expect(used == Array(repeating: 7, count: 60) + [nil])
    #expect(bench.receive(Self.fix("a"), at: 0).locations.first?.gnss?.dilutionOfPrecision == nil)
  }

  struct Proof: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// The time in seconds after 2026-11-10 00:00 UTC, the mode, and the resulting time source.
    let fixes: [(Double?, Int, SourceInformation.TimeSource?)]
  }

  static let proofs = [
    Proof(
      testDescription: "three fixes in a row",
      fixes: [(0, 3, .provisional), (1, 3, .provisional), (2, 3, .receiver), (3, 2, .receiver)]),
    Proof(
      testDescription: "reports of one epoch count once",
      fixes: [
        (0, 3, .provisional), (0, 3, .provisional), (0, 3, .provisional), (1, 3, .provisional),
        (1, 3, .provisional), (2, 3, .receiver), (2, 3, .receiver),
      ]),
    Proof(
      testDescription: "2D fixes do not confirm the clock",
      fixes: [
        (0, 3, .provisional), (1, 3, .provisional), (2, 2, .provisional), (3, 3, .provisional),
        (4, 3, .provisional), (5, 3, .receiver),
      ]),
    Proof(
      testDescription: "a lost fix or time restarts the count but keeps a confirmed clock",
      fixes: [
        (0, 3, .provisional), (1, 3, .provisional), (2, 1, nil), (3, 3, .provisional),
        (nil, 3, .host), (4, 3, .provisional), (5, 3, .provisional), (6, 3, .receiver),
        (7, 1, nil), (nil, 3, .host), (8, 3, .receiver),
      ]),
    Proof(
      testDescription: "a clock that steps back, as for leap seconds, is confirmed again",
      fixes: [
        (20, 3, .provisional), (21, 3, .provisional), (22, 3, .receiver), (21.5, 3, .receiver),
        (4, 3, .provisional), (5, 3, .provisional), (6, 3, .receiver),
      ]),
    Proof(
      testDescription: "a clock that jumps ahead by days is confirmed again",
      fixes: [
        (0, 3, .provisional), (1, 3, .provisional), (2, 3, .receiver), (86_000, 3, .receiver),
        (200_000, 3, .provisional), (200_001, 3, .provisional), (200_002, 3, .receiver),
      ]),
  ]

  @Test("F10 a receiver proves its clock", arguments: proofs)
  func proves(_ proof: Proof) {
    let bench = Bench(EventAssembler(selecting: true, .init(), mergesEpochs: false))
    for (index, fix) in proof.fixes.enumerated() {
      let time = fix.0.map { offset -> String in
        let whole = Int(offset)
        let (hour, minute, second) = (whole / 3600 % 24, whole / 60 % 60, whole % 60)
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return #""time":"2026-11-1\#(whole / 86_400)T\#(two(hour)):\#(two(minute)):"#
          + "\(two(second)).\(Int((offset - Double(whole)) * 10))Z\","
      }
      let line =
        #"{"class":"TPV","device":"d","mode":\#(fix.1),"lat":1,"lon":2,\#(time ?? "")"x":0}"#
      let locations = bench.receive(line, at: Double(index)).locations
      #expect(locations.first?.sourceInformation?.timeSource == fix.2, "fix \(index)")
    }
  }
}
