import TestSupport
import Testing

@testable import AsyncLocation

@Suite(.inTurn) struct AuthorizationRequestsTests {
  typealias CallOutcome = Outcome<Authorization>

  /// Applies a change to the requests and performs its effects, as the hub does.
  private struct Bench {
    var requests = AuthorizationRequests()
    var cancelled: [Task<Void, Never>] = []
    var expiries: [Expiry] = []

    /// Returns the number of callers that the change resumes.
    @discardableResult
    mutating func decide(_ body: (inout AuthorizationRequests, inout Effects) -> Void) -> Int {
      var effects = Effects()
      body(&requests, &effects)
      cancelled += effects.cancelled
      if let expiry = effects.expiry { expiries.append(expiry) }
      let resumed = effects.authorizations.count
      effects.perform()
      return resumed
    }

    /// Answers the next question, if there is one. Returns the number of callers that are resumed.
    @discardableResult
    mutating func answer(_ decision: AuthorizationDecision) -> Int {
      guard let question = requests.nextQuestion() else { return 0 }
      return decide { $0.answered(question, .permission(decision), &$1) }
    }
  }

  private static let whenInUse = Question.Subject.permission(.whenInUse)
  private static let always = Question.Subject.permission(.always)
  private static let docking = Question.Subject.fullAccuracy(purposeKey: "docking")

  private static func outcomesOf(
    _ callers: Int, _ body: ([PendingCall<Authorization>.Caller]) -> Void
  ) async -> [CallOutcome] {
    await results(callerCount: callers, body).map(CallOutcome.init)
  }

  private static func granted(_ status: AuthorizationStatus) -> CallOutcome {
    .value(Authorization(status: status))
  }

  @Test func waitingCallerGetsTheAnswer() async {
    var bench = Bench()
    let outcomes = await Self.outcomesOf(1) { callers in
      bench.decide { $0.open(1, Self.whenInUse, &$1) }
      #expect(bench.requests.wait(1, callers[0]) == nil)
      #expect(bench.answer(.denied) == 1)
    }
    #expect(outcomes == [Self.granted(.denied)])
  }

  @Test func anEarlyAnswerIsKeptForItsCaller() async {
    var bench = Bench()
    let outcomes = await Self.outcomesOf(1) { callers in
      bench.decide { $0.open(1, Self.always, &$1) }
      #expect(bench.answer(.authorizedAlways) == 0)
      bench.requests.wait(1, callers[0])?.perform()
    }
    #expect(outcomes == [Self.granted(.authorizedAlways)])
  }

  @Test func callersShareOneQuestionAndAreEachResumedOnce() async throws {
    var bench = Bench()
    let outcomes = await Self.outcomesOf(3) { callers in
      for (index, caller) in callers.enumerated() {
        bench.decide { $0.open(UInt64(index), Self.whenInUse, &$1) }
        #expect(bench.requests.wait(UInt64(index), caller) == nil)
      }
      guard let question = bench.requests.nextQuestion() else {
        Issue.record("permission was not requested")
        return
      }
      #expect(bench.requests.nextQuestion() == nil)
      #expect(bench.decide { $0.answered(question, .permission(.authorizedWhenInUse), &$1) } == 3)
      #expect(bench.decide { $0.answered(question, .permission(.denied), &$1) } == 0)
    }
    #expect(outcomes == Array(repeating: Self.granted(.authorizedWhenInUse), count: 3))
  }

  @Test func cancelReachesOnlyItsCaller() async {
    var bench = Bench()
    let outcomes = await Self.outcomesOf(2) { callers in
      for id: UInt64 in [0, 1] {
        bench.decide { $0.open(id, Self.whenInUse, &$1) }
        #expect(bench.requests.wait(id, callers[Int(id)]) == nil)
      }
      #expect(bench.decide { $0.cancel(0, Self.whenInUse, &$1) } == 1)
      #expect(bench.decide { $0.cancel(0, Self.whenInUse, &$1) } == 0)
      #expect(bench.answer(.denied) == 1)
      #expect(bench.decide { $0.cancel(1, Self.whenInUse, &$1) } == 0)
    }
    #expect(outcomes == [.cancelled, Self.granted(.denied)])
  }

