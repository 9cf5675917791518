import AsyncLocation
import TestSupport
import Testing

@testable import MockBackend

/// A failing backend whose source and policy the test controls.
@Suite(.inTurn)
struct DrivenFailingBackendTests {
  @Test func aTestCanEmitEvents() async throws {
    var backend = MockBackend.failing { Issue.record("\($0)") }
    backend[.updates] = .events()
    let manager = LocationManager(backend: backend, clock: ManualClock())
    let loop = Task { try await manager.updates.reduce(into: []) { $0.append($1.latitude) } }
    await backend.waitForReaders(of: .updates)
    await backend.waitUntilRunning()
    try backend.emit(event(1), event(2))
    try await backend.settle()
    try backend.emit([event(3)])
    try backend.end()
    #expect(try await loop.value == (1...3).map { try location($0).latitude })
    try await backend.settleAndCheck()
  }

  @Test func aTestCanFailTheSource() async throws {
    var backend = MockBackend.failing { Issue.record("\($0)") }
    backend[.updates] = .events()
    let manager = LocationManager(backend: backend, clock: ManualClock())
    let updates = manager.updates
    await backend.waitUntilRunning()
    try backend.fail(breakdown)
    await #expect(throws: breakdown) { for try await _ in updates {} }
    try await backend.settleAndCheck()
  }

  @Test func suppliedElementsAreNewerThanEmittedEvents() async throws {
    var backend = MockBackend.failing { Issue.record("\($0)") }
    backend[.updates] = .events()
    backend[.currentLocation] = .locations(try location(1))
    let manager = LocationManager(backend: backend, clock: ManualClock())
    let updates = manager.updates
    await backend.waitUntilRunning()
    try backend.emit(event(5))
    #expect(try await manager.currentLocation().latitude == location(1).latitude)
    await manager.shutdown()
    for try await _ in updates {}
    try await backend.settleAndCheck()
  }

  @Test func aTestCanChangePermission() async throws {
    var backend = MockBackend.failing { Issue.record("\($0)") }
    backend[.authorization] = .allowed
    let manager = LocationManager(backend: backend, clock: ManualClock())
    for decision in [AuthorizationDecision.authorizedWhenInUse, .denied] {
      backend.setAuthorization(decision)
      try await backend.settle()
      #expect(await manager.authorization().status == decision.permission.status)
    }
    backend.setLocationServices(enabled: false)
    #expect(await manager.authorization().locationServicesEnabled == false)
    try await backend.settleAndCheck()
  }

  @Test func aTestCanAnswerARequestLater() async throws {
    var backend = MockBackend.failing { Issue.record("\($0)") }
    backend[.requestWhenInUseAuthorization] = .later
    backend[.requestTemporaryFullAccuracyAuthorization] = .later
    let manager = LocationManager(backend: backend, clock: ManualClock())
    let request = Task { try await manager.requestWhenInUseAuthorization() }
    await backend.waitForCall(.authorizationRequested(.whenInUse))
    #expect(backend.pendingAuthorizationRequests == [.whenInUse])
    #expect(!backend.answerAuthorization(.denied, to: .always))
    #expect(backend.answerAuthorization(AuthorizationDecision(.whenInUse, accuracy: .reduced)))
    #expect(try await request.value.accuracy == .reduced)
    let accuracyRequest = Task {
      try await manager.requestTemporaryFullAccuracyAuthorization(purposeKey: "docking")
    }
    await backend.waitForCall(.fullAccuracyRequested(purposeKey: "docking"))
    #expect(backend.pendingFullAccuracyRequests == ["docking"])
    #expect(backend.answerFullAccuracy(nil))
    await #expect(throws: LocationError.self) { try await accuracyRequest.value }
    try await backend.settleAndCheck()
    #expect(backend.calls.count { $0 == .authorizationRequested(.whenInUse) } == 1)
  }

  @Test func onlyRequestsCanBeAnsweredLater() {
    let requests: Set<LocationManager.Endpoint> = [
      .requestWhenInUseAuthorization, .requestAlwaysAuthorization,
      .requestTemporaryFullAccuracyAuthorization,
    ]
    for endpoint in LocationManager.Endpoint.allCases {
      #expect(FailingBackend.Supply.later.fits(endpoint) == requests.contains(endpoint))
    }
  }

  @Test func theCheckNamesReportsAndOpenStreams() async throws {
    var backend = MockBackend.failing { _ in }
    backend[.connectionStates] = .allowed
    let manager = LocationManager(backend: backend, clock: ManualClock())
    let states = manager.connectionStates
    _ = await manager.location
    let error = await #expect(throws: LocationError.self) { try await backend.settleAndCheck() }
    #expect(error?.code == .unsupported)
    #expect(error?.message.hasPrefix("LocationManager's 'location' was used") == true)
    #expect(
      error?.message.hasSuffix("Unfinished: connectionStates: 1 open stream with 1 unread element.")
        == true)
    withExtendedLifetime(states) {}
  }
}
