import AsyncLocation
import Foundation
import TestSupport
import Testing

@testable import NMEABackend

/// Sources that are opened in the middle of a cycle.
@Suite(.inTurn) struct FirstEpochTests {
  /// The seconds after 12:00 of locations.
  private func seconds(_ events: [BackendEvent]) -> [Double] {
    events.locations.map { $0.timestamp.timeIntervalSince(hostTime) }
  }

  /// The rest of a cycle whose GGA, and the first of two GSA, precede the opening.
  private static let rest = sentences(
    "GPGSA,A,3,01,02,,,,,,,,,,,2.0,1.0,1.7", "GPGSV,1,1,02,01,40,083,46,02,17,308,",
    rmc("120001"))

  @Test func theRestOfACycleIsNotDelivered() {
    var bench = ReaderBench()
    bench.open()
    var events = bench.receive(Self.rest)
    events += bench.advance(milliseconds: 700)
    events += bench.receive(cycle(2))
    #expect(events.locations.isEmpty)
    #expect(events.satellites.isEmpty)
    // The next one ends as usual.
    #expect(bench.advance(milliseconds: 249).locations.isEmpty)
    let next = bench.advance(milliseconds: 1)
    #expect(seconds(next) == [2])
    #expect(next.locations.map(\.altitude) == [100.5])
    #expect(next.locations.map(\.gnss?.satellitesUsed) == [8])
    #expect(next.satellites.map(\.satellites.count) == [2])
  }

  @Test func theRestOfACycleIsNotDeliveredOnALineWithoutAPause() {
    var bench = ReaderBench()
    bench.open()
    var events: [BackendEvent] = []
    events += bench.receive(Self.rest + cycle(2) + cycle(3))
    #expect(seconds(events) == [2, 3])
    #expect(events.locations.map(\.altitude) == [100.5, 100.5])
  }

  /// Each beginning of the first second's bytes is cut at another place.
  @Test func aSlowLineDeliversWholeEpochs() {
    let first = Array(cycle(1).utf8)
    for start in stride(from: 0, to: first.count, by: 7) {
      var bench = ReaderBench()
      bench.open()
      var events = bench.receiveForASecond(Array(first[start...]))
      for second in 2...4 { events += bench.receiveForASecond(Array(cycle(second).utf8)) }
      let expected: [Double] = start == 0 ? [1, 2, 3, 4] : [2, 3, 4]
      #expect(seconds(events) == expected, "cut at \(start)")
      #expect(events.locations.allSatisfy { $0.altitude != nil }, "cut at \(start)")
      #expect(events.locations.allSatisfy { $0.course != nil }, "cut at \(start)")
    }
  }

  @Test func theFirstEpochAfterQuietIsDeliveredAtOnce() {
    var bench = ReaderBench()
    bench.open()
    _ = bench.advance(milliseconds: 250)
    #expect(bench.receive(Self.rest).locations.isEmpty)
    #expect(seconds(bench.advance(milliseconds: 250)) == [1])
  }

  /// Quiet before the end of a sentence that was cut counts as well.
  @Test func quietAfterAPartOfASentenceCounts() {
    var bench = ReaderBench()
    bench.open()
    _ = bench.receive("0,N,01131.0000,E*3F\r\n")
    _ = bench.advance(milliseconds: 300)
    _ = bench.receive(Self.rest)
    #expect(seconds(bench.advance(milliseconds: 250)) == [1])
  }

  @Test func aReceiverOfOneSentenceDeliversWithItsSecondOne() {
    var bench = ReaderBench()
    bench.open()
    #expect(bench.receive(sentences(rmc("120001"))).locations.isEmpty)
    #expect(bench.advance(milliseconds: 1_000).locations.isEmpty)
    #expect(seconds(bench.receive(sentences(rmc("120002")))) == [1])
    #expect(seconds(bench.advance(milliseconds: 1_000)) == [2])
  }

  @Test func aWholeFirstEpochIsDeliveredWhenTheNextOneBegins() {
    var bench = ReaderBench()
    bench.open()
    _ = bench.receive(cycle(1))
    #expect(bench.advance(milliseconds: 900).locations.isEmpty)
    let events = bench.receive(sentences(gga("120002")))
    #expect(seconds(events) == [1])
    #expect(events.satellites.count == 1)
  }

  /// A long cycle does not hold back the first location.
  @Test func withoutANextEpochTheFirstOneIsDelivered() {
    var bench = ReaderBench()
    bench.open()
    _ = bench.receive(cycle(1))
    #expect(bench.advance(milliseconds: 1_749).locations.isEmpty)
    #expect(seconds(bench.advance(milliseconds: 1)) == [1])
    _ = bench.receive(cycle(11))
    #expect(seconds(bench.advance(milliseconds: 1_000)) == [11])
  }

  @Test func theEndOfTheConnectionDeliversTheFirstEpoch() {
    var bench = ReaderBench()
    bench.open()
    _ = bench.receive(cycle(1))
    #expect(seconds(bench.endConnection()) == [1])
  }

  /// The rest of a cycle may have a pause.
  @Test func aCycleIsCutAlsoIfAPauseFollows() {
    var bench = ReaderBench()
    bench.open()
    var events: [BackendEvent] = []
    for second in 1...3 {
      events += bench.receive(sentences(rmc("12000\(second)")))
      events += bench.advance(milliseconds: 400)
      events += bench.receive(sentences(gga("12000\(second)")))
      events += bench.advance(milliseconds: 600)
    }
    #expect(seconds(events) == [2, 3])
    #expect(events.locations.map(\.altitude) == [100.5, 100.5])
  }

  /// Each receiver of a line has a first epoch.
  @Test func eachReceiverIsCutAtItsOwnPlace() {
    var bench = ReaderBench()
    bench.open()
    var events = bench.receive(Self.rest + sentence(rmc("120001", talker: "II")))
    events += bench.advance(milliseconds: 700)
    events += bench.receive(cycle(2) + sentence(rmc("120002", talker: "II")))
    // The sentences of II are whole, and GP's are better.
    #expect(seconds(events) == [1])
    events += bench.advance(milliseconds: 300)
    #expect(seconds(events).last == 2)
  }

  @Test func aLossOfTheFixInTheFirstEpochIsReported() {
    var bench = ReaderBench()
    bench.open()
    var events: [BackendEvent] = []
    for second in 1...2 {
      events += bench.receive(sentences(rmc("12000\(second)", status: "V")))
      events += bench.advance(milliseconds: 1_000)
    }
    #expect(events.losses.count == 1)
  }

  /// Sentences at a wrong speed are noise, with the pauses of the cycle.
  @Test func aChangeOfTheSpeedMayCutACycle() {
    var bench = ReaderBench()
    bench.open()
    _ = bench.receive([UInt8](repeating: 0xE6, count: 64))
    _ = bench.advance(milliseconds: 900)
    _ = bench.receive([UInt8](repeating: 0xE6, count: 64))
    bench.open()
    var events = bench.receive(Self.rest)
    events += bench.advance(milliseconds: 700)
    events += bench.receive(cycle(2))
    events += bench.advance(milliseconds: 1_000)
    #expect(seconds(events) == [2])
  }
}
