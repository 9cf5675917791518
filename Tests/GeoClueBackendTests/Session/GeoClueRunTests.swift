import AsyncLocation
import FoundationEssentials
import TestSupport
import Testing

@testable import GeoClueBackend

/// Runs of the backend with a service of the test.
@Suite(.inTurn) struct GeoClueRunTests {
  @Test(.needsBus) func setsTheClientUpAndReceivesLocations() async throws {
    let bus = try await PrivateBus()
    let service = try await FakeGeoClue(on: bus.address)
    let backend = GeoClueBackend(.local(bus.address))
    let run = BackendRun(backend)
    let connected = try #require(await run.nextState(.connected))
    #expect(connected.endpoint == bus.address)
    service.send()
    let location = try #require(await run.nextLocation())
    #expect(location.latitude == 60.25)
    #expect(location.horizontalAccuracy == 12)
    #expect(location.altitude == nil)
    #expect(
      service.properties == [
        "DesktopId": .string("tests"), "RequestedAccuracyLevel": .uint32(8),
        "DistanceThreshold": .uint32(0), "TimeThreshold": .uint32(0),
      ])
    #expect(backend.statistics.locations == 1)
    #expect(backend.statistics.connections == 1)
    #expect(backend.statistics.phase == .connected)
    await run.finish()
    #expect(backend.statistics.phase == .idle)
    #expect(await service.nextCall("Stop") != nil)
    #expect(await service.nextCall("DeleteClient") != nil)
  }

  @Test(.needsBus) func aChangeOfDemandReachesTheService() async throws {
    let bus = try await PrivateBus()
    let service = try await FakeGeoClue(on: bus.address)
    let backend = GeoClueBackend(.local(bus.address))
    let run = BackendRun(backend)
    _ = try #require(await run.nextState(.connected))
    await backend.demandDidChange(
      BackendDemand(
        kinds: .locations, desiredAccuracy: .kilometer, minimumInterval: .seconds(10)))
    #expect(await service.nextCall("Stop") != nil)
    #expect(await service.nextCall("Start") != nil)
    #expect(service.properties["RequestedAccuracyLevel"] == .uint32(5))
    #expect(service.properties["TimeThreshold"] == .uint32(9))
    while service.listeners == 0 { await Task.yield() }
    service.send()
    #expect(await run.nextLocation() != nil)
    await run.finish()
  }

  @Test(.needsBus) func aChangeOfDemandBetweenConnectionsIsKept() async throws {
    let bus = try await PrivateBus()
    let backend = GeoClueBackend(.local(bus.address))
    let run = BackendRun(backend)
    _ = try #require(await run.nextState(.waiting))
    await backend.demandDidChange(
      BackendDemand(
        kinds: .locations, desiredAccuracy: .kilometer, minimumInterval: .seconds(10)))
    let service = try await FakeGeoClue(on: bus.address)
    _ = try #require(await run.nextState(.connected))
    #expect(service.properties["RequestedAccuracyLevel"] == .uint32(5))
    #expect(service.properties["TimeThreshold"] == .uint32(9))
    await run.finish()
  }

  @Test(.needsBus) func theDemandOfTwoRunsOnlyBecomesStricter() async throws {
    let bus = try await PrivateBus()
    let service = try await FakeGeoClue(on: bus.address)
    let backend = GeoClueBackend(.local(bus.address))
    let runs = [BackendRun(backend), BackendRun(backend)]
    for run in runs { _ = try #require(await run.nextState(.connected)) }
    await backend.demandDidChange(BackendDemand(kinds: .locations, desiredAccuracy: .kilometer))
    service.send()
    for run in runs { #expect(await run.nextLocation() != nil) }
    #expect(service.properties["RequestedAccuracyLevel"] == .uint32(8))
    for run in runs { await run.finish() }
  }

  @Test(.needsBus) func locationsKeepTheirOrder() async throws {
    let bus = try await PrivateBus()
    let service = try await FakeGeoClue(on: bus.address)
    let run = BackendRun(GeoClueBackend(.local(bus.address)))
    _ = try #require(await run.nextState(.connected))
    var last = Date.distantPast
    for _ in 0..<100 {
      service.send()
      let location = try #require(await run.nextLocation())
      #expect(location.timestamp > last)
      last = location.timestamp
    }
    await run.finish()
  }

  @Test(.needsBus) func runsLeaveNothingBehind() async throws {
    let bus = try await PrivateBus()
    let service = try await FakeGeoClue(on: bus.address)
    for round in 0..<20 {
      weak var left: LocationManager?
      do {
        let manager = LocationManager(backend: GeoClueBackend(.local(bus.address)))
        left = manager
        async let location = manager.currentLocation(timeout: .seconds(1_800))
        for await state in manager.connectionStates where state.phase == .connected { break }
        service.send()
        #expect(try await location.latitude == 60.25)
        if round % 2 == 0 { await manager.shutdown() }
      }
      #expect(left == nil)
      while service.listeners > 0 { await Task.yield() }
    }
  }
}
