import AsyncLocation
import MockBackend
import TestSupport
import Testing

/// One mock run per transition of permission, observed through the public interface.
@Suite(.tags(.ordering), .inTurn)
struct PermissionTransitionTests {
  typealias Permission = AuthorizationDecision.Permission

  /// The policy changes from every permission to every other during a stream.
  @Test(arguments: Permission.allCases, Permission.allCases)
  func everyChangeAppliesToARunningStream(_ old: Permission, _ new: Permission) async throws {
    let backend = MockBackend(
      authorization: MockAuthorization(
        whenInUse: [.later], initialDecision: AuthorizationDecision(old)))
    let manager = LocationManager(backend: backend)
    #expect(await manager.authorization().status == old.status)
    let (updates, live) = (manager.updates, manager.liveUpdates)
    var expected: [Location] = []
    if old.status.isAuthorized {
      await backend.waitUntilRunning()
      try backend.emit(.location(fix(1)))
      expected.append(fix(1))
      // Another thread may deliver the location.
      while await manager.location == nil { await Task.yield() }
      #expect(await manager.location == fix(1))
    }
    backend.setAuthorization(AuthorizationDecision(new))
    #expect(await manager.authorization().status == new.status)
    if new != old, !new.status.isAuthorized { #expect(await manager.location == nil) }
    // Unread elements are discarded.
    if !new.status.isAuthorized { expected = [] }
    if new == .notDetermined, old.isUndecidedOrGranted {
      // A subscriber waits for locations, so permission is requested.
      await backend.waitForCall(.authorizationRequested(.whenInUse))
      backend.answerAuthorization(.authorizedWhenInUse)
    }
    if old.isUndecidedOrGranted, !new.refuses {
      let runs = old.status.isAuthorized && !new.status.isAuthorized ? 2 : 1
      await backend.waitForCall(count: runs) { if case .runStarted = $0 { true } else { false } }
      try backend.emit(.location(fix(2)))
      expected.append(fix(2))
      try backend.end()
    }
    let seen = await updates.all()
    let refusal = old.refuses ? old : new.refuses ? new : nil
    #expect(seen.elements == expected)
    #expect(
      (seen.error as? LocationError)?.code
        == refusal.map { $0 == .denied ? LocationError.Code.denied : .restricted })
    await manager.shutdown()
    // A grant after a refusal is too late for the throwing stream, but not for the live one.
    #expect(
      Array((await live.all().elements.compactMap(\.location)).prefix(expected.count)) == expected)
  }

  /// Each answer to each request, starting undetermined.
  @Test(arguments: AuthorizationRequest.allCases, Permission.allCases)
  func eachAnswerIsReturned(_ request: AuthorizationRequest, _ answer: Permission) async throws {
    let decision = AuthorizationDecision(answer)
    let backend = try MockBackend(authorization: .answering(decision), script: [.locations(fix(1))])
    let manager = LocationManager(backend: backend)
    let authorization =
      switch request {
      case .whenInUse: try await manager.requestWhenInUseAuthorization()
      case .always: try await manager.requestAlwaysAuthorization()
      }
    #expect(authorization == Authorization(status: answer.status))
    #expect(await manager.authorization() == authorization)
    // A second request returns; only undecided permission is requested again.
    _ = try await manager.requestAlwaysAuthorization()
    let requests = backend.calls { if case .authorizationRequested = $0 { true } else { false } }
    let expected: Int =
      switch (request, answer) {
      case (_, .notDetermined), (.whenInUse, .whenInUse): 2
      default: 1
      }
    #expect(requests.count == expected)
    guard answer.status.isAuthorized else { return }
    #expect(try await manager.updates.first(1) == [fix(1)])
  }

  @Test func permissionForOnceLapsesWithTheLastDemand() async throws {
    let backend = MockBackend(authorization: .answering(.authorizedOnce))
    let manager = LocationManager(backend: backend)
    var changes = manager.authorizationUpdates.makeAsyncIterator()
    #expect(await changes.next()?.status == .notDetermined)
    do {
      let (first, second) = (manager.updates, manager.headings)
      await backend.waitUntilRunning()
      #expect(await changes.next()?.status == .authorizedWhenInUse)
      try backend.emit(.location(fix(1)), .heading(heading(10)))
      #expect(try await first.first(1) == [fix(1)])
      #expect(await manager.authorization().status == .authorizedWhenInUse)
      #expect(try await second.first(1) == [heading(10)])
    }
    #expect(await changes.next()?.status == .notDetermined)
    #expect(await manager.location == nil)
    // The next use requests permission again.
    let laterUpdates = manager.updates
    await backend.waitForCall(.authorizationRequested(.whenInUse), count: 2)
    #expect(await changes.next()?.status == .authorizedWhenInUse)
    _ = laterUpdates
  }

  @Test func permissionForOnceLapsesAfterOneCall() async throws {
    let backend = try MockBackend(
      authorization: .answering(.authorizedOnce), script: [.locations(fix(1))])
    let manager = LocationManager(backend: backend)
    #expect(try await manager.currentLocation() == fix(1))
    #expect(await manager.authorization().status == .notDetermined)
    #expect(await manager.location == nil)
  }

  @Test func provisionalAlwaysIsConfirmedOrLowered() async throws {
    for decision in [AuthorizationDecision.authorizedAlways, .authorizedWhenInUse] {
      let backend = MockBackend(authorization: .answering(.provisionallyAuthorizedAlways))
      let manager = LocationManager(backend: backend)
      #expect(try await manager.requestAlwaysAuthorization().status == .authorizedAlways)
      let updates = manager.updates
      await backend.waitUntilRunning()
      backend.setAuthorization(decision)
      try backend.emit(.location(fix(1)))
      #expect(try await updates.first(1) == [fix(1)])
      #expect(await manager.authorization().status == decision.permission.status)
      #expect(
        try await manager.requestAlwaysAuthorization().status == decision.permission.status)
      #expect(backend.calls { $0 == .authorizationRequested(.always) }.count == 1)
    }
  }

  @Test func switchingServicesOffEndsStreamsUntilSwitchedOn() async throws {
    let backend = MockBackend()
    let manager = LocationManager(backend: backend)
    let (updates, live) = (manager.updates, manager.liveUpdates)
    await backend.waitUntilRunning()
    try backend.emit(.location(fix(1)), .location(fix(2)))
    #expect(try await updates.first(1) == [fix(1)])
    backend.setLocationServices(enabled: false)
    let seen = await updates.all()
    #expect(seen.elements == [])
    let error = try #require(seen.error as? LocationError)
    #expect(error.code == .locationServicesDisabled)
    #expect(error.message.contains("switched off"))
    let off = await manager.authorization()
    #expect(off == Authorization(status: .denied, locationServicesEnabled: false))
    #expect(await manager.location == nil)
    #expect(try await manager.requestAlwaysAuthorization() == off)
    let requestError = await #expect(throws: LocationError.self) {
      try await manager.currentLocation()
    }
    #expect(requestError?.code == .locationServicesDisabled)
    #expect((await manager.headings.all().error as? LocationError)?.code == requestError?.code)
    await backend.waitUntilIdle()
    backend.setLocationServices(enabled: true)
    #expect(await manager.authorization().status == .authorizedWhenInUse)
    await backend.waitUntilRunning()  // The live stream is still subscribed.
    await manager.shutdown()
    let reported = await live.all().elements.map(\.diagnostics)
    #expect(reported.contains([.authorizationDenied, .authorizationDeniedGlobally]))
  }

  @Test func whileInUsePermissionDeliversNothingOutOfUse() async throws {
    let backend = MockBackend()
    let manager = LocationManager(backend: backend)
    let (updates, live) = (manager.updates, manager.liveUpdates)
    await backend.waitUntilRunning()
    try backend.emit(.location(fix(1)))
    await manager.setInUse(false)
    #expect(await manager.location == nil)
    #expect(await manager.authorization().status == .authorizedWhenInUse)
    await backend.waitUntilIdle()
    await manager.setInUse(true)
    await backend.waitForCall(count: 2) { if case .runStarted = $0 { true } else { false } }
    try backend.emit(.location(fix(2)))
    // Elements buffered when the application goes out of use are discarded.
    #expect(try await updates.first(1) == [fix(2)])
    await manager.shutdown()
    let reported = await live.all().elements
    #expect(reported.compactMap(\.location) == [fix(2)])
    #expect(reported.contains { $0.diagnostics == .insufficientlyInUse })
  }

  @Test func alwaysPermissionDeliversOutOfUse() async throws {
    let backend = MockBackend()
    let manager = LocationManager(backend: backend)
    _ = try await manager.requestAlwaysAuthorization()
    await manager.setInUse(false)
    let updates = manager.updates
    await backend.waitUntilRunning()
    try backend.emit(.location(fix(1)))
    #expect(try await updates.first(1) == [fix(1)])
  }

  /// A source can refuse and restore permission; it cannot grant what the policy refuses.
  @Test func aSourceCannotGrantPermission() async throws {
    let backend = MockBackend()
    let manager = LocationManager(backend: backend)
    let live = manager.liveUpdates
    await backend.waitUntilRunning()
    backend.setAuthorization(.denied)
    await backend.waitUntilIdle()
    try backend.emit(.authorization(.authorizedAlways), .location(fix(1)))
    #expect(await manager.authorization().status == .denied)
    backend.setAuthorization(.authorizedWhenInUse)
    await backend.waitUntilRunning()
    try backend.emit(.authorization(.restricted), .authorization(.authorizedAlways))
    #expect(await manager.authorization().status == .restricted)
    await backend.waitUntilIdle()
    // A new subscriber retries the source; the policy's permission stays the limit.
    let laterUpdates = manager.updates
    await backend.waitUntilRunning()
    #expect(await manager.authorization().status == .authorizedWhenInUse)
    try backend.emit(.location(fix(2)))
    #expect(try await laterUpdates.first(1) == [fix(2)])
    await manager.shutdown()
    // The first element was buffered when the source refused.
    #expect(await live.all().elements.compactMap(\.location) == [fix(2)])
  }

  @Test func thePolicysReasonIsReported() async throws {
    let backend = MockBackend(
      authorization: .answering(.denied.withReason("The harbour master says no.")))
    let manager = LocationManager(backend: backend)
    let error = await manager.updates.all().error as? LocationError
    #expect(error?.message.contains("The harbour master says no.") == true)
    #expect(await manager.authorization().reason == "The harbour master says no.")
  }

  @Test(
    arguments: [
      ("no answer yet", MockAuthorization.asking, true),
      ("not requested or not decided", MockAuthorization.granting, false),
    ])
  func timeoutReportsThePermissionState(
    _ words: String, _ authorization: MockAuthorization, requestsImplicitly: Bool
  ) async throws {
    let clock = ManualClock()
    let backend = MockBackend(authorization: authorization, clock: clock)
    let manager = LocationManager(
      backend: backend,
      configuration: LocationManager.Configuration(
        requestsAuthorizationImplicitly: requestsImplicitly),
      clock: clock)
    let call = Task.immediate { try await manager.currentLocation(timeout: .seconds(5)) }
    await clock.waitForSleepers()
    clock.advance(by: .seconds(5))
    let error = await #expect(throws: LocationError.self) { try await call.value }
    #expect(
      error?.code == .timedOut && (error?.cause as? LocationError)?.message.contains(words) == true)
  }

  @Test func aTimeoutOutOfUseNamesTheReason() async throws {
    let clock = ManualClock()
    let manager = LocationManager(backend: MockBackend(clock: clock), clock: clock)
    _ = try await manager.requestWhenInUseAuthorization()
    await manager.setInUse(false)
    let call = Task.immediate { try await manager.currentLocation(timeout: .seconds(5)) }
    await clock.waitForSleepers()
    clock.advance(by: .seconds(5))
    let error = await #expect(throws: LocationError.self) { try await call.value }
    #expect((error?.cause as? LocationError)?.message.contains("not in use") == true)
  }
}

extension AuthorizationDecision.Permission {
  fileprivate var refuses: Bool { self == .denied || self == .restricted }
  fileprivate var isUndecidedOrGranted: Bool { !refuses }
}
