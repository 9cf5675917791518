import Testing

@testable import AsyncLocation

@Suite(.timeLimit(.minutes(1))) struct AuthorizationDeskTests {
  typealias Told = Outcome<Authorization>

  /// Lets a desk decide and carries out what came of it, as the hub does.
  private struct Bench {
    var desk = AuthorizationDesk()
    var questions: [Question] = []
    var cancelled: [Task<Void, Never>] = []

    @discardableResult
    mutating func decide(_ body: (inout AuthorizationDesk, inout Effects) -> Void) -> Int {
      var effects = Effects()
      body(&desk, &effects)
      if let question = effects.question { questions.append(question) }
      cancelled += effects.cancelled
      let resumed = effects.authorizations.count
      effects.perform()
      return resumed
    }
  }

  private static func told(
    _ callers: Int, _ body: ([PendingCall<Authorization>.Caller]) -> Void
  ) async -> [Told] {
    await outcomes(of: callers, body).map(Told.init)
  }

  private static func granted(_ status: AuthorizationStatus) -> Told {
    .value(Authorization(status: status))
  }

  @Test func callerWhoWaitsHearsTheAnswer() async {
    var bench = Bench()
    let told = await Self.told(1) { callers in
      bench.decide { $0.open(1, .whenInUse, &$1) }
      #expect(bench.desk.wait(1, callers[0]) == nil)
      #expect(bench.decide { $0.handle(.answered(.denied), &$1) } == 1)
    }
    #expect(told == [Self.granted(.denied)])
    #expect(bench.questions == [Question(number: 1, request: .whenInUse)])
  }

  @Test func answerWaitsForItsCaller() async {
    var bench = Bench()
    let told = await Self.told(1) { callers in
      bench.decide { $0.open(1, .always, &$1) }
      #expect(bench.decide { $0.handle(.answered(.authorizedAlways), &$1) } == 0)
      bench.desk.wait(1, callers[0])?.perform()
    }
    #expect(told == [Self.granted(.authorizedAlways)])
  }

  @Test func callersShareOneQuestionAndAreEachResumedOnce() async {
    var bench = Bench()
    let told = await Self.told(3) { callers in
      for (index, caller) in callers.enumerated() {
        bench.decide { $0.open(UInt64(index), .whenInUse, &$1) }
        #expect(bench.desk.wait(UInt64(index), caller) == nil)
      }
      #expect(bench.decide { $0.handle(.answered(.authorizedWhenInUse), &$1) } == 3)
      #expect(bench.decide { $0.handle(.answered(.denied), &$1) } == 0)
    }
    #expect(told == Array(repeating: Self.granted(.authorizedWhenInUse), count: 3))
    #expect(bench.questions.count == 1)
  }

  @Test func cancelReachesItsOwnCallerAlone() async {
    var bench = Bench()
    let told = await Self.told(2) { callers in
      for id: UInt64 in [0, 1] {
        bench.decide { $0.open(id, .whenInUse, &$1) }
        #expect(bench.desk.wait(id, callers[Int(id)]) == nil)
      }
      #expect(bench.decide { $0.cancel(0, &$1) } == 1)
      #expect(bench.decide { $0.cancel(0, &$1) } == 0)
      #expect(bench.decide { $0.handle(.answered(.denied), &$1) } == 1)
      #expect(bench.decide { $0.cancel(1, &$1) } == 0)
    }
    #expect(told == [.cancelled, Self.granted(.denied)])
  }

  @Test func cancelBeforeTheWaitIsNotLost() async {
    var bench = Bench()
    let told = await Self.told(1) { callers in
      bench.decide { $0.open(1, .whenInUse, &$1) }
      #expect(bench.decide { $0.cancel(1, &$1) } == 0)
      #expect(bench.decide { $0.handle(.answered(.denied), &$1) } == 0)
      bench.desk.wait(1, callers[0])?.perform()
    }
    #expect(told == [.cancelled])
  }

  @Test func answerBeforeTheCancelStands() async {
    var bench = Bench()
    let told = await Self.told(1) { callers in
      bench.decide { $0.open(1, .whenInUse, &$1) }
      bench.decide { $0.handle(.answered(.denied), &$1) }
      bench.decide { $0.cancel(1, &$1) }
      bench.desk.wait(1, callers[0])?.perform()
    }
    #expect(told == [Self.granted(.denied)])
  }

  @Test func closingFailsWhoWaits() async {
    var bench = Bench()
    let told = await Self.told(2) { callers in
      bench.decide { $0.open(0, .whenInUse, &$1) }
      let early = bench.desk.wait(0, callers[0])
      #expect(early == nil)
      bench.decide { $0.open(1, .always, &$1) }  // Has not come to wait yet.
      let resumed = bench.decide { $0.close(&$1) }
      #expect(resumed == 1)
      let answered = bench.decide { $0.handle(.answered(.authorizedAlways), &$1) }
      #expect(answered == 0)
      bench.desk.wait(1, callers[1])?.perform()
    }
    #expect(told == [.failed(.managerShutDown), .failed(.managerShutDown)])
    #expect(bench.desk.current == Authorization(status: .notDetermined))
  }

  @Test func whoComesAfterTheEndFailsAndAsksNobody() async {
    var bench = Bench()
    bench.decide { $0.close(&$1) }
    let told = await Self.told(1) { callers in
      bench.decide { $0.open(2, .whenInUse, &$1) }
      bench.desk.wait(2, callers[0])?.perform()
    }
    #expect(told == [.failed(.managerShutDown)])
    #expect(bench.questions.isEmpty)
  }

  // MARK: Tasks

  @Test func closingCancelsTheObserverAndTheQuestionThatIsOut() throws {
    var bench = Bench()
    let (observer, question) = (Task<Void, Never> {}, Task<Void, Never> {})
    bench.decide { $0.keepObserver(observer, &$1) }
    bench.decide { $0.handle(.wanted, &$1) }
    let asked = try #require(bench.questions.first)
    bench.decide { $0.keep(question, for: asked, &$1) }
    bench.decide { $0.close(&$1) }
    #expect(bench.cancelled == [observer, question])
    bench.decide { $0.close(&$1) }
    #expect(bench.cancelled.count == 2)
  }

  @Test func tasksThatComeAfterTheEndAreCancelledAtOnce() throws {
    var bench = Bench()
    bench.decide { $0.handle(.wanted, &$1) }
    let asked = try #require(bench.questions.first)
    bench.decide { $0.close(&$1) }
    let (observer, question) = (Task<Void, Never> {}, Task<Void, Never> {})
    bench.decide { $0.keep(question, for: asked, &$1) }
    bench.decide { $0.keepObserver(observer, &$1) }
    #expect(bench.cancelled == [question, observer])
  }

  @Test func answeredQuestionsAreNotKept() throws {
    var bench = Bench()
    let (first, second) = (Task<Void, Never> {}, Task<Void, Never> {})
    bench.decide { $0.open(1, .whenInUse, &$1) }
    bench.decide { $0.open(2, .always, &$1) }
    bench.decide { $0.handle(.answered(.authorizedWhenInUse), &$1) }
    try #require(bench.questions.map(\.request) == [.whenInUse, .always])
    // The second question is out before the first one's task could be kept.
    let asked = bench.questions
    bench.decide { $0.keep(second, for: asked[1], &$1) }
    bench.decide { $0.keep(first, for: asked[0], &$1) }
    bench.decide { $0.close(&$1) }
    #expect(bench.cancelled == [second])
  }

  @Test func quickAnswerLeavesNothingToCancel() throws {
    var bench = Bench()
    bench.decide { $0.handle(.wanted, &$1) }
    bench.decide { $0.handle(.answered(.authorizedWhenInUse), &$1) }
    let asked = try #require(bench.questions.first)
    bench.decide { $0.keep(Task {}, for: asked, &$1) }
    bench.decide { $0.close(&$1) }
    #expect(bench.cancelled.isEmpty)
  }
}
