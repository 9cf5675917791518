import AsyncLocation
import TestSupport
import Testing

@testable import MockBackend

@Suite(.inTurn)
struct MockAuthorizationTests {
  struct Scenario: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let authorization: MockAuthorization
    let answers: [(AuthorizationRequest, AuthorizationDecision)]
  }

  static let scenarios = [
    Scenario(
      testDescription: "granting", authorization: .granting,
      answers: [(.whenInUse, .authorizedWhenInUse), (.always, .authorizedAlways)]),
    Scenario(
      testDescription: "denying", authorization: .denying,
      answers: [(.whenInUse, .denied), (.always, .denied)]),
    Scenario(
      testDescription: "restricting", authorization: .restricting,
      answers: [(.always, .restricted), (.whenInUse, .restricted)]),
    Scenario(
      testDescription: "each kind in order, the last repeated",
      authorization: MockAuthorization(
        whenInUse: [.now(.denied), .now(.authorizedWhenInUse)],
        always: [.now(.authorizedWhenInUse)]),
      answers: [
        (.whenInUse, .denied), (.always, .authorizedWhenInUse),
        (.whenInUse, .authorizedWhenInUse), (.whenInUse, .authorizedWhenInUse),
        (.always, .authorizedWhenInUse),
      ]),
  ]

  @Test(arguments: scenarios)
  func requestsReturnTheScriptedAnswers(_ scenario: Scenario) async {
    let backend = MockBackend(authorization: scenario.authorization)
    for (request, decision) in scenario.answers {
      #expect(await backend.authorizationPolicy.authorize(request) == decision)
    }
    #expect(backend.calls == scenario.answers.map { .authorizationRequested($0.0) })
  }

  @Test func requestsCanBeAnsweredLater() async {
    let backend = MockBackend(authorization: .asking)
    #expect(!backend.answerAuthorization(.denied))
    let first = Task { await backend.authorizationPolicy.authorize(.whenInUse) }
    await backend.waitForCall(.authorizationRequested(.whenInUse))
    let second = Task { await backend.authorizationPolicy.authorize(.always) }
    await backend.waitForCall(.authorizationRequested(.always))
    #expect(backend.pendingAuthorizationRequests == [.whenInUse, .always])
    #expect(backend.answerAuthorization(.authorizedAlways, to: .always))
    #expect(!backend.answerAuthorization(.authorizedAlways, to: .always))
    #expect(await second.value == .authorizedAlways)
    #expect(backend.answerAuthorization(.denied))
    #expect(await first.value == .denied)
    #expect(backend.pendingAuthorizationRequests.isEmpty)
  }

  @Test func aCancelledRequestReturns() async {
    let backend = MockBackend(authorization: .asking)
    let request = Task { await backend.authorizationPolicy.authorize(.always) }
    await backend.waitForCall(.authorizationRequested(.always))
    request.cancel()
    #expect(await request.value == .notDetermined)
    #expect(backend.pendingAuthorizationRequests.isEmpty)
    #expect(
      backend.calls == [.authorizationRequested(.always), .authorizationCancelled(.always)])
  }

  @Test func fullAccuracyIsAnsweredInOrder() async {
    let backend = MockBackend(
      authorization: MockAuthorization(fullAccuracy: [.now(.seconds(1)), .now(nil)]))
    let policy = backend.authorizationPolicy
    #expect(await policy.temporaryFullAccuracy(for: "a") == .seconds(1))
    #expect(await policy.temporaryFullAccuracy(for: "b") == nil)
    #expect(await policy.temporaryFullAccuracy(for: "c") == nil)
    #expect(
      backend.calls == ["a", "b", "c"].map { .fullAccuracyRequested(purposeKey: $0) })
  }

  @Test func fullAccuracyIsAnsweredLaterOrCancelled() async {
    let backend = MockBackend(authorization: .asking)
    #expect(!backend.answerFullAccuracy(nil))
    let policy = backend.authorizationPolicy
    let first = Task { await policy.temporaryFullAccuracy(for: "a") }
    await backend.waitForCall(.fullAccuracyRequested(purposeKey: "a"))
    let second = Task { await policy.temporaryFullAccuracy(for: "b") }
    await backend.waitForCall(.fullAccuracyRequested(purposeKey: "b"))
    #expect(backend.pendingFullAccuracyRequests == ["a", "b"])
    #expect(backend.answerFullAccuracy(.seconds(9)))
    #expect(await first.value == .seconds(9))
    second.cancel()
    #expect(await second.value == nil)
    #expect(backend.calls.last == .fullAccuracyCancelled(purposeKey: "b"))
    #expect(backend.pendingFullAccuracyRequests.isEmpty)
  }

  @Test func reportsEveryChangeToObservers() async {
    let backend = MockBackend(
      authorization: MockAuthorization(initialDecision: .authorizedWhenInUse))
    let early = Journal<AuthorizationChange>()
    let late = Journal<AuthorizationChange>()
    let policy = backend.authorizationPolicy
    // The current decision is reported without a suspension.
    let observer = Task.immediate { await policy.observe { early.append($0) } }
    #expect(early.entries == [.decision(.authorizedWhenInUse)])
    backend.setAuthorization(.denied)
    let other = Task.immediate { await policy.observe { late.append($0) } }
    backend.setAuthorization(.authorizedAlways)
    backend.setLocationServices(enabled: false)
    #expect(
      early.entries == [
        .decision(.authorizedWhenInUse), .decision(.denied), .decision(.authorizedAlways),
        .locationServices(enabled: false),
      ])
    #expect(late.entries == Array(early.entries.dropFirst()))
    observer.cancel()
    await observer.value
    backend.setAuthorization(.notDetermined)
    #expect(early.entries.count == 4)
    #expect(late.entries.last == .decision(.notDetermined))
    other.cancel()
    await other.value
  }

  @Test func observersReceiveChangesInOneOrder() async {
    let backend = MockBackend()
    let journals = [Journal<AuthorizationChange>(), Journal<AuthorizationChange>()]
    let observers = journals.map { journal in
      Task.immediate { await backend.authorizationPolicy.observe { journal.append($0) } }
    }
    await withTaskGroup { group in
      for permission in AuthorizationDecision.Permission.allCases {
        group.addTask {
          for _ in 0..<100 { backend.setAuthorization(AuthorizationDecision(permission)) }
        }
      }
    }
    // Seven permissions, 100 times each.
    for journal in journals { _ = await journal.wait { journal.entries.count == 700 } }
    #expect(journals[0].entries == journals[1].entries)
    for observer in observers {
      observer.cancel()
      await observer.value
    }
  }
}
