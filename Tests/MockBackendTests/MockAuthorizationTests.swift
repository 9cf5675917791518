import AsyncLocation
import Testing

@testable import MockBackend

@Suite(.timeLimit(.minutes(1)))
struct MockAuthorizationTests {
  struct Scenario: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let authorization: MockAuthorization
    let answers: [(AuthorizationRequest, AuthorizationStatus)]
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
      testDescription: "each kind in its order, the last repeated",
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
  func answers(_ scenario: Scenario) async {
    let backend = MockBackend(authorization: scenario.authorization)
    for (request, status) in scenario.answers {
      #expect(await backend.authorizationPolicy.authorize(request) == status)
    }
    #expect(backend.calls == scenario.answers.map { .authorizationRequested($0.0) })
  }

  @Test func answersLater() async {
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

  @Test func tellsObserversOfEveryChange() async {
    let backend = MockBackend(
      authorization: MockAuthorization(initialStatus: .authorizedWhenInUse))
    let early = Journal<AuthorizationStatus>()
    let late = Journal<AuthorizationStatus>()
    let policy = backend.authorizationPolicy
    // What is in force is told without a suspension.
    let observer = Task.immediate { await policy.observe { early.append($0) } }
    #expect(early.entries == [.authorizedWhenInUse])
    backend.setAuthorization(.denied)
    let other = Task.immediate { await policy.observe { late.append($0) } }
    backend.setAuthorization(.authorizedAlways)
    #expect(early.entries == [.authorizedWhenInUse, .denied, .authorizedAlways])
    #expect(late.entries == [.denied, .authorizedAlways])
    observer.cancel()
    await observer.value
    backend.setAuthorization(.notDetermined)
    #expect(early.entries.count == 3)
    #expect(late.entries.last == .notDetermined)
    other.cancel()
    await other.value
  }

  @Test func observersHearOneOrder() async {
    let backend = MockBackend()
    let heard = [Journal<AuthorizationStatus>(), Journal<AuthorizationStatus>()]
    let observers = heard.map { journal in
      Task.immediate { await backend.authorizationPolicy.observe { journal.append($0) } }
    }
    await withTaskGroup { group in
      for status in AuthorizationStatus.allCases {
        group.addTask { for _ in 0..<100 { backend.setAuthorization(status) } }
      }
    }
    for journal in heard { _ = await journal.wait { journal.entries.count == 500 } }
    #expect(heard[0].entries == heard[1].entries)
    for observer in observers {
      observer.cancel()
      await observer.value
    }
  }
}
