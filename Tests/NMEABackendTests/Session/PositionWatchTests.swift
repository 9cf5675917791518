import AsyncLocation
import Foundation
import LocationTransport
import TestSupport
import Testing

@testable import NMEABackend

/// Lines whose sentences have no position.
@Suite(.inTurn) struct PositionWatchTests {
  typealias Decision = SourceStateMachine.Decision

  /// A machine that listens since second 0.
  private func listening(_ kind: SourceStateMachine.Kind = .datagrams) -> SourceStateMachine {
    var machine = SourceStateMachine(
      SourceStateMachine.Configuration(kind: kind, device: "line", endpoint: "line"))
    _ = machine.connect(at: .zero)
    _ = machine.handle(.opened(date(2026, 5, 4)), at: .zero)
    return machine
  }

  private static func content(_ types: String..., positions: Int = 0) -> SourceReader.Content {
    let count = types.count + positions
    return SourceReader.Content(
      sentences: count, checkedSentences: count, positions: positions, types: types)
  }

  /// The problems of the states, nil for none.
  private func problems(_ decisions: [Decision]) -> [String?] {
    decisions.compactMap { decision in
      guard case .reportConnected(let problem, _, _) = decision else { return nil }
      return .some(problem?.message)
    }
  }

  private static let message =
    "line sends NMEA 0183, but no positions: DBT, MWV. Connect it to the receiver's output, or let "
    + "the multiplexer pass GGA or RMC."

  @Test func isReportedOnceAndEndsWithAPosition() {
    var machine = listening()
    var reports: [Duration: [String?]] = [:]
    for second in 1...30 {
      let now = Duration.seconds(second)
      let decisions = machine.handle(
        .received(Self.content(second.isMultiple(of: 2) ? "MWV" : "DBT")), at: now)
      if !decisions.isEmpty { reports[now] = problems(decisions) }
      #expect(
        decisions.contains { if case .reportUnavailable = $0 { true } else { false } }
          == (second == 11))
    }
    #expect(reports == [.seconds(1): [nil], .seconds(11): [Self.message]])
    let position = Self.content("DBT", positions: 1)
    #expect(problems(machine.handle(.received(position), at: .seconds(31))) == [nil])
    // Again, after the same time.
    #expect(machine.handle(.received(Self.content("DBT")), at: .seconds(32)) == [])
    #expect(machine.handle(.received(Self.content("DBT")), at: .seconds(41)) == [])
    #expect(problems(machine.handle(.received(Self.content("DBT")), at: .seconds(42))).count == 1)
  }

  @Test func positionsBetweenOtherSentencesAreNoProblem() {
    var machine = listening()
    for second in 1...60 {
      let now = Duration.seconds(second)
      let content = Self.content("DBT", "MWV", positions: second.isMultiple(of: 9) ? 1 : 0)
      let decisions = machine.handle(.received(content), at: now)
      #expect(decisions.isEmpty == (second > 1))
    }
  }

  @Test func silenceReplacesTheProblemAndIsReplaced() {
    var machine = listening()
    for second in [1, 11] {
      _ = machine.handle(.received(Self.content("DBT", "MWV")), at: .seconds(second))
    }
    let silence = problems(machine.timerFired(at: .seconds(21)))
    #expect(silence.first??.contains("sent nothing") == true)
    let again = machine.handle(.received(Self.content("DBT")), at: .seconds(25))
    #expect(problems(again) == [Self.message])
  }

  /// The time begins with the first sentence, since the speed may have been looked for long.
  @Test func theTimeBeginsWithTheFirstSentence() {
    var machine = listening(.serialDetecting(first: nil))
    _ = machine.timerFired(at: .seconds(3))
    let first = machine.handle(.received(Self.content("DBT")), at: .seconds(100))
    #expect(problems(first) == [nil])
    #expect(problems(machine.handle(.received(Self.content("MWV")), at: .seconds(110))).count == 1)
  }

  @Test func theTimeBeginsAgainWhenTheSourceIsOpened() {
    var machine = listening()
    _ = machine.handle(.received(Self.content("DBT")), at: .seconds(1))
    _ = machine.handle(.closed(nil), at: .seconds(2))
    _ = machine.connect(at: .seconds(50))
    _ = machine.handle(.opened(date(2026, 5, 4)), at: .seconds(50))
    let first = machine.handle(.received(Self.content("MWV")), at: .seconds(51))
    #expect(problems(first) == [nil])
  }

  // MARK: Sentences

  @Test(arguments: [
    ("SDDBT,7.8,f,2.4,M,1.3,F", "$", 0, ["DBT"]),
    ("AIVDM,1,1,,B,13aGhtw0R<OJf=6LgQ?Ad1FF05`L,0", "!", 0, ["AIS"]),
    ("AIVDO,1,1,,,13aGhtw0R<OJf=6LgQ?Ad1FF05`L,0", "!", 0, ["AIS"]),
    ("PUBX,00,1", "$", 0, ["proprietary"]), ("PGRME,15.0,M", "$", 0, ["proprietary"]),
    ("GP4807,038", "$", 0, []), ("XXXXXX12,1", "$", 0, []),
    ("GPGGA,120001,,,,,0,00,,,,,,,", "$", 1, []), ("GPRMC,120001,V,,,,,,,040526,,", "$", 1, []),
    ("IIGLL,4807.038,N,01131.000,E", "$", 1, []), ("GPGSV,1,1,01,01,40,083,46", "$", 0, ["GSV"]),
  ])
  func readsTheTypes(_ body: String, _ start: String, _ positions: Int, _ types: [String]) {
    var bench = ReaderBench()
    _ = bench.receive(sentence(body, start: start))
    #expect(bench.content.sentences == 1)
    #expect(bench.content.positions == positions)
    #expect(bench.content.types == types)
  }

  @Test func atMostFiveTypesAreListed() {
    var bench = ReaderBench()
    _ = bench.receive(
      ["DBT", "MWV", "DBT", "VHW", "MTW", "VLW", "DPT", "XDR"].map { sentence("II\($0),1") }
        .joined())
    #expect(bench.content.types == ["DBT", "MWV", "VHW", "MTW", "VLW"])
    var watch = PositionWatch()
    for type in ["AAA", "BBB", "AAA", "CCC", "DDD", "EEE", "FFF"] {
      watch.received(Self.content(type), at: .zero)
    }
    #expect(watch.types == ["AAA", "BBB", "CCC", "DDD", "EEE"])
  }
}
