import AsyncLocation
import TestSupport
import Testing

@testable import GeoClueBackend

/// Requests for permission, refusals and withdrawals, with a service of the test.
@Suite(.inTurn) struct GeoCluePermissionTests {
  static func refusal(_ message: String) -> BusReply {
    .error(BusError(name: FakeGeoClue.denied, message: message))
  }

  static let switchedOff = refusal("Geolocation disabled for UID 1000")
  static let rejected = refusal("Agent rejected 'tests' for user '1000'.")

  @Test(.needsBus) func aRequestAsksTheServiceAndEndsItsClient() async throws {
    let bus = try await PrivateBus()
    let service = try await FakeGeoClue(on: bus.address)
    let policy = GeoClueBackend(.local(bus.address)).authorizationPolicy
    #expect(await policy.authorize(.whenInUse) == .authorizedWhenInUse)
    #expect(await service.nextCall("Start") != nil)
    #expect(await service.nextCall("DeleteClient") != nil)
    #expect(await policy.authorize(.always) == .authorizedAlways)
  }

  @Test(
    .needsBus, arguments: [(switchedOff, AuthorizationStatus.restricted), (rejected, .denied)])
  func aRefusalHasItsReason(_ reply: BusReply, _ status: AuthorizationStatus) async throws {
    let bus = try await PrivateBus()
    let service = try await FakeGeoClue(on: bus.address, overriding: ["Start": reply])
    let manager = LocationManager(backend: GeoClueBackend(.local(bus.address)))
    let authorization = try await manager.requestWhenInUseAuthorization()
    #expect(authorization.status == status)
    #expect(authorization.reason?.contains("privacy settings") == true)
    await manager.shutdown()
    withExtendedLifetime(service) {}
  }

  @Test(.needsBus) func aGrantAfterARefusalIsReported() async throws {
    let bus = try await PrivateBus()
    let service = try await FakeGeoClue(on: bus.address, overriding: ["Start": Self.switchedOff])
    let manager = LocationManager(backend: GeoClueBackend(.local(bus.address)))
    #expect(try await manager.requestWhenInUseAuthorization().status == .restricted)
    service.answer("Start", with: nil)
    for await authorization in manager.authorizationUpdates
    where authorization.status == .authorizedWhenInUse { break }
    await manager.shutdown()
  }

  @Test(.needsBus) func aWithdrawalEndsTheRunAtOnce() async throws {
    let bus = try await PrivateBus()
    let service = try await FakeGeoClue(on: bus.address)
    let run = BackendRun(GeoClueBackend(.local(bus.address)))
    _ = try #require(await run.nextState(.connected))
    service.send()
    _ = try #require(await run.nextLocation())
    service.answer("Start", with: Self.switchedOff)
    service.deactivate()
    // Announced after the withdrawal, and therefore not delivered.
    service.announce("\(FakeGeoClue.client)/Location/1")
    var rest: [BackendEvent] = []
    for await event in run.events { rest.append(event) }
    // The state that fails precedes the refusal, whose reason it has.
    #expect(rest.dropFirst().first == .authorization(.restricted))
    #expect(rest.locations == [])
    guard case .failure(let error as LocationError) = await run.result() else {
      Issue.record("did not fail")
      return
    }
    #expect(error.code == .restricted)
  }

  @Test(.needsBus) func aStreamEndsWithTheWithdrawal() async throws {
    let bus = try await PrivateBus()
    let service = try await FakeGeoClue(on: bus.address)
    let manager = LocationManager(backend: GeoClueBackend(.local(bus.address)))
    var count = 0
    let updates = manager.updates(UpdateOptions())
    for await state in manager.connectionStates where state.phase == .connected { break }
    service.send()
    let error = await #expect(throws: LocationError.self) {
      for try await _ in updates {
        count += 1
        service.answer("Start", with: Self.switchedOff)
        service.deactivate()
      }
    }
    #expect(error?.code == .restricted)
    #expect(count == 1)
    await manager.shutdown()
  }

  @Test(.needsBus) func aServiceThatCannotBeAskedDoesNotHoldARequest() async throws {
    let bus = try await PrivateBus()
    let policy = GeoClueBackend(.local(bus.address)).authorizationPolicy
    #expect(await policy.authorize(.whenInUse) == .authorizedWhenInUse)
    let absent = GeoClueBackend(.local("unix:path=/nowhere")).authorizationPolicy
    #expect(await absent.authorize(.always) == .authorizedAlways)
  }

  @Test(.needsBus) func aServiceThatDoesNotAnswerDoesNotHoldARequest() async throws {
    let bus = try await PrivateBus()
    var configuration = GeoClueConfiguration.local(bus.address)
    (configuration.answerTimeout, configuration.authorizationTimeout) = (
      .milliseconds(50), .milliseconds(50)
    )
    let policy = GeoClueBackend(configuration).authorizationPolicy
    let service = try await FakeGeoClue(on: bus.address, overriding: ["CreateClient": .silence])
    var decision = await policy.authorize(.whenInUse)
    // On a busy machine, the service may not prove in time that it works.
    while decision.permission == .whenInUse { decision = await policy.authorize(.whenInUse) }
    #expect(decision.permission == .denied)
    #expect(decision.reason?.contains("no agent") == true)
    service.answer("CreateClient", with: nil)
    service.answer("Start", with: .silence)
    #expect(await policy.authorize(.whenInUse) == .authorizedWhenInUse)
  }

  @Test(.needsBus) func anotherPolicyDecidesInsteadAndTheServiceStillRefuses() async throws {
    let bus = try await PrivateBus()
    let service = try await FakeGeoClue(on: bus.address, overriding: ["Start": Self.rejected])
    var configuration = GeoClueConfiguration.local(bus.address)
    configuration.authorizationPolicy = FixedAuthorizationPolicy.automatic
    let manager = LocationManager(backend: GeoClueBackend(configuration))
    #expect(
      try await manager.requestWhenInUseAuthorization().status == .authorizedWhenInUse)
    let error = await #expect(throws: LocationError.self) {
      for try await _ in manager.updates(UpdateOptions()) {}
    }
    #expect(error?.code == .denied)
    await manager.shutdown()
    withExtendedLifetime(service) {}
  }
}
