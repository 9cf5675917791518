import TestSupport
import Testing

@testable import AsyncLocation

/// Decisions of a policy take effect with a delay and in order.
@Suite(.tags(.ordering), .inTurn)
struct PolicyTimingTests {
  /// A policy whose reports and answers are controlled by the test.
  final class Policy: AuthorizationPolicy {
    typealias Report = @Sendable (AuthorizationChange) -> Void

    let reportsEveryDecision: Bool
    let keys = AsyncStream.makeStream(of: Result<ReducedAccuracyKey, LocationError>.self)
    let answers = AsyncStream.makeStream(of: AuthorizationDecision.self)
    let keyCalls = AsyncStream.makeStream(of: Void.self)
    let questions = AsyncStream.makeStream(of: AuthorizationRequest.self)
    let end = AsyncStream.makeStream(of: Void.self)
    private let observer = Locked<Report?>(nil)

    init(reportsEveryDecision: Bool = false) { self.reportsEveryDecision = reportsEveryDecision }

    func report(_ decision: AuthorizationDecision) {
      let report = observer.withLock { $0 }
      report?(.decision(decision))
    }

    func authorize(_ request: AuthorizationRequest) async -> AuthorizationDecision {
      questions.continuation.yield(request)
      for await answer in answers.stream { return answer }
      return .notDetermined
    }

    func reducedAccuracyKey() async throws(LocationError) -> ReducedAccuracyKey {
      keyCalls.continuation.yield()
      for await key in keys.stream { return try key.get() }
      throw LocationError(.unsupported, "cancelled")
    }

    func observe(_ report: @escaping Report) async {
      observer.withLock { $0 = report }
      for await _ in end.stream { break }
    }

    func waitForKeyRequest() async { for await _ in keyCalls.stream { return } }
    func waitForQuestion() async { for await _ in questions.stream { return } }
  }

  /// Emits precise locations on the test's command.
  private struct Source: LocationBackend {
    let policy: Policy
    let emits = AsyncStream.makeStream(of: (@Sendable ([BackendEvent]) -> Void).self)
    let capabilities = BackendCapabilities.all
    var authorizationPolicy: any AuthorizationPolicy { policy }

    func run(
      _ demand: BackendDemand, emit: @escaping @Sendable ([BackendEvent]) -> Void
    ) async throws {
      emits.continuation.yield(emit)
      while !Task.isCancelled { await Task.yield() }
    }

    /// Waits for the next run, and returns the closure to which it passes events.
    func nextEmit() async -> (@Sendable ([BackendEvent]) -> Void)? {
      for await emit in emits.stream { return emit }
      return nil
    }
  }

  private static let reduced = AuthorizationDecision.authorizedWhenInUse.limited(to: .reduced)
  private static let key = Result { () throws(LocationError) in
    try ReducedAccuracyKey(bytes: Array(0..<32))
  }

  // MARK: The key

  @Test func preciseDeliveryStopsBeforeTheKeyIsRead() async throws {
    let policy = Policy()
    let source = Source(policy: policy)
    let manager = LocationManager(backend: source)
    policy.report(.authorizedWhenInUse)
    var updates = manager.updates(UpdateOptions()).makeAsyncIterator()
    let emit = try #require(await source.nextEmit())
    emit([.location(fix(1, accuracy: 5))])
    #expect(try await updates.next()?.horizontalAccuracy == 5)
    policy.report(Self.reduced)
    #expect(await manager.authorization().accuracy == .reduced)
    #expect(await manager.location == nil)
    emit([.location(fix(2, accuracy: 5))])
    #expect(await manager.statistics.reportsWithheld == 1)
    await policy.waitForKeyRequest()
    policy.keys.continuation.yield(Self.key)
    // The last location is available again, reduced.
    while await manager.location == nil { await Task.yield() }
    let known = await manager.location
    #expect(known?.horizontalAccuracy ?? 0 > 1_000)
    emit([.location(fix(3, accuracy: 5))])
    let coarse = try await updates.next()
    #expect(coarse?.horizontalAccuracy ?? 0 > 1_000)
    await manager.shutdown()
  }

  /// After shutdown nothing is reduced, and unread elements are still subject to permission.
  @Test func grantWaitingForItsKeyTakesEffectAtShutdown() async throws {
    let policy = Policy()
    let manager = LocationManager(backend: Source(policy: policy))
    policy.report(Self.reduced)
    await policy.waitForKeyRequest()
    #expect(await manager.authorization().status == .notDetermined)
    await manager.shutdown()
    let authorization = await manager.authorization()
    #expect(authorization.status == .authorizedWhenInUse)
    #expect(authorization.accuracy == .reduced)
  }

  @Test func aKeyReadAfterARevocationGrantsNothing() async throws {
    for first in [AuthorizationDecision.authorizedAlways, .notDetermined] {
      let policy = Policy()
      let manager = LocationManager(backend: Source(policy: policy))
      policy.report(first)
      policy.report(Self.reduced)
      await policy.waitForKeyRequest()
      policy.report(.denied)
      #expect(await manager.authorization().status == .denied)
      policy.keys.continuation.yield(Self.key)
      while manager.hub.decide({ state, _ in state.known.tracks == nil }) { await Task.yield() }
      #expect(await manager.authorization().status == .denied)
      await manager.shutdown()
    }
  }

