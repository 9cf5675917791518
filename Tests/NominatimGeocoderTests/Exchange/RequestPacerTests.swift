import AsyncLocation
import TestSupport
import Testing

@testable import NominatimGeocoder

@Suite(.inTurn) struct RequestPacerTests {
  @Test func requestsAreAnIntervalApart() {
    var pacer = RequestPacer(interval: .seconds(1))
    let deadline = Duration.seconds(3)
    #expect(pacer.requested(at: .zero, before: deadline) == .at(.zero))
    #expect(pacer.requested(at: .zero, before: deadline) == .at(.seconds(1)))
    #expect(pacer.requested(at: .milliseconds(500), before: deadline) == .at(.seconds(2)))
    #expect(pacer.requested(at: .milliseconds(500), before: deadline) == .crowded)
    #expect(pacer.requested(at: .seconds(60), before: .seconds(63)) == .at(.seconds(60)))
    #expect(pacer.requested(at: .seconds(60.5), before: .seconds(63)) == .at(.seconds(61)))
  }

  @Test func onlyTheLastTurnCanBeReturned() {
    var pacer = RequestPacer(interval: .seconds(1))
    for turn in 0..<3 {
      #expect(pacer.requested(at: .zero, before: .seconds(9)) == .at(.seconds(turn)))
    }
    pacer.cancelled(.seconds(1))  // Not the last: another one has the turn after it.
    #expect(pacer.requested(at: .zero, before: .seconds(9)) == .at(.seconds(3)))
    pacer.cancelled(.seconds(3))
    #expect(pacer.requested(at: .zero, before: .seconds(9)) == .at(.seconds(3)))
  }

  @Test func withoutAnIntervalAllPassAtOnce() {
    var pacer = RequestPacer(interval: .seconds(-1))
    for _ in 0..<3 { #expect(pacer.requested(at: .zero, before: .seconds(9)) == .at(.zero)) }
    // The pacer does not check whether a deadline is in the past.
    #expect(pacer.requested(at: .zero, before: .seconds(-1)) == .at(.zero))
  }

  @Test func requestsAreRefusedUntilTheLatestRetryAfterTime() {
    var pacer = RequestPacer(interval: .zero)
    pacer.refused(until: .seconds(60))
    pacer.refused(until: .seconds(30))
    #expect(pacer.requested(at: .seconds(1), before: .greatest) == .refused(until: .seconds(60)))
    #expect(pacer.refusal(at: .seconds(59)) == .seconds(60))
    #expect(pacer.refusal(at: .seconds(60)) == nil)
    #expect(pacer.requested(at: .seconds(60), before: .greatest) == .at(.seconds(60)))
  }

  @Test func absurdIntervalsDoNotTrap() {
    var pacer = RequestPacer(interval: .greatest)
    #expect(pacer.requested(at: .seconds(1), before: .greatest) == .at(.seconds(1)))
    #expect(pacer.requested(at: .seconds(1), before: .seconds(9)) == .crowded)
  }
}
