import AsyncLocation
import Foundation
import TestSupport
import Testing

@testable import NMEABackend

/// The events of sentences, and when they are delivered.
@Suite(.inTurn) struct LiveAssemblerTests {
  /// The seconds after 12:00 of locations.
  private func seconds(_ events: [BackendEvent]) -> [Double] {
    events.locations.map { $0.timestamp.timeIntervalSince(hostTime) }
  }

  @Test func aLocationHasTheValuesOfItsEpoch() throws {
    var bench = ReaderBench()
    #expect(bench.receive(cycle(1)) == [])
    let events = bench.advance(milliseconds: 1_000)
    let location = try #require(events.locations.first)
    #expect(events.locations.count == 1)
    #expect(location.timestamp == date(2026, 5, 4, 12, 0, 1))
    #expect(abs(location.latitude - (48 + 7.1001 / 60)) < 1e-9)
    #expect(abs(location.longitude - (11 + 31.0 / 60)) < 1e-9)
    #expect(location.altitude == 100.5)
    #expect(location.ellipsoidalAltitude == 120.5)
    #expect(abs(try #require(location.speed) - 5.144444) < 1e-6)
    #expect(location.course == 84.4)
    #expect(location.horizontalAccuracy == 19)
    #expect(location.gnss?.mode == .threeDimensional)
    #expect(location.gnss?.satellitesUsed == 8)
    #expect(location.gnss?.magneticVariation == -3.1)
    #expect(location.gnss?.dilutionOfPrecision?.position == 2)
    #expect(
      location.sourceInformation
        == SourceInformation(device: "test-line", timeSource: .provisional))
    #expect(events.satellites.first?.satellites.map(\.prn) == [1, 2])
    #expect(events.satellites.first?.satellites.map(\.isUsed) == [true, true])
    #expect(events.headings.map(\.source) == [.courseOverGround])
    #expect(events.headings.map(\.trueHeading) == [84.4])
  }

  // MARK: Cycles

  @Test func theFirstEpochEndsWhenTheReceiverIsQuiet() {
    var bench = ReaderBench()
    _ = bench.receive(cycle(1))
    #expect(seconds(bench.advance(milliseconds: 249)) == [])
    #expect(seconds(bench.advance(milliseconds: 1)) == [1])
  }

  @Test func anEpochEndsWhenTheNextOneBegins() {
    var bench = ReaderBench()
    #expect(seconds(bench.receive(cycle(1) + cycle(2))) == [1])
    #expect(seconds(bench.endConnection()) == [2])
  }

  @Test func aLocationIsDeliveredWithTheLastSentenceOfAKnownCycle() {
    var bench = ReaderBench()
    for second in 1...2 {
      #expect(seconds(bench.receive(cycle(second))) == [])
      #expect(seconds(bench.advance(milliseconds: 1_000)) == [Double(second)])
    }
    // The last sentence is RMC.
    #expect(seconds(bench.receive(cycle(3))) == [3])
    #expect(seconds(bench.advance(milliseconds: 1_000)) == [])
    #expect(seconds(bench.receive(cycle(4))) == [4])
  }

  @Test func aCycleThatBecomesLongerIsLearnedAgain() {
    var bench = ReaderBench()
    for second in 1...3 {
      _ = bench.receive(cycle(second))
      _ = bench.advance(milliseconds: 1_000)
    }
    let vtg = sentence("GPVTG,84.4,T,,M,10.0,N,18.5,K,A")
    // Delivered too early, once.
    #expect(seconds(bench.receive(cycle(4) + vtg)) == [4])
    #expect(seconds(bench.advance(milliseconds: 1_000)) == [])
    #expect(seconds(bench.receive(cycle(5) + vtg)) == [])
    #expect(seconds(bench.advance(milliseconds: 1_000)) == [5])
    #expect(seconds(bench.receive(cycle(6))) == [])
    #expect(seconds(bench.receive(vtg)) == [6])
  }

  @Test func theQuietTimeIsAThirdOfTheCycle() {
    var bench = ReaderBench()
    for second in 1...2 {
      _ = bench.receive(cycle(second))
      _ = bench.advance(milliseconds: 900)
    }
    // Another last sentence, so that the end is not known.
    _ = bench.receive(sentences(gga("120003")))
    #expect(seconds(bench.advance(milliseconds: 299)) == [])
    #expect(seconds(bench.advance(milliseconds: 1)) == [3])
  }

  /// At 4,800 bits per second, a sentence takes up to 0.17 s.
  @Test func anEpochOfASlowLineIsNotSplit() {
    var bench = ReaderBench()
    var events: [BackendEvent] = []
    for second in 1...5 {
      events += bench.receiveForASecond(Array(cycle(second).utf8))
    }
    #expect(seconds(events) == [1, 2, 3, 4, 5])
    #expect(events.locations.allSatisfy { $0.altitude != nil })
    #expect(events.locations.allSatisfy { $0.course != nil })
    #expect(events.satellites.count == 5)
  }

  /// The sentences of other devices separate those of an epoch.
  @Test func anEpochOfABusyLineIsNotSplit() {
    var bench = ReaderBench()
    var events: [BackendEvent] = []
    let other = (1...4).map { "IIRMB,A,0.\($0),L,003,004,4917.24,N,12309.57,W,001.3,052.5,000.5,V" }
    for second in 1...5 {
      let time = "12000\(second)"
      let bytes = Array(
        (sentence(rmc(time)) + other.map { sentence($0) }.joined() + sentence(gga(time))).utf8)
      events += bench.receiveForASecond(bytes)
    }
    #expect(seconds(events) == [1, 2, 3, 4, 5])
    #expect(events.locations.allSatisfy { $0.altitude != nil })
    #expect(events.locations.allSatisfy { $0.course != nil })
  }

  @Test func anEpochIsSplitByAPauseOnlyOnce() {
    var bench = ReaderBench()
    var events: [BackendEvent] = []
    for second in 1...5 {
      events += bench.receive(sentences(rmc("12000\(second)")))
      events += bench.advance(milliseconds: 400)
      events += bench.receive(sentences(gga("12000\(second)")))
      events += bench.advance(milliseconds: 600)
    }
    #expect(seconds(events) == [1, 2, 3, 4, 5])
    #expect(events.locations.map(\.altitude) == [nil, 100.5, 100.5, 100.5, 100.5])
  }

  @Test func cyclesOfATimeThatStandsStillRemainApart() {
    var bench = ReaderBench()
    for _ in 1...5 {
      _ = bench.receive(sentences(rmc("120001", status: "V"), "GPGGA,120001,,,,,0,00,,,,,,,"))
      _ = bench.advance(milliseconds: 900)
    }
    #expect(bench.counts.epochs == 5)
  }

  @Test func anEpochEndsOnALineThatIsNeverQuiet() {
    var bench = ReaderBench()
    _ = bench.receive(cycle(1))
    var events: [BackendEvent] = []
    for step in 1...10 {
      #expect(seconds(events) == [], "step \(step)")
      events += bench.advance(milliseconds: 100)
      events += bench.receive(sentence("IIMWV,214.8,R,10.8,N,A"))
    }
    #expect(seconds(events) == [1])
  }

  @Test func aLateSentenceMakesNoSecondLocation() {
    var bench = ReaderBench()
    _ = bench.receive(sentences(rmc("120001")))
    #expect(seconds(bench.advance(milliseconds: 400)) == [1])
    _ = bench.receive(sentences(gga("120001")))
    #expect(seconds(bench.advance(milliseconds: 600)) == [])
    _ = bench.receive(sentences(rmc("120002"), gga("120002")))
    #expect(seconds(bench.advance(milliseconds: 600)) == [2])
  }

  // MARK: Time

  @Test func aFixWaitsForItsDate() {
    var bench = ReaderBench()
    #expect(seconds(bench.receive(sentences(gga("120001"), gga("120002")))) == [])
    _ = bench.receive(sentences(rmc("120002")))
    let events = bench.advance(milliseconds: 1_000)
    #expect(seconds(events) == [2])
    #expect(events.locations.first?.sourceInformation?.timeSource == .provisional)
  }

  @Test func withoutADateTheHostsTimeIsUsedAfterFiveSeconds() {
    var bench = ReaderBench()
    var locations: [Location] = []
    for second in 1...9 {
      locations += bench.receive(sentences(gga("12000\(second)"))).locations
      locations += bench.advance(milliseconds: 1_000).locations
    }
    // The first fix is complete after a quiet time of 0.25 s, and the seventh more than 5 s later.
    #expect(locations.count == 3)
    #expect(locations.allSatisfy { $0.timestamp == hostTime })
    #expect(locations.allSatisfy { $0.sourceInformation?.timeSource == .host })
    let dated = bench.receive(sentences("GPZDA,120010,04,05,2026,00,00", gga("120010")))
    #expect(seconds(dated) == [10])
  }

  @Test func aFixWithoutATimeGetsTheHostsTime() {
    var bench = ReaderBench()
    var locations: [Location] = []
    for _ in 1...9 {
      locations += bench.receive(sentences("GPGLL,4807.038,N,01131.000,E")).locations
      locations += bench.advance(milliseconds: 1_000).locations
    }
    #expect(locations.count == 3)
    #expect(locations.allSatisfy { $0.sourceInformation?.timeSource == .host })
  }

  @Test func threeFixesProveTheClock() {
    var bench = ReaderBench()
    var sources: [SourceInformation.TimeSource?] = []
    for second in 1...4 {
      sources += bench.receive(cycle(second)).locations.map(\.sourceInformation?.timeSource)
      sources += bench.advance(milliseconds: 1_000).locations.map(\.sourceInformation?.timeSource)
    }
    #expect(sources == [.provisional, .provisional, .receiver, .receiver])
  }

  @Test func aDateOfAnotherEraIsReplacedByTheHosts() {
    var bench = ReaderBench()
    // 1,024 weeks before 2026-05-04.
    _ = bench.receive(sentences(rmc("120001", day: "180906")))
    let location = bench.advance(milliseconds: 1_000).locations.first
    #expect(location?.timestamp == hostTime)
    #expect(location?.sourceInformation?.timeSource == .host)
  }

  @Test func aRecordedDateIsKept() {
    var bench = ReaderBench()
    _ = bench.receive(sentences(rmc("120001", day: "010219")))
    #expect(
      bench.advance(milliseconds: 1_000).locations.map(\.timestamp)
        == [date(2019, 2, 1, 12, 0, 1)])
  }

  // MARK: Losses

  @Test func aLostFixIsReportedOnce() {
    var bench = ReaderBench()
    _ = bench.receive(cycle(1))
    #expect(bench.advance(milliseconds: 1_000).losses.isEmpty)
    var losses: [LocationError] = []
    for second in 2...4 {
      _ = bench.receive(
        sentences("GPGGA,12000\(second),,,,,0,00,,,,,,,", rmc("12000\(second)", status: "V")))
      losses += bench.advance(milliseconds: 1_000).losses
    }
    #expect(losses.map(\.code) == [.locationUnknown])
    #expect(losses.first?.message.contains("no fix") == true)
    #expect(seconds(bench.receive(cycle(5))) == [5])
  }

  @Test func aStandingReceiverHasNoCourse() {
    var bench = ReaderBench()
    _ = bench.receive(sentences(rmc("120001", knots: "0.9")))
    let events = bench.advance(milliseconds: 1_000)
    #expect(events.locations.map(\.course) == [nil])
    #expect(events.headings == [])
  }

  // MARK: Checksums and content

  @Test func countsWhatItSkips() {
    var bench = ReaderBench()
    let good = sentence(rmc("120001"))
    _ = bench.receive(
      good + good.replacing("48", with: "47") + "$GPGGA,120001,4807.0,N,01131.0,E,1\r\n"
        + sentence("AIVDM,1,1,,B,13aGhtw0R<OJf=6LgQ?Ad1FF05`L,0", start: "!")
        + sentence("PUBX,00,1") + sentence("SDDBT,1,f")
        + sentence("GPGGA,120001,9107.0,N,01131.0,E,1")
        + "\u{7f}noise\r\n")
    #expect(bench.counts.sentences == 4)
    #expect(bench.counts.wrongChecksums == 1)
    #expect(bench.counts.malformedSentences == 2)
    #expect(bench.counts.skippedSentences == 3)
    #expect(bench.counts.otherBytes == 6)
    #expect(bench.content.checkedSentences == 5)
    #expect(bench.advance(milliseconds: 1_000).locations.map(\.altitude) == [nil])
    #expect(bench.counts.epochs == 1)
  }

  @Test func withoutChecksumsSentencesAreUsed() {
    var bench = ReaderBench()
    _ = bench.receive("$" + rmc("120001") + "\r\n")
    #expect(seconds(bench.advance(milliseconds: 1_000)) == [1])
    #expect(bench.content.sentences == 1)
    #expect(bench.content.checkedSentences == 0)
  }

  // MARK: Headings

  struct HeadingCase: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let bodies: [String]
    let headings: [Double?]
    let magnetic: [Double?]
  }

  static let headingCases = [
    HeadingCase(
      testDescription: "true", bodies: ["HEHDT,90.5,T"], headings: [90.5], magnetic: [nil]),
    HeadingCase(
      testDescription: "deviation and variation", bodies: ["HCHDG,358.0,1.5,E,3.0,E"],
      headings: [2.5], magnetic: [359.5]),
    HeadingCase(
      testDescription: "to the west", bodies: ["HCHDG,1.0,2.0,W,3.0,W"], headings: [356],
      magnetic: [359]),
    HeadingCase(
      testDescription: "no variation", bodies: ["HCHDG,10.0,,,,"], headings: [nil], magnetic: [10]),
    HeadingCase(
      testDescription: "magnetic", bodies: ["HCHDM,10.0,M"], headings: [nil], magnetic: [10]),
    HeadingCase(testDescription: "not valid", bodies: ["HETHS,10.0,V"], headings: [], magnetic: []),
    HeadingCase(
      testDescription: "out of range", bodies: ["HEHDT,14223,T", "HCHDG,400.0,1.0,E,1.0,E"],
      headings: [], magnetic: []),
    HeadingCase(
      testDescription: "a variation is better than none",
      bodies: ["HCHDG,10.0,,,,", "IIHDM,12.0,M", "IIHDG,11.0,,,3.0,E", "HCHDG,12.0,,,,"],
      headings: [nil, 14], magnetic: [10, 11]),
    HeadingCase(
      testDescription: "the better one of one cycle",
      bodies: [
        "HCHDM,10.0,M", "HCHDT,13.0,T", "HCHDM,11.0,M", "HCHDG,11.0,,,3.0,E", "HCHDT,14.0,T",
      ],
      headings: [nil, 13, 14], magnetic: [10, nil, nil]),
  ]

  @Test(arguments: headingCases) func readsHeadings(_ scenario: HeadingCase) {
    var bench = ReaderBench()
    let events = bench.receive(scenario.bodies.map { sentence($0) }.joined())
    #expect(events.headings.map(\.trueHeading) == scenario.headings)
    #expect(events.headings.map(\.magneticHeading) == scenario.magnetic)
    #expect(events.headings.allSatisfy { $0.source == .compass })
    #expect(events.headings.allSatisfy { $0.timestamp == hostTime })
  }

  @Test func theCourseIsTheHeadingWhileNoCompassReports() {
    var bench = ReaderBench()
    #expect(bench.receive(sentence("HEHDT,90.5,T")).headings.count == 1)
    var headings: [Heading] = []
    for second in 1...9 {
      headings += bench.receive(cycle(second)).headings
      headings += bench.advance(milliseconds: 1_000).headings
    }
    #expect(headings.count == 3)
    #expect(headings.allSatisfy { $0.source == .courseOverGround })
  }
}
