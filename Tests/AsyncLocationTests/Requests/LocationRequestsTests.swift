import TestSupport
import Testing

@testable import AsyncLocation

@Suite(.hangLimit) struct LocationRequestsTests {
  typealias Told = Outcome<Location>

  private struct Bench {
    var desk = LocationRequests()

    /// How many callers were resumed, and what the desk said.
    @discardableResult
    mutating func decide<Value>(
      _ body: (inout LocationRequests, inout Effects) -> Value
    ) -> (resumed: Int, value: Value) {
      var effects = Effects()
      let value = body(&desk, &effects)
      let resumed = effects.locations.count
      effects.perform()
      return (resumed, value)
    }

    mutating func open(_ id: UInt64, _ accuracy: DesiredAccuracy = .best) {
      desk.open(id, OneShotStateMachine(accuracy: accuracy, timeout: .seconds(5)))
    }
  }

  private static func told(
    _ callers: Int, _ body: ([PendingCall<Location>.Caller]) -> Void
  ) async -> [Told] {
    await outcomes(of: callers, body).map(Told.init)
  }

  private static let fix = Sample.location(1, accuracy: 50)
  private static let shutDown = LocationError.managerShutDown

  @Test func callerWhoWaitsGetsTheLocation() async {
    var bench = Bench()
    let told = await Self.told(1) { callers in
      bench.open(1)
      let early = bench.desk.wait(1, callers[0])
      #expect(early == nil)
      let (resumed, answered) = bench.decide { $0.handle(.located(Self.fix), &$1) }
      #expect(resumed == 1)
      #expect(answered == [1])
    }
    #expect(told == [.value(Self.fix)])
  }

  @Test func answerWaitsForItsCallerAndIsGivenOnce() async {
    var bench = Bench()
    let told = await Self.told(1) { callers in
      bench.open(1)
      #expect(bench.decide { $0.handle(.located(Self.fix), &$1) }.value == [1])
      #expect(bench.decide { $0.handle(.ended(Self.shutDown), &$1) }.value == [])
      #expect(bench.decide { $0.handle(1, .deadlinePassed(nil), &$1) }.value == false)
      #expect(bench.decide { $0.cancel(1, &$1) }.value == false)
      bench.desk.wait(1, callers[0])?.perform()
      #expect(bench.decide { $0.cancel(1, &$1) }.value == false)
    }
    #expect(told == [.value(Self.fix)])
  }

  @Test func eachCallerWaitsForItsOwnAccuracy() async {
    var bench = Bench()
    let told = await Self.told(3) { callers in
      bench.open(0, .hundredMeters)
      bench.open(1, .nearestTenMeters)
      bench.open(2, .nearestTenMeters)
      for id in 0...2 {
        let early = bench.desk.wait(UInt64(id), callers[id])
        #expect(early == nil)
      }
      #expect(bench.decide { $0.handle(.located(Self.fix), &$1) }.value == [0])
      #expect(bench.decide { $0.handle(2, .deadlinePassed(nil), &$1) }.value)
      #expect(bench.decide { $0.handle(.ended(Self.shutDown), &$1) }.value == [1])
    }
    #expect(told == [.value(Self.fix), .failed(Self.shutDown), .value(Self.fix)])
  }

  @Test func cancelReachesItsOwnCallerAlone() async {
    var bench = Bench()
    let told = await Self.told(2) { callers in
      for id in 0...1 {
        bench.open(UInt64(id))
        let early = bench.desk.wait(UInt64(id), callers[id])
        #expect(early == nil)
      }
      #expect(bench.decide { $0.cancel(0, &$1) } == (1, true))
      #expect(bench.decide { $0.cancel(0, &$1) } == (0, false))
      #expect(bench.decide { $0.handle(.located(Self.fix), &$1) }.value == [1])
    }
    #expect(told == [.cancelled, .value(Self.fix)])
  }

  @Test func cancelBeforeTheWaitIsNotLost() async {
    var bench = Bench()
    let told = await Self.told(1) { callers in
      bench.open(1)
      #expect(bench.decide { $0.cancel(1, &$1) } == (0, true))
      #expect(bench.decide { $0.handle(.located(Self.fix), &$1) }.value == [])
      bench.desk.wait(1, callers[0])?.perform()
    }
    #expect(told == [.cancelled])
  }

  @Test func strangersAreNobody() {
    var bench = Bench()
    #expect(bench.decide { $0.handle(9, .located(Self.fix), &$1) } == (0, false))
    #expect(bench.decide { $0.cancel(9, &$1) } == (0, false))
    #expect(bench.decide { $0.handle(.located(Self.fix), &$1) }.value == [])
  }
}
