import TestSupport
import Testing

@testable import AsyncLocation

@Suite(.inTurn) struct LocationRequestsTests {
  typealias CallOutcome = Outcome<Location>

  private struct Bench {
    var requests = LocationRequests()

    /// Applies a change. Returns the number of resumed callers and the result of the change.
    @discardableResult
    mutating func decide<Value>(
      _ body: (inout LocationRequests, inout [LocationRequests.Call.Resumption]) -> Value
    ) -> (resumed: Int, value: Value) {
      var resumptions: [LocationRequests.Call.Resumption] = []
      let value = body(&requests, &resumptions)
      for resumption in resumptions { resumption.perform() }
      return (resumptions.count, value)
    }

    mutating func open(_ id: UInt64, _ accuracy: DesiredAccuracy = .best) {
      requests.open(id, OneShotStateMachine(accuracy: accuracy, timeout: .seconds(5)))
    }
  }

  private static func outcomesOf(
    _ callers: Int, _ body: ([LocationRequests.Call.Caller]) -> Void
  ) async -> [CallOutcome] {
    await results(callerCount: callers, body).map { CallOutcome($0.map(\.location)) }
  }

  private static let fix = Sample.location(1, accuracy: 50)
  private static let shutDown = LocationError.managerShutDown

  @Test func waitingCallerGetsTheLocation() async {
    var bench = Bench()
    let outcomes = await Self.outcomesOf(1) { callers in
      bench.open(1)
      let early = bench.requests.wait(1, callers[0])
      #expect(early == nil)
      let (resumed, answered) = bench.decide { $0.handle(.located(Self.fix), resuming: &$1) }
      #expect(resumed == 1)
      #expect(answered == [1])
    }
    #expect(outcomes == [.value(Self.fix)])
  }

  @Test func anEarlyAnswerIsReturnedOnce() async {
    var bench = Bench()
    let outcomes = await Self.outcomesOf(1) { callers in
      bench.open(1)
      #expect(bench.decide { $0.handle(.located(Self.fix), resuming: &$1) }.value == [1])
      #expect(bench.decide { $0.handle(.ended(Self.shutDown), resuming: &$1) }.value == [])
      #expect(bench.decide { $0.handle(1, .deadlinePassed(nil), resuming: &$1) }.value == false)
      #expect(bench.decide { $0.cancel(1, resuming: &$1) }.value == false)
      bench.requests.wait(1, callers[0])?.perform()
      #expect(bench.decide { $0.cancel(1, resuming: &$1) }.value == false)
    }
    #expect(outcomes == [.value(Self.fix)])
  }

  @Test func eachCallerHasItsOwnAccuracy() async {
    var bench = Bench()
    let outcomes = await Self.outcomesOf(3) { callers in
      bench.open(0, .hundredMeters)
      bench.open(1, .nearestTenMeters)
      bench.open(2, .nearestTenMeters)
      for id in 0...2 {
        let early = bench.requests.wait(UInt64(id), callers[id])
        #expect(early == nil)
      }
      #expect(bench.decide { $0.handle(.located(Self.fix), resuming: &$1) }.value == [0])
      #expect(bench.decide { $0.handle(2, .deadlinePassed(nil), resuming: &$1) }.value)
      #expect(bench.decide { $0.handle(.ended(Self.shutDown), resuming: &$1) }.value == [1])
    }
    #expect(outcomes == [.value(Self.fix), .failed(Self.shutDown), .value(Self.fix)])
  }

  @Test func cancelReachesOnlyItsCaller() async {
    var bench = Bench()
    let outcomes = await Self.outcomesOf(2) { callers in
      for id in 0...1 {
        bench.open(UInt64(id))
        let early = bench.requests.wait(UInt64(id), callers[id])
        #expect(early == nil)
      }
      #expect(bench.decide { $0.cancel(0, resuming: &$1) } == (1, true))
      #expect(bench.decide { $0.cancel(0, resuming: &$1) } == (0, false))
      #expect(bench.decide { $0.handle(.located(Self.fix), resuming: &$1) }.value == [1])
    }
    #expect(outcomes == [.cancelled, .value(Self.fix)])
  }

  @Test func cancelBeforeTheWaitIsNotLost() async {
    var bench = Bench()
    let outcomes = await Self.outcomesOf(1) { callers in
      bench.open(1)
      #expect(bench.decide { $0.cancel(1, resuming: &$1) } == (0, true))
      #expect(bench.decide { $0.handle(.located(Self.fix), resuming: &$1) }.value == [])
      bench.requests.wait(1, callers[0])?.perform()
    }
    #expect(outcomes == [.cancelled])
  }

  @Test func unknownCallersAreIgnored() {
    var bench = Bench()
    #expect(bench.decide { $0.handle(9, .located(Self.fix), resuming: &$1) } == (0, false))
    #expect(bench.decide { $0.cancel(9, resuming: &$1) } == (0, false))
    #expect(bench.decide { $0.handle(.located(Self.fix), resuming: &$1) }.value == [])
  }
}
