import AsyncLocation
import FoundationEssentials
import Glibc
import TestSupport
import Testing

@testable import GeoClueBackend

/// Runs and requests with a real GeoClue.
@Suite(.inTurn) struct RealGeoClueTests {
  @Test(.needsGeoClue) func locationsOfAReceiverArrive() async throws {
    let service = try await RealGeoClue()
    try await service.addAgent()
    let run = BackendRun(GeoClueBackend(.local(service.bus.address)))
    let location = try #require(await run.nextLocation())
    #expect(location.latitude == 60.25)
    #expect(abs(location.longitude - 24.5083333) < 1e-4)
    #expect(location.horizontalAccuracy == nil)  // The source knows none, and reports 0.
    #expect(location.altitude == 30.5)
    #expect(abs((location.speed ?? 0) - 5.1444) < 1e-3)
    #expect(location.course == 90)
    #expect(location.sourceInformation?.timeSource == .receiver)
    service.source.send()
    let next = try #require(await run.nextLocation())
    #expect(next.longitude > location.longitude)
    // GeoClue replaces a time of day that has not come yet by its own time.
    #expect(next.timestamp >= location.timestamp)
    await run.finish()
  }

  @Test(.needsGeoClue) func aManagerReceivesLocations() async throws {
    let service = try await RealGeoClue()
    try await service.addAgent()
    let manager = LocationManager(backend: GeoClueBackend(.local(service.bus.address)))
    let location = try await manager.currentLocation(timeout: .seconds(1_800))
    #expect(location.latitude == 60.25)
    #expect(await manager.authorization().status == .authorizedWhenInUse)
    await manager.shutdown()
  }

  @Test(.needsGeoClue) func aRestartIsHealed() async throws {
    let service = try await RealGeoClue()
    try await service.addAgent()
    let run = BackendRun(GeoClueBackend(.local(service.bus.address)))
    _ = try #require(await run.nextLocation())
    await service.stop()
    #expect(await run.reachesWaiting(after: .connectionLost))
    try await service.start()
    // Until the agent is registered, GeoClue creates no client.
    try await service.addAgent()
    _ = try #require(await run.nextLocation())
    await run.finish()
  }

  @Test(.needsGeoClue) func theLevelsOfDemandAreApplied() async throws {
    let service = try await RealGeoClue()
    try await service.addAgent()
    var configuration = GeoClueConfiguration.local(service.bus.address)
    configuration.locationTimeout = .milliseconds(100)
    let backend = GeoClueBackend(configuration)
    let manager = LocationManager(backend: backend)
    // The receiver serves only exact clients, so the backend requests that level in the end.
    var options = UpdateOptions()
    options.desiredAccuracy = .threeKilometers
    let updates = manager.updates(options)
    while backend.statistics.locations == 0 { await Task.yield() }
    withExtendedLifetime(updates) {}
    await manager.shutdown()
  }
}

/// What a real GeoClue answers to requests for permission, and what becomes of it.
@Suite(.inTurn) struct RealPermissionTests {
  private static func decision(
    _ service: RealGeoClue, answerTimeout: Duration = .seconds(600)
  ) async -> AuthorizationDecision {
    var configuration = GeoClueConfiguration.local(service.bus.address)
    configuration.answerTimeout = answerTimeout
    return await GeoClueBackend(configuration).authorizationPolicy.authorize(.whenInUse)
  }

  @Test(.needsGeoClue) func noAgent() async throws {
    let service = try await RealGeoClue()
    var decision = await Self.decision(service, answerTimeout: .milliseconds(300))
    // On a busy machine, GeoClue may not prove in time that it works.
    while decision.permission == .whenInUse {
      decision = await Self.decision(service, answerTimeout: .milliseconds(300))
    }
    #expect(decision.permission == .denied)
    #expect(decision.reason?.contains("no agent") == true)
    #expect(decision.reason?.contains("[agent]: whitelist=") == true)
  }

