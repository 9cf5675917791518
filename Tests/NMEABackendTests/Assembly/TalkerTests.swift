import AsyncLocation
import Foundation
import TestSupport
import Testing

@testable import NMEABackend

/// The sentences of several talkers on one line.
@Suite(.inTurn) struct TalkerTests {
  /// The minutes of latitude of locations, in ten-thousandths.
  private func minutes(_ events: [BackendEvent]) -> [Int] {
    events.locations.map { Int((($0.latitude - 48) * 600_000).rounded()) }
  }

  @Test func theTalkersOfAGNSSReceiverAreOneReceiver() throws {
    var bench = ReaderBench()
    _ = bench.receive(
      sentences(
        gga("120001", talker: "GP"), "GPGSV,1,1,01,01,40,083,46", "GLGSV,1,1,01,65,40,083,46",
        rmc("120001", talker: "GN"), "GNVTG,84.4,T,,M,10.0,N,18.5,K,A"))
    let events = bench.advance(milliseconds: 1_000)
    let location = try #require(events.locations.first)
    #expect(events.locations.count == 1)
    #expect(location.altitude == 100.5)
    #expect(location.course == 84.4)
    #expect(events.satellites.first?.satellites.map(\.prn) == [1, 65])
  }

  @Test func twoReceiversOfOneTypeAreNotMixed() {
    var bench = ReaderBench()
    var events: [BackendEvent] = []
    for second in 1...9 {
      events += bench.receive(
        sentences(
          rmc("12000\(second)", talker: "GP", minutes: "07.0000"),
          rmc("12000\(second)", talker: "GN", minutes: "08.0000")))
      events += bench.advance(milliseconds: 1_000)
    }
    #expect(Set(minutes(events)) == [70_000])
    #expect(events.locations.count == 9)
    #expect(bench.counts.skippedSentences == 9)
  }

  @Test func aReceiverThatChangesItsTalkerIsFollowed() {
    var bench = ReaderBench()
    var events: [BackendEvent] = []
    for second in 1...9 {
      events += bench.receive(
        sentences(rmc("12000\(second)", talker: second < 4 ? "GP" : "GN")))
      events += bench.advance(milliseconds: 1_000)
    }
    #expect(events.locations.count == 9)
    #expect(bench.counts.skippedSentences == 0)
  }

  @Test func aReceiverThatChangesItsTalkerWithoutAFixIsFollowed() {
    var bench = ReaderBench()
    var events: [BackendEvent] = []
    for second in 1...9 {
      events += bench.receive(
        sentences(
          second < 4
            ? rmc("12000\(second)", talker: "GN")
            : rmc("12000\(second)", status: "V", talker: "GP")))
      events += bench.advance(milliseconds: 1_000)
    }
    #expect(events.locations.count == 3)
    #expect(events.losses.count == 1)
  }

  @Test(arguments: [false, true])
  func receiversAtDifferentTimesAreNotMixed(_ isSecondFirst: Bool) {
    var bench = ReaderBench()
    var events: [BackendEvent] = []
    for second in 1...9 {
      let first = sentences(rmc("12000\(second).0", talker: "GP", minutes: "07.0000"))
      let other = sentences(rmc("12000\(second).5", talker: "GN", minutes: "08.0000"))
      events += bench.receive(isSecondFirst ? other : first)
      events += bench.advance(milliseconds: 500)
      events += bench.receive(isSecondFirst ? first : other)
      events += bench.advance(milliseconds: 500)
    }
    let found = minutes(events)
    // At most the first location is of the other receiver.
    #expect(Set(found.dropFirst()).count == 1)
    #expect(found.count >= 8)
  }

  @Test func aPlottersRepetitionIsNotDelivered() {
    var bench = ReaderBench()
    var events: [BackendEvent] = []
    for second in 1...9 {
      events += bench.receive(
        sentences(
          gga("12000\(second)", minutes: "07.0000"), rmc("12000\(second)", minutes: "07.0000"),
          rmc("12000\(second)", talker: "II", minutes: "07.1000")))
      events += bench.advance(milliseconds: 1_000)
    }
    #expect(Set(minutes(events)) == [70_000])
    #expect(events.locations.count == 9)
  }

  @Test func aClearlyBetterReceiverTakesOverAfterAWhile() {
    var bench = ReaderBench()
    var events: [BackendEvent] = []
    for second in 1...20 {
      let time = "1200" + (second < 10 ? "0\(second)" : "\(second)")
      events += bench.receive(
        sentences(
          rmc(time, talker: "II", minutes: "07.1000"), gga(time, quality: 2, minutes: "07.0000"),
          rmc(time, minutes: "07.0000")))
      events += bench.advance(milliseconds: 1_000)
    }
    let found = minutes(events)
    #expect(found.first == 71_000)
    #expect(found.last == 70_000)
    // One change, and one location a second.
    #expect(found == found.sorted(by: >))
    #expect(found.count(where: { $0 == 71_000 }) >= 5)
    #expect((19...21).contains(found.count))
  }

  @Test func anotherReceiverTakesOverFromOneThatLosesItsFix() {
    var bench = ReaderBench()
    var events: [BackendEvent] = []
    for second in 1...9 {
      events += bench.receive(
        sentences(
          rmc("12000\(second)", status: second < 5 ? "A" : "V", minutes: "07.0000"),
          rmc("12000\(second)", talker: "II", minutes: "07.1000")))
      events += bench.advance(milliseconds: 1_000)
    }
    let found = minutes(events)
    #expect(found.first == 70_000)
    #expect(found.last == 71_000)
    #expect(found == found.sorted())
    #expect(found.count >= 8)
    #expect(events.losses == [])
  }

  @Test func theNumberOfReceiversIsBounded() {
    var bench = ReaderBench()
    var bodies: [String] = []
    for first in "ABCDEFH" {
      for second in "ABCDE" { bodies.append(rmc("120001", talker: "\(first)\(second)")) }
    }
    _ = bench.receive(bodies.map { sentence($0) }.joined())
    #expect(bench.counts.skippedSentences == bodies.count - LiveAssembler.maximumReceivers)
  }
}