  @Test func aRequestIsAnsweredOnceTheKeyIsThere() async throws {
    let policy = Policy()
    let manager = LocationManager(backend: Source(policy: policy))
    let request = Task { try await manager.requestWhenInUseAuthorization() }
    await policy.waitForQuestion()
    policy.answers.continuation.yield(Self.reduced)
    await policy.waitForKeyRequest()
    #expect(await manager.authorization().status == .notDetermined)
    policy.keys.continuation.yield(Self.key)
    #expect(try await request.value.status == .authorizedWhenInUse)
    #expect(await manager.authorization().accuracy == .reduced)
    await manager.shutdown()
  }

  @Test func deniedUntilTheKeyIsAvailable() async throws {
    let policy = Policy()
    let manager = LocationManager(backend: Source(policy: policy))
    var changes = manager.authorizationUpdates.makeAsyncIterator()
    #expect(await changes.next()?.status == .notDetermined)
    policy.report(Self.reduced)
    policy.keys.continuation.yield(.failure(LocationError(.unsupported, "The disk is full.")))
    let denied = await changes.next()
    #expect(denied?.status == .denied)
    #expect(denied?.reason?.contains("The disk is full.") == true)
    policy.report(Self.reduced)
    policy.keys.continuation.yield(Self.key)
    let granted = await changes.next()
    #expect(granted?.status == .authorizedWhenInUse)
    #expect(granted?.accuracy == .reduced)
    await manager.shutdown()
  }

  @Test func shutdownDoesNotWaitForTheKey() async throws {
    let policy = Policy()
    let manager = LocationManager(backend: Source(policy: policy))
    policy.report(Self.reduced)
    await policy.waitForKeyRequest()
    let request = Task { try await manager.requestAlwaysAuthorization() }
    await policy.waitForQuestion()
    await manager.shutdown()
    await #expect(throws: LocationError.self) { try await request.value }
  }

  // MARK: The first report

  @Test func authorizationWaitsForTheFirstReport() async throws {
    let policy = Policy(reportsEveryDecision: true)
    let manager = LocationManager(backend: Source(policy: policy))
    var changes = manager.authorizationUpdates.makeAsyncIterator()
    let waiting = Task.immediate { await manager.authorization() }
    let cancelled = Task.immediate { await manager.authorization() }
    cancelled.cancel()
    #expect(await cancelled.value.status == .notDetermined)
    policy.report(Self.reduced)  // Takes effect once its key is read.
    policy.keys.continuation.yield(Self.key)
    #expect(await waiting.value.status == .authorizedWhenInUse)
    #expect(await changes.next()?.status == .authorizedWhenInUse)
    for await authorization in manager.authorizationUpdates {
      #expect(authorization.status == .authorizedWhenInUse)
      break
    }
    await manager.shutdown()
  }

  @Test func aRequestWaitsForTheFirstReportInsteadOfAsking() async throws {
    let policy = Policy(reportsEveryDecision: true)
    let manager = LocationManager(backend: Source(policy: policy))
    let request = Task.immediate { try await manager.requestWhenInUseAuthorization() }
    let fullAccuracy = Task.immediate {
      try await manager.requestTemporaryFullAccuracyAuthorization(purposeKey: "docking")
    }
    policy.report(.authorizedAlways)
    #expect(try await request.value.status == .authorizedAlways)
    #expect(try await fullAccuracy.value.accuracy == .full)
    policy.questions.continuation.finish()
    for await _ in policy.questions.stream { Issue.record("it was asked") }
    await manager.shutdown()
  }

  /// A stream requests permission before the first report. The answer replaces a report whose key
  /// is being read.
  @Test func anAnswerCountsAsTheFirstReport() async throws {
    let policy = Policy(reportsEveryDecision: true)
    let manager = LocationManager(backend: Source(policy: policy))
    let updates = manager.updates
    var changes = manager.authorizationUpdates.makeAsyncIterator()
    await policy.waitForQuestion()
    policy.report(Self.reduced)
    policy.answers.continuation.yield(Self.reduced)
    await policy.waitForQuestion()
    policy.answers.continuation.yield(Self.reduced)
    await policy.waitForKeyRequest()
    policy.keys.continuation.yield(Self.key)
    #expect(await changes.next()?.accuracy == .reduced)
    #expect(await manager.authorization().status == .authorizedWhenInUse)
    await manager.shutdown()
    withExtendedLifetime(updates) {}
  }

  /// A policy that promises a report and makes none does not block callers forever.
  @Test(arguments: [false, true])
  func theWaitForTheFirstReportEnds(withTheManager: Bool) async throws {
    let policy = Policy(reportsEveryDecision: true)
    let manager = LocationManager(backend: Source(policy: policy))
    let waiting = Task.immediate { await manager.authorization() }
    if withTheManager { await manager.shutdown() } else { policy.end.continuation.finish() }
    #expect(await waiting.value.status == .notDetermined)
    await manager.shutdown()
  }

  @Test func aReportDuringARequestAsksAgain() async throws {
    let policy = Policy(reportsEveryDecision: true)
    let manager = LocationManager(backend: Source(policy: policy))
    policy.report(.authorizedWhenInUse)
    let request = Task { try await manager.requestAlwaysAuthorization() }
    await policy.waitForQuestion()
    policy.report(.authorizedWhenInUse.withReason("The rule was changed."))
    policy.answers.continuation.yield(.authorizedAlways)  // The decision before the report.
    await policy.waitForQuestion()
    policy.answers.continuation.yield(.authorizedWhenInUse)
    #expect(try await request.value.status == .authorizedWhenInUse)
    await manager.shutdown()
  }
}