  @Test func cancelBeforeTheWaitIsNotLost() async {
    var bench = Bench()
    let outcomes = await Self.outcomesOf(1) { callers in
      bench.decide { $0.open(1, Self.whenInUse, &$1) }
      #expect(bench.decide { $0.cancel(1, Self.whenInUse, &$1) } == 0)
      #expect(bench.answer(.denied) == 0)
      bench.requests.wait(1, callers[0])?.perform()
    }
    #expect(outcomes == [.cancelled])
  }

  @Test func cancellingAfterTheAnswerReturnsTheAnswer() async {
    var bench = Bench()
    let outcomes = await Self.outcomesOf(1) { callers in
      bench.decide { $0.open(1, Self.whenInUse, &$1) }
      bench.answer(.denied)
      bench.decide { $0.cancel(1, Self.whenInUse, &$1) }
      bench.requests.wait(1, callers[0])?.perform()
    }
    #expect(outcomes == [Self.granted(.denied)])
  }

  @Test func cancelledRequestForAlwaysIsNotAsked() async {
    var bench = Bench()
    let outcomes = await Self.outcomesOf(2) { callers in
      for (id, subject) in [Self.whenInUse, Self.always].enumerated() {
        bench.decide { $0.open(UInt64(id), subject, &$1) }
        #expect(bench.requests.wait(UInt64(id), callers[id]) == nil)
      }
      #expect(bench.decide { $0.cancel(1, Self.always, &$1) } == 1)
      #expect(bench.answer(.authorizedWhenInUse) == 1)
    }
    #expect(outcomes == [Self.granted(.authorizedWhenInUse), .cancelled])
    #expect(bench.requests.nextQuestion() == nil)
  }

  @Test func closingFailsWaitingCallers() async {
    var bench = Bench()
    let outcomes = await Self.outcomesOf(2) { callers in
      bench.decide { $0.open(0, Self.whenInUse, &$1) }
      let question = bench.requests.nextQuestion()
      #expect(bench.requests.wait(0, callers[0]) == nil)
      bench.decide { $0.open(1, Self.always, &$1) }  // Not waiting yet.
      #expect(bench.decide { $0.close(&$1) } == 1)
      if let question {
        #expect(bench.decide { $0.answered(question, .permission(.denied), &$1) } == 0)
      }
      bench.requests.wait(1, callers[1])?.perform()
    }
    #expect(outcomes == [.failed(.managerShutDown), .failed(.managerShutDown)])
    #expect(bench.requests.current == Authorization(status: .notDetermined))
  }

  @Test func callsAfterTheEndFailWithoutAQuestion() async {
    var bench = Bench()
    bench.decide { $0.close(&$1) }
    let outcomes = await Self.outcomesOf(1) { callers in
      bench.decide { $0.open(2, Self.whenInUse, &$1) }
      bench.requests.wait(2, callers[0])?.perform()
    }
    #expect(outcomes == [.failed(.managerShutDown)])
    #expect(bench.requests.nextQuestion() == nil)
  }

  // MARK: Full accuracy

  private static let reduced = AuthorizationDecision.authorizedWhenInUse.limited(to: .reduced)

  @Test func fullAccuracyExpiresRelativeToItsAnswer() async throws {
    var bench = Bench()
    bench.decide { $0.handle(.changed(Self.reduced), &$1) }
    let outcomes = await Self.outcomesOf(1) { callers in
      bench.decide { $0.open(1, Self.docking, &$1) }
      #expect(bench.requests.wait(1, callers[0]) == nil)
      guard let question = bench.requests.nextQuestion() else { return }
      #expect(bench.decide { $0.answered(question, .fullAccuracy(.seconds(9)), &$1) } == 1)
    }
    #expect(outcomes == [.value(Authorization(status: .authorizedWhenInUse, accuracy: .full))])
    #expect(bench.expiries == [Expiry(number: 1, duration: .seconds(9))])
    bench.decide { $0.expired(Expiry(number: 0, duration: .zero), &$1) }  // An outdated expiry.
    #expect(bench.requests.current.accuracy == .full)
    let expiry = bench.expiries[0]
    bench.decide { $0.expired(expiry, &$1) }
    #expect(bench.requests.current.accuracy == .reduced)
  }

