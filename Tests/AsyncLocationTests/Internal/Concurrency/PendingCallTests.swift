import TestSupport
import Testing

@testable import AsyncLocation

@Suite(.inTurn) struct PendingCallTests {
  private static let failure = LocationError(.timedOut, "Too late.")

  /// Returns the outcome of one caller that a closure receives.
  private static func outcomesOf(_ body: (PendingCall<Int>.Caller) -> Void) async -> [Outcome<Int>]
  {
    await results(callerCount: 1) { body($0[0]) }.map(Outcome.init)
  }

  @Test func aWaitingCallerIsResumedWithTheResult() async {
    let outcomes = await Self.outcomesOf { caller in
      var call = PendingCall<Int>()
      let atOnce = call.wait(caller)
      #expect(atOnce == nil)
      let resumption = call.resolve(.success(1))
      #expect(resumption != nil)
      resumption?.perform()
    }
    #expect(outcomes == [.value(1)])
  }

  @Test func anEarlierResultIsReturnedToTheCaller() async {
    let outcomes = await Self.outcomesOf { caller in
      var call = PendingCall<Int>()
      let early = call.resolve(.failure(Self.failure))
      #expect(early == nil)
      let resumption = call.wait(caller)
      #expect(resumption != nil)
      resumption?.perform()
    }
    #expect(outcomes == [.failed(Self.failure)])
  }

  @Test func onlyTheFirstResultCounts() async {
    let outcomes = await Self.outcomesOf { caller in
      var call = PendingCall<Int>()
      _ = call.resolve(.success(1))
      _ = call.resolve(.success(2))
      call.wait(caller)?.perform()
      let late = call.resolve(.failure(Self.failure))
      #expect(late == nil)
    }
    #expect(outcomes == [.value(1)])
  }

  @Test func waitingCallerIsResumedOnlyByTheFirstResult() async {
    let outcomes = await Self.outcomesOf { caller in
      var call = PendingCall<Int>()
      _ = call.wait(caller)
      let first = call.resolve(.failure(CancellationError()))
      let second = call.resolve(.success(2))
      #expect(second == nil)
      first?.perform()
    }
    #expect(outcomes == [.cancelled])
  }
}
