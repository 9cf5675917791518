import FoundationEssentials
import TestSupport
import Testing

@testable import AsyncLocation

/// Delays, gaps and repetitions that look like a wrong clock, and wrong clocks that look like them.
@Suite(.inTurn) struct ClockCheckTests {
  typealias Reasons = LocationIntegrity.Reasons

  /// A fix of the receiver, in seconds.
  struct Fix: Sendable {
    /// The time for which the fix is true.
    let time: Double
    var error = 0.0
    let arrival: Double
  }

  /// The seconds of arrival of the suspect fixes, and their reasons.
  private func assess(_ fixes: [Fix]) -> (arrivals: [Double], reasons: Reasons) {
    var machine = IntegrityStateMachine()
    var (arrivals, reasons): ([Double], Reasons) = ([], [])
    for fix in fixes {
      let location = DrivingReceiver(clockError: fix.error).location(fix.time)
      let result = machine.assess(location, at: .seconds(fix.arrival + 1_000))
      guard let result, result.isSuspect else { continue }
      arrivals.append(fix.arrival)
      reasons.formUnion(result.reasons)
    }
    return (arrivals, reasons)
  }

  /// Twenty minutes of fixes at their pace.
  private func fixes(every interval: Double = 1, _ change: (Double) -> Fix) -> [Fix] {
    stride(from: 0, to: 1_200, by: interval).map(change)
  }

  // MARK: The start

  @Test(arguments: [(1.0, 5.0), (1, 25), (5, 4), (10, 5), (60, 5), (60, 2.5)])
  func aLateFirstFixIsNotSuspect(interval: Double, delay: Double) {
    let all = fixes(every: interval) { Fix(time: $0, arrival: $0 + ($0 == 0 ? delay : 0.2)) }
    #expect(assess(all.sorted { $0.arrival < $1.arrival }).reasons == [])
    #expect(assess(all.filter { $0.time == 0 || $0.arrival > delay }).reasons == [])
  }

  @Test func aDelayThatShrinksAtTheStartIsNotSuspect() {
    let all = fixes { Fix(time: $0, arrival: $0 + max(0.2, 5 - $0 / 2)) }
    #expect(assess(all).reasons == [])
  }

  @Test(arguments: [(20.0, 40.0), (70, 3)])
  func aClockThatJumpsFartherOrLaterIsSuspect(second: Double, error: Double) {
    let all = fixes { Fix(time: $0, error: $0 < second ? 0 : error, arrival: $0) }
    let (arrivals, reasons) = assess(all)
    #expect(reasons == .clock)
    #expect(arrivals.first == second + 2)
  }

  // MARK: Gaps

  /// A receiver that is switched off for a while, and then 5 minutes ahead by an error.
  private func afterGap(of gap: Double, error: Double) -> (arrivals: [Double], reasons: Reasons) {
    let all = (0..<7_200).map(Double.init).filter { $0 <= 3_600 || $0 >= 3_600 + gap }
    return assess(
      all.map { second in
        let isAhead = second > 3_600 && second < 3_900 + gap
        return Fix(time: second, error: isAhead ? error : 0, arrival: second)
      })
  }

  @Test func aReceiverThatForgetsTheLeapSecondsIsNotSuspect() {
    #expect(afterGap(of: 40, error: 18).reasons == [])
  }

  @Test(arguments: [(1.0, 18.0), (3, 18), (40, 25)])
  func aClockThatJumpsOtherwiseIsSuspect(gap: Double, error: Double) {
    let (arrivals, reasons) = afterGap(of: gap, error: error)
    #expect(reasons.contains(.clock))
    #expect(arrivals.first.map { $0 < 3_605 + gap } == true)
  }

  // MARK: Repetitions

  @Test(arguments: [5.0, 10, 60], [300.0, 1_000])
  func reportsThatAreSentAgainAtOnceAreNotSuspect(count: Double, start: Double) {
    var all = fixes { Fix(time: $0, arrival: $0) }
    let again = stride(from: start - count, to: start, by: 1).map { Fix(time: $0, arrival: start) }
    all.insert(contentsOf: again, at: Int(start))
    #expect(assess(all).reasons == [])
  }

  /// A replay whose fixes arrive in groups of ten.
  @Test func aReplayThatArrivesInGroupsIsSuspect() {
    let all = fixes(every: 0.1) { second in
      Fix(time: second, error: second < 1_000 ? 0 : -40, arrival: second.rounded(.up))
    }
    let (arrivals, reasons) = assess(all)
    #expect(reasons == .replay)
    #expect(arrivals.first.map { (1_000...1_005).contains($0) } == true)
  }

  /// A receiver with a fix each two minutes that is repeated each ten seconds.
  @Test func aFixThatIsRepeatedUntilTheNextOneIsNotSuspect() {
    let all = fixes(every: 10) { Fix(time: ($0 / 120).rounded(.down) * 120, arrival: $0) }
    #expect(assess(all).reasons == [])
  }

  @Test func aClockThatStandsStillLongerThanUsualIsSuspect() {
    let all = fixes(every: 10) { second in
      Fix(time: min((second / 120).rounded(.down) * 120, 480), arrival: second)
    }
    #expect(assess(all).reasons == .clock)
  }

  // MARK: Delays

  @Test(arguments: [1.1, 1.9, 3])
  func aBacklogThatDrainsSlowlyIsNotSuspect(rate: Double) {
    let all = fixes { second in
      Fix(
        time: second,
        arrival: second < 300 ? second : max(second, 390 + (second - 300) / rate))
    }
    #expect(assess(all).reasons == [])
  }

  @Test func aDelayThatRemainsIsSuspectDespiteItsVariation() {
    let all = fixes { second in
      Fix(
        time: second,
        arrival: second + (second < 300 ? 0 : 40 + second.truncatingRemainder(dividingBy: 3) / 5))
    }
    #expect(assess(all).reasons == .clock)
  }
}