  @Test(arguments: [nil, .zero, .seconds(-1)] as [Duration?])
  func fullAccuracyWithoutAPositiveDurationIsDeclined(_ duration: Duration?) async {
    var bench = Bench()
    bench.decide { $0.handle(.changed(Self.reduced), &$1) }
    let outcomes = await Self.outcomesOf(1) { callers in
      bench.decide { $0.open(1, Self.docking, &$1) }
      #expect(bench.requests.wait(1, callers[0]) == nil)
      guard let question = bench.requests.nextQuestion() else { return }
      #expect(bench.decide { $0.answered(question, .fullAccuracy(duration), &$1) } == 1)
    }
    guard case .failed(let error) = outcomes[0] else {
      Issue.record("\(outcomes)")
      return
    }
    #expect(error.code == .promptDeclined)
    #expect(bench.expiries.isEmpty)
  }

  // MARK: Tasks

  @Test func closingCancelsRunningTasks() throws {
    var bench = Bench()
    let (askingTask, questionTask, observationTask) = (
      Task<Void, Never> {}, Task<Void, Never> {}, Task<Void, Never> {}
    )
    bench.decide { $0.setAskingTask(askingTask, &$1) }
    bench.decide { $0.setObservationTask(observationTask, &$1) }
    bench.decide { $0.handle(.requested(.whenInUse), &$1) }
    let next = bench.requests.nextQuestion()
    let question = try #require(next)
    bench.decide { $0.setQuestionTask(questionTask, for: question, &$1) }
    bench.decide { $0.close(&$1) }
    #expect(Set(bench.cancelled) == [askingTask, questionTask])
    bench.decide { $0.close(&$1) }
    #expect(bench.cancelled.count == 2)
    bench.decide { $0.tearDown(&$1) }
    #expect(bench.cancelled.last == observationTask)
  }

  @Test func tasksAddedAfterTheEndAreCancelled() throws {
    var bench = Bench()
    bench.decide { $0.handle(.requested(.whenInUse), &$1) }
    let next = bench.requests.nextQuestion()
    let question = try #require(next)
    bench.decide { $0.close(&$1) }
    bench.decide { $0.tearDown(&$1) }
    let tasks = [Task<Void, Never> {}, Task<Void, Never> {}, Task<Void, Never> {}]
    bench.decide { $0.setQuestionTask(tasks[0], for: question, &$1) }
    bench.decide { $0.setObservationTask(tasks[1], &$1) }
    bench.decide {
      $0.setExpiryTask(tasks[2], for: Expiry(number: 0, duration: .zero), until: .zero, &$1)
    }
    #expect(bench.cancelled == tasks)
  }

  @Test func aRefusalCancelsTheOpenQuestion() async throws {
    var bench = Bench()
    let task = Task<Void, Never> {}
    let outcomes = await Self.outcomesOf(1) { callers in
      bench.decide { $0.open(1, Self.whenInUse, &$1) }
      #expect(bench.requests.wait(1, callers[0]) == nil)
      guard let question = bench.requests.nextQuestion() else { return }
      bench.decide { $0.setQuestionTask(task, for: question, &$1) }
      #expect(bench.decide { $0.handle(.changed(.denied), &$1) } == 1)
      #expect(bench.cancelled == [task])
      #expect(
        bench.decide { $0.answered(question, .permission(.authorizedAlways), &$1) } == 0)
    }
    #expect(outcomes == [Self.granted(.denied)])
    #expect(bench.requests.current.status == .denied)
  }

  @Test func aTaskStoredAfterItsAnswerIsCancelled() throws {
    var bench = Bench()
    bench.decide { $0.handle(.requested(.whenInUse), &$1) }
    let next = bench.requests.nextQuestion()
    let question = try #require(next)
    bench.decide { $0.answered(question, .permission(.authorizedWhenInUse), &$1) }
    let task = Task<Void, Never> {}
    bench.decide { $0.setQuestionTask(task, for: question, &$1) }
    #expect(bench.cancelled == [task])  // The task has ended; cancelling it is harmless.
    bench.decide { $0.close(&$1) }
    #expect(bench.cancelled == [task])
  }
}
