import AsyncLocation
import MockBackend
import TestSupport
import Testing

@Suite(.inTurn)
struct ServiceSessionTests {
  typealias Diagnostics = ServiceSession.Diagnostics

  @Test func aSessionRequestsItsLevelAndStartsNoRun() async throws {
    for (requirement, request) in [
      (ServiceSession.AuthorizationRequirement.whenInUse, AuthorizationRequest.whenInUse),
      (.always, .always),
    ] {
      let backend = MockBackend()
      let manager = LocationManager(backend: backend)
      let session = ServiceSession(manager, authorization: requirement)
      var diagnostics = session.diagnostics.makeAsyncIterator()
      while let missing = await diagnostics.next(), missing != [] {
        #expect(missing == .authorizationRequestInProgress)
      }
      #expect(backend.backendCalls == [.authorizationRequested(request)])
      #expect(await manager.authorization().isAuthorized)
      session.invalidate()
      #expect(await diagnostics.next() == nil)
    }
  }

  @Test func aSessionWithoutRequirementRequestsNothing() async throws {
    let backend = MockBackend()
    let manager = LocationManager(backend: backend)
    let session = ServiceSession(manager, authorization: .none)
    var diagnostics = session.diagnostics.makeAsyncIterator()
    #expect(await diagnostics.next() == .serviceSessionRequired)
    _ = try await manager.requestWhenInUseAuthorization()
    while let missing = await diagnostics.next(), missing != [] {}
    #expect(backend.backendCalls == [.authorizationRequested(.whenInUse)])
  }

  @Test func aDiagnosticsStreamRetainsItsSession() async throws {
    let manager = LocationManager(backend: MockBackend())
    var diagnostics: AsyncStream<Diagnostics>.Iterator?
    weak var dropped: ServiceSession?
    do {
      let session = ServiceSession(manager)
      dropped = session
      diagnostics = session.diagnostics.makeAsyncIterator()
    }
    #expect(dropped != nil)
    while let missing = await diagnostics?.next(), missing != [] {}
    #expect(await manager.authorization().isAuthorized)
    diagnostics = nil
    #expect(dropped == nil)
  }

  @Test(arguments: ["", "bad\0", String(repeating: "x", count: 256)])
  func anInvalidPurposeIsDeclinedWithoutAQuestion(_ purpose: String) async throws {
    let backend = MockBackend(
      authorization: .answering(.authorizedWhenInUse.limited(to: .reduced)))
    let manager = LocationManager(backend: backend)
    let session = ServiceSession(manager, fullAccuracyPurposeKey: purpose)
    for await missing in session.diagnostics where missing.contains(.fullAccuracyDenied) { break }
    #expect(backend.backendCalls == [.authorizationRequested(.whenInUse)])
  }

  @Test func permissionForOnceLastsAsLongAsASession() async throws {
    let backend = try MockBackend(
      authorization: .answering(.authorizedOnce), script: [.locations(fix(1))])
    let manager = LocationManager(backend: backend)
    var session: ServiceSession? = ServiceSession(manager, authorization: .none)
    #expect(try await manager.currentLocation() == fix(1))
    #expect(await manager.authorization().status == .authorizedWhenInUse)
    #expect(session != nil)
    session = nil  // Dropping a session ends it.
    #expect(await manager.authorization().status == .notDetermined)
  }

  @Test func aSessionAsksAgainWhenPermissionIsNoLongerDetermined() async throws {
    let backend = MockBackend()
    let manager = LocationManager(backend: backend)
    let session = ServiceSession(manager, authorization: .always)
    await backend.waitForCall(.authorizationRequested(.always))
    for await missing in session.diagnostics where missing == [] { break }
    backend.setAuthorization(.notDetermined)
    await backend.waitForCall(.authorizationRequested(.always), count: 2)
    for await missing in session.diagnostics where missing == [] { break }
    #expect(await manager.authorization().status == .authorizedAlways)
  }

  @Test func diagnosticsReportMissingRequirements() async throws {
    let backend = MockBackend(
      authorization: MockAuthorization(
        always: [.now(.authorizedWhenInUse.limited(to: .reduced))], fullAccuracy: [.now(nil)]))
    let manager = LocationManager(backend: backend)
    let session = ServiceSession(
      manager, authorization: .always, fullAccuracyPurposeKey: "docking")
    await backend.waitForCall(.fullAccuracyRequested(purposeKey: "docking"))
    var diagnostics = session.diagnostics.makeAsyncIterator()
    while let missing = await diagnostics.next(),
      missing != [.alwaysAuthorizationDenied, .fullAccuracyDenied, .accuracyLimited]
    {}
    await manager.setInUse(false)
    #expect(await diagnostics.next()?.contains(.insufficientlyInUse) == true)
    await manager.setInUse(true)
    #expect(await diagnostics.next()?.contains(.insufficientlyInUse) == false)
    backend.setLocationServices(enabled: false)
    #expect(await diagnostics.next() == [.authorizationDenied, .authorizationDeniedGlobally])
    backend.setLocationServices(enabled: true)
    backend.setAuthorization(.restricted)
    while let missing = await diagnostics.next(), missing != .authorizationRestricted {}
    #expect(backend.calls { $0 == .authorizationRequested(.always) }.count == 1)
  }

  @Test func aSessionHoldsFullAccuracyForItsPurpose() async throws {
    let backend = MockBackend(
      authorization: .answering(.authorizedWhenInUse.limited(to: .reduced)))
    let manager = LocationManager(backend: backend)
    let session = ServiceSession(manager, fullAccuracyPurposeKey: "docking")
    for await missing in session.diagnostics where missing == [] { break }
    #expect(await manager.authorization().accuracy == .full)
    // After a revocation and a new grant, full accuracy is requested again.
    backend.setAuthorization(.denied)
    backend.setAuthorization(.authorizedAlways.limited(to: .reduced))
    await backend.waitForCall(.fullAccuracyRequested(purposeKey: "docking"), count: 2)
    for await missing in session.diagnostics where missing == [] { break }
  }

  @Test func sessionsEndWithTheirManager() async throws {
    let manager = LocationManager(backend: MockBackend())
    let session = ServiceSession(manager)
    let diagnostics = session.diagnostics
    await manager.shutdown()
    _ = await diagnostics.all()  // Must return.
    #expect(await session.diagnostics.all().elements.isEmpty)
    session.invalidate()
    let lateSession = ServiceSession(manager)
    #expect(await lateSession.diagnostics.all().elements.isEmpty)
  }

  @Test func diagnosticsStreamsAreIndependent() async throws {
    let backend = MockBackend(authorization: .asking)
    let manager = LocationManager(backend: backend)
    let session = ServiceSession(manager)
    var kept = session.diagnostics.makeAsyncIterator()
    #expect(await kept.next() == .authorizationRequestInProgress)
    do {
      var dropped = session.diagnostics.makeAsyncIterator()
      #expect(await dropped.next() == .authorizationRequestInProgress)
      #expect(await manager.statistics.subscribers == 2)
    }
    #expect(await manager.statistics.subscribers == 1)
    await backend.waitForCall(.authorizationRequested(.whenInUse))
    backend.answerAuthorization(.denied)
    #expect(await kept.next() == .authorizationDenied)
  }
}
