import AsyncLocation
import CombinedBackend
import MockBackend
import TestSupport
import Testing

@Suite(.inTurn) struct CombinedQuestionTests {
  private static let question = MockBackend.Call.authorizationRequested(.whenInUse)

  @Test(arguments: [AuthorizationDecision.authorizedWhenInUse, .denied])
  func reportSettlesTheQuestion(_ decision: AuthorizationDecision) async throws {
    let bench = try CombinedBench(authorization: [.asking, .granting])
    let updates = bench.manager.updates
    await bench.mocks[0].waitForCall(Self.question)
    bench.mocks[0].setAuthorization(decision)
    await bench.waitUntilRunning(1)
    if decision == .authorizedWhenInUse { await bench.waitUntilRunning(0) }
    #expect(bench.mocks[0].calls { $0 == Self.question }.count == 1)
    withExtendedLifetime(updates) {}
  }

  /// A policy that ignores the cancellation of a request.
  private final class StubbornPolicy: AuthorizationPolicy {
    let questions = Locked(0)
    let asked = AsyncStream.makeStream(of: Void.self)
    let answers = AsyncStream.makeStream(of: AuthorizationDecision.self)

    func authorize(_ request: AuthorizationRequest) async -> AuthorizationDecision {
      questions.withLock { $0 += 1 }
      asked.continuation.yield()
      // A task of its own is not cancelled.
      return await Task { await answers.stream.first { _ in true } ?? .denied }.value
    }
  }

  @Test func cancelledRequestDoesNotWaitForAPolicy() async throws {
    let policy = StubbornPolicy()
    let mocks = [MockBackend(policy: policy), MockBackend(authorization: .granting)]
    let backend = try CombinedBackend(
      [.init("a", mocks[0]), .init("b", mocks[1])], clock: ManualClock())
    let combined = backend.authorizationPolicy
    var asked = policy.asked.stream.makeAsyncIterator()
    let cancelled = Task { await combined.authorize(.whenInUse) }
    await asked.next()
    cancelled.cancel()
    #expect(await cancelled.value == .notDetermined)
    // The policy gets the next question when it has returned.
    let next = Task { await combined.authorize(.whenInUse) }
    let third = Task { await combined.authorize(.whenInUse) }
    third.cancel()
    #expect(await third.value == .notDetermined)
    policy.answers.continuation.yield(.denied)
    await asked.next()
    #expect(policy.questions.withLock(\.self) == 2)
    policy.answers.continuation.yield(.authorizedWhenInUse)
    #expect(await next.value == .authorizedWhenInUse)
  }

  /// The question was not put, because the policy has not returned from the one before.
  @Test func reportSettlesAQuestionThatWasNotPut() async throws {
    let policy = StubbornPolicy()
    let mocks = [MockBackend(policy: policy), MockBackend(authorization: .granting)]
    let backend = try CombinedBackend(
      [.init("a", mocks[0]), .init("b", mocks[1])], clock: ManualClock())
    let combined = backend.authorizationPolicy
    let observation = Task.immediate { await combined.observe { _ in } }
    var asked = policy.asked.stream.makeAsyncIterator()
    let cancelled = Task { await combined.authorize(.whenInUse) }
    await asked.next()
    cancelled.cancel()
    #expect(await cancelled.value == .notDetermined)
    let next = Task.immediate { await combined.authorize(.whenInUse) }
    mocks[0].setAuthorization(.denied)
    #expect(await next.value == .authorizedWhenInUse)
    #expect(policy.questions.withLock(\.self) == 1)
    observation.cancel()
  }

  @Test func cancelledRequestForFullAccuracyDoesNotWaitForAPolicy() async throws {
    let (asked, sink) = AsyncStream.makeStream(of: Void.self)
    let policy = AskingAuthorizationPolicy(
      temporaryFullAccuracy: { _ in
        sink.yield()
        // A task of its own is not cancelled.
        await Task { for await _ in AsyncStream.makeStream(of: Never.self).stream {} }.value
        return .seconds(60)
      }, { _ in .authorizedWhenInUse.limited(to: .reduced) })
    let backend = try CombinedBackend(
      [.init("a", MockBackend(policy: policy))], clock: ManualClock())
    let combined = backend.authorizationPolicy
    #expect(await combined.authorize(.whenInUse).accuracy == .reduced)
    let request = Task { await combined.temporaryFullAccuracy(for: "trip") }
    for await _ in asked { break }
    request.cancel()
    #expect(await request.value == nil)
  }

  @Test func reportThatDecidesNothingLeavesTheQuestionOpen() async throws {
    let bench = try CombinedBench(authorization: [.asking, .granting])
    let updates = bench.manager.updates
    await bench.mocks[0].waitForCall(Self.question)
    bench.mocks[0].setAuthorization(.notDetermined)
    bench.mocks[0].answerAuthorization(.authorizedWhenInUse)
    await bench.waitUntilRunning(0, 1)
    withExtendedLifetime(updates) {}
  }

  /// A policy that reports its answer before it returns it.
  private final class ReportingPolicy: AuthorizationPolicy {
    let reportsEveryDecision = true
    let questions = Locked(0)
    private let observer = Locked<(@Sendable (AuthorizationChange) -> Void)?>(nil)

    func authorize(_ request: AuthorizationRequest) async -> AuthorizationDecision {
      questions.withLock { $0 += 1 }
      observer.withLock(\.self)?(.decision(.authorizedWhenInUse))
      return .authorizedWhenInUse
    }

    func observe(_ report: @escaping @Sendable (AuthorizationChange) -> Void) async {
      observer.withLock { $0 = report }
      report(.decision(.notDetermined))
      for await _ in AsyncStream.makeStream(of: Never.self).stream {}
    }
  }

  @Test func reportedAnswerIsNotAskedForAgain() async throws {
    let policy = ReportingPolicy()
    let mock = MockBackend(policy: policy)
    let backend = try CombinedBackend([.init("a", mock)], clock: ManualClock())
    let manager = LocationManager(backend: backend, clock: ManualClock())
    let updates = manager.updates
    await mock.waitUntilRunning()
    #expect(policy.questions.withLock(\.self) == 1)
    withExtendedLifetime(updates) {}
  }

  /// A source that reduces accuracy while another is asked for full accuracy is asked as well.
  @Test func fullAccuracyNeedsEachSource() async throws {
    let reduced = AuthorizationDecision.authorizedWhenInUse.limited(to: .reduced)
    var asking = MockAuthorization.answering(reduced)
    asking.fullAccuracy = [.later]
    var declining = MockAuthorization.granting
    declining.fullAccuracy = [.now(nil)]
    let bench = try CombinedBench(authorization: [asking, declining])
    let updates = bench.manager.updates
    await bench.waitUntilRunning(0, 1)
    let request = Task {
      try await bench.manager.requestTemporaryFullAccuracyAuthorization(purposeKey: "trip")
    }
    await bench.mocks[0].waitForCall(.fullAccuracyRequested(purposeKey: "trip"))
    bench.mocks[1].setAuthorization(reduced)
    _ = bench.mocks[0].answerFullAccuracy(.seconds(60))
    _ = await request.result
    #expect(await bench.manager.authorization().accuracy == .reduced)
    withExtendedLifetime(updates) {}
  }
}
