import AsyncLocation
import Glibc
import TestSupport
import Testing

@testable import GeoClueBackend

/// A bus or a service that is absent, ends, does not answer or cannot be started.
@Suite(.inTurn) struct ServiceFaultTests {
  /// Checks that the run receives a location once it is connected. With short timeouts it may have
  /// to connect again.
  static func expectLocation(_ run: BackendRun, from service: FakeGeoClue) async {
    let location: Location? = await run.first { event in
      if case .location(let location) = event { return location }
      if case .connection(let state) = event, state.phase == .connected { service.send() }
      return nil
    }
    #expect(location != nil)
  }

  @Test("F88 a service that is absent is waited for", .needsBus)
  func absentService() async throws {
    let bus = try await PrivateBus()
    let run = BackendRun(GeoClueBackend(.local(bus.address)))
    let state = try #require(await run.nextState(.waiting))
    #expect(state.problem?.code == .backendUnavailable)
    #expect(state.problem?.message.contains("apt-get install geoclue-2.0") == true)
    let service = try await FakeGeoClue(on: bus.address)
    await Self.expectLocation(run, from: service)
    await run.finish()
  }

  @Test("F88 a service that the bus cannot start is said so", .needsBus)
  func failingService() async throws {
    let bus = try await PrivateBus(services: [FakeGeoClue.name: "/bin/false"])
    let run = BackendRun(GeoClueBackend(.local(bus.address)))
    let state = try #require(await run.nextState(.waiting))
    #expect(state.problem?.code == .backendUnavailable)
    #expect(state.problem?.message.contains("cannot be started") == true)
    let service = try await FakeGeoClue(on: bus.address)
    await Self.expectLocation(run, from: service)
    await run.finish()
  }

  @Test("F88 a bus that is absent is waited for", .needsBus)
  func absentBus() async throws {
    let bus = try await PrivateBus()
    await bus.stop()
    let run = BackendRun(GeoClueBackend(.local(bus.address)))
    #expect(await run.reachesWaiting(after: .backendUnavailable))
    try await bus.start()
    let service = try await FakeGeoClue(on: bus.address)
    await Self.expectLocation(run, from: service)
    await run.finish()
  }

  @Test("F88 a bus that is killed and restarted", .needsBus)
  func restartedBus() async throws {
    let bus = try await PrivateBus()
    let service = try await FakeGeoClue(on: bus.address)
    let run = BackendRun(GeoClueBackend(.local(bus.address)))
    await Self.expectLocation(run, from: service)
    await bus.stop()
    #expect(await run.reachesWaiting(after: .connectionLost))
    try await bus.start()
    let successor = try await FakeGeoClue(on: bus.address)
    await Self.expectLocation(run, from: successor)
    await run.finish()
  }

  @Test("F88 a service that ends and is started again", .needsBus)
  func restartedService() async throws {
    let bus = try await PrivateBus()
    let backend = GeoClueBackend(.local(bus.address))
    let run = BackendRun(backend)
    for _ in 0..<10 {
      let service = try await FakeGeoClue(on: bus.address)
      await Self.expectLocation(run, from: service)
      service.disconnect()
      #expect(await run.reachesWaiting(after: .connectionLost))
    }
    #expect(backend.statistics.locations == 10)
    await run.finish()
  }

  @Test("F88 another program that takes the service's name over", .needsBus)
  func replacedService() async throws {
    let bus = try await PrivateBus()
    let service = try await FakeGeoClue(on: bus.address)
    let run = BackendRun(GeoClueBackend(.local(bus.address)))
    await Self.expectLocation(run, from: service)
    let successor = try await FakeGeoClue(on: bus.address)
    #expect(await run.reachesWaiting(after: .connectionLost))
    await Self.expectLocation(run, from: successor)
    await run.finish()
  }

  @Test(
    "F88 a service that ends during a call", .needsBus,
    arguments: ["GetAll", "CreateClient", "Set", "Start"])
  func serviceEndsDuringACall(_ member: String) async throws {
    let bus = try await PrivateBus()
    let service = try await FakeGeoClue(on: bus.address, overriding: [member: .silence])
    let run = BackendRun(GeoClueBackend(.local(bus.address)))
    #expect(await service.nextCall(member) != nil)
    service.disconnect()
    #expect(await run.nextState(.waiting) != nil)
    let successor = try await FakeGeoClue(on: bus.address)
    await Self.expectLocation(run, from: successor)
    await run.finish()
  }

  @Test(
    "F88 a service that does not answer", .needsBus, arguments: ["GetAll", "Start"])
  func silentService(_ member: String) async throws {
    let bus = try await PrivateBus()
    let service = try await FakeGeoClue(on: bus.address, overriding: [member: .silence])
    var configuration = GeoClueConfiguration.local(bus.address)
    (configuration.connectTimeout, configuration.authorizationTimeout) = (
      .milliseconds(200), .milliseconds(200)
    )
    let run = BackendRun(GeoClueBackend(configuration))
    #expect(await run.reachesWaiting(after: .timedOut))
    service.answer(member, with: nil)
    await Self.expectLocation(run, from: service)
    await run.finish()
  }

  @Test("F88 a service that stops to answer while it runs", .needsBus)
  func serviceThatBecomesSilent() async throws {
    let bus = try await PrivateBus()
    let service = try await FakeGeoClue(on: bus.address)
    var configuration = GeoClueConfiguration.local(bus.address)
    (configuration.silenceTimeout, configuration.answerTimeout) = (
      .milliseconds(100), .milliseconds(200)
    )
    let run = BackendRun(GeoClueBackend(configuration))
    _ = try #require(await run.nextState(.connected))
    #expect(await service.nextCall("Get") != nil)
    service.answer("Get", with: .silence)
    #expect(await run.reachesWaiting(after: .timedOut))
    service.answer("Get", with: nil)
    _ = try #require(await run.nextState(.connected))
    await run.finish()
  }

  @Test("F88 a bus that is stopped", .needsBus)
  func stoppedBus() async throws {
    let bus = try await PrivateBus()
    let service = try await FakeGeoClue(on: bus.address)
    bus.send(SIGSTOP)
    defer { bus.send(SIGCONT) }
    var configuration = GeoClueConfiguration.local(bus.address)
    configuration.connectTimeout = .milliseconds(200)
    let run = BackendRun(GeoClueBackend(configuration))
    #expect(await run.reachesWaiting(after: .timedOut))
    bus.send(SIGCONT)
    await Self.expectLocation(run, from: service)
    await run.finish()
  }

  @Test("F88 a run that never reconnects ends with the error", .needsBus)
  func noReconnection() async throws {
    let bus = try await PrivateBus()
    var configuration = GeoClueConfiguration.local(bus.address)
    configuration.reconnection = .never
    guard
      case .failure(let error as LocationError) = await BackendRun(
        GeoClueBackend(configuration)
      ).result()
    else {
      Issue.record("did not fail")
      return
    }
    #expect(error.code == .backendUnavailable)
  }

  @Test("F88 a socket that this program may not open is denied", .needsBus)
  func forbiddenSocket() {
    let error = LocationError.busFailed("unix:path=/x", errno: EACCES, isOpen: false)
    #expect(error.code == .denied)
    #expect(LocationError.busFailed("x", errno: ENOENT, isOpen: false).isTransient)
    #expect(LocationError.busFailed("x", errno: EPERM, isOpen: true).code == .connectionLost)
  }
}