  @Test(.needsGeoClue) func anAgentThatVanished() async throws {
    let service = try await RealGeoClue()
    try await service.addAgent()
    #expect(await Self.decision(service) == .authorizedWhenInUse)
    service.removeAgent()
    var decision = await Self.decision(service, answerTimeout: .milliseconds(300))
    while decision.permission == .whenInUse {
      decision = await Self.decision(service, answerTimeout: .milliseconds(300))
    }
    #expect(decision.permission == .denied)
    #expect(decision.reason?.contains("no agent") == true)
  }

  @Test(.needsGeoClue) func switchedOffByTheAgent() async throws {
    let service = try await RealGeoClue()
    try await service.addAgent(level: 0)
    let decision = await Self.decision(service)
    #expect(decision.permission == .restricted)
    #expect(decision.reason?.contains("switched off") == true)
    if getuid() == 0 { #expect(decision.reason?.contains("root (UID 0)") == true) }
  }

  @Test(.needsGeoClue) func switchedOffDuringARun() async throws {
    let service = try await RealGeoClue()
    try await service.addAgent()
    let run = BackendRun(GeoClueBackend(.local(service.bus.address)))
    _ = try #require(await run.nextLocation())
    service.setLevel(0)
    let refusal: AuthorizationStatus? = await run.first { event in
      if case .authorization(let status) = event { status } else { nil }
    }
    #expect(refusal == .restricted)
    guard case .failure(let error as LocationError) = await run.result() else {
      Issue.record("did not fail")
      return
    }
    #expect(error.message.contains("switched off"))
  }

  @Test(.needsGeoClue) func switchedOnAgain() async throws {
    let service = try await RealGeoClue()
    try await service.addAgent(level: 0)
    let manager = LocationManager(backend: GeoClueBackend(.local(service.bus.address)))
    #expect(try await manager.requestWhenInUseAuthorization().status == .restricted)
    service.setLevel(8)
    for await authorization in manager.authorizationUpdates
    where authorization.status == .authorizedWhenInUse { break }
    #expect(try await manager.currentLocation(timeout: .seconds(1_800)).latitude == 60.25)
    await manager.shutdown()
  }

  @Test(.needsGeoClue) func lessAccuracyIsGrantedWithoutNotice() async throws {
    let service = try await RealGeoClue()
    try await service.addAgent(level: 4)
    #expect(await Self.decision(service) == .authorizedWhenInUse)
    var configuration = GeoClueConfiguration.local(service.bus.address)
    configuration.locationTimeout = .milliseconds(300)
    let run = BackendRun(GeoClueBackend(configuration))
    // The receiver is more accurate than the agent permits, so there is no location.
    let reason: LocationError? = await run.first { event in
      if case .unavailable(let error) = event { error } else { nil }
    }
    #expect(reason?.code == .locationUnknown)
    #expect(reason?.message.contains("less accuracy") == true)
    await run.finish()
  }

  @Test(.needsGeoClue, .needsMounts) func forbiddenByTheConfiguration() async throws {
    let service = try await RealGeoClue(
      configuration: RealGeoClue.configuration("[tests]\nallowed=false\nsystem=false\nusers=\n"))
    try await service.addAgent()
    let decision = await Self.decision(service)
    #expect(decision.permission == .restricted)
    #expect(decision.reason?.contains("[tests], set allowed=true") == true)
  }

  @Test(.needsGeoClue, .needsMounts) func forbiddenForTheUser() async throws {
    let users = "[tests]\nallowed=true\nsystem=false\nusers="
    let forbidden = try await RealGeoClue(
      configuration: RealGeoClue.configuration("\(users)4711\n"))
    try await forbidden.addAgent()
    let decision = await Self.decision(forbidden)
    #expect(decision.permission == .restricted)
    #expect(decision.reason?.contains("add \(getuid()) to users=") == true)
    let permitted = try await RealGeoClue(
      configuration: RealGeoClue.configuration("\(users)4711;\(getuid())\n"))
    try await permitted.addAgent()
    #expect(await Self.decision(permitted) == .authorizedWhenInUse)
  }

  @Test(.needsGeoClue, .needsMounts) func aProgramWithoutASectionIsPermitted() async throws {
    let service = try await RealGeoClue(configuration: RealGeoClue.configuration(""))
    // Only programs in a Flatpak are asked about.
    try await service.addAgent(grants: false)
    #expect(await Self.decision(service) == .authorizedWhenInUse)
  }
}
