import AsyncLocation
import TestSupport
import Testing

@testable import MockBackend

/// A use of the manager is reported by name, once, unless the test supplied it.
@Suite(.inTurn)
struct SuppliedEndpointTests {
  private let reports = Journal<String>()

  private func manager(_ supply: (inout FailingBackend) throws -> Void) rethrows -> LocationManager
  {
    var backend = MockBackend.failing { [reports] in reports.append($0) }
    try supply(&backend)
    return LocationManager(backend: backend, clock: ManualClock())
  }

  // MARK: Reports

  @Test(arguments: EndpointTests.uses + EndpointTests.objects)
  func eachUnsuppliedUseIsReportedOnce(_ use: EndpointTests.Use) async throws {
    let manager = manager { $0[.shutdown] = nil }
    try? await use.perform(manager)
    let report = try #require(reports.entries.first)
    #expect(reports.entries.count == 1, "\(reports.entries)")
    #expect(report.contains("LocationManager's '\(use.endpoint)' was used"))
    #expect(report.contains("'backend[.\(use.endpoint)] = ."))
  }

  @Test(arguments: EndpointTests.uses + EndpointTests.objects)
  func allowedUsesAreNotReported(_ use: EndpointTests.Use) async throws {
    let endpoint = use.endpoint
    let manager = manager { $0[endpoint] = .allowed }
    try? await use.perform(manager)
    #expect(!reports.entries.contains { $0.contains("LocationManager's") }, "\(reports.entries)")
  }

  /// A supply that does nothing for its endpoint is a mistake of the test.
  @Test(arguments: [
    (LocationManager.Endpoint.currentLocation, FailingBackend.Supply.answer(.denied)),
    (.startUpdatingLocation, .fullAccuracy(nil)), (.updates, .answer(.authorizedAlways)),
  ])
  func reportsAnUnsuitableSupply(
    _ endpoint: LocationManager.Endpoint, _ supply: FailingBackend.Supply
  ) async throws {
    let manager = manager { $0[endpoint] = supply }
    let use = try #require(EndpointTests.uses.first { $0.endpoint == endpoint })
    try? await use.perform(manager)
    #expect(reports.entries.first?.contains("cannot be supplied with") == true)
  }

  /// A supply for one endpoint is not used for another.
  @Test func reportsARunAfterASuppliedStream() async throws {
    let fix = try Location(latitude: 60, longitude: 25)
    var backend = MockBackend.failing { [reports] in reports.append($0) }
    backend[.updates] = .locations(fix, ends: true)
    backend[.currentLocation] = .allowed
    let manager = LocationManager(backend: backend, clock: ManualClock())
    for try await _ in manager.updates {}
    await #expect(throws: LocationError.self) { try await manager.currentLocation() }
    #expect(reports.entries.count == 1)
    #expect(reports.entries.first?.contains("'run'") == true)
    #expect(backend.reports == reports.entries)
  }

  @Test func aStartedServiceDeliversSuppliedEvents() async throws {
    let fix = try Location(latitude: 60, longitude: 25)
    let manager = manager {
      $0[.startUpdatingLocation] = .locations(fix)
      $0[.events] = .allowed
    }
    let events = manager.events(EventOptions(services: []))
    manager.startUpdatingLocation()
    for await event in events {
      if case .didUpdateLocations(let locations) = event {
        #expect(locations.map(\.latitude) == [60])
        break
      }
    }
    await manager.shutdown()
    #expect(reports.entries == [])
  }

  @Test func aRequestedLocationIsSupplied() async throws {
    let manager = try manager {
      $0[.requestLocation] = .locations(try location(1))
      $0[.events] = .allowed
    }
    let events = manager.events(EventOptions(services: []))
    for _ in 1...2 {
      manager.requestLocation()
      for await event in events {
        guard case .didUpdateLocations(let locations) = event else { continue }
        #expect(locations.map(\.latitude) == [try location(1).latitude])
        break
      }
    }
    await manager.shutdown()
    #expect(reports.entries == [])
  }

  @Test func aReportedCallThrows() async throws {
    let manager = manager { _ in }
    for call: @Sendable () async throws -> Void in [
      { _ = try await manager.currentLocation() },
      { _ = try await manager.requestAlwaysAuthorization() },
      { for try await _ in manager.updates {} },
      { for try await _ in manager.updates(UpdateOptions()) {} },
      { for try await _ in manager.batches() {} },
      { for try await _ in manager.headings {} },
      { for try await _ in manager.satellites {} },
      { for try await _ in manager.visits {} },
      { for try await _ in manager.significantLocationChanges {} },
      { _ = try await Monitor("gates", manager: manager) },
    ] {
      let error = await #expect(throws: LocationError.self) { try await call() }
      #expect(error?.code == .unsupported)
      #expect(error?.message == reports.entries.last)
    }
    #expect(reports.entries.count == 10)
  }

  @Test func reportedNonThrowingStreamEnds() async throws {
    let manager = manager { _ in }
    for await _ in manager.liveUpdates {}
    for await _ in manager.liveUpdates(.fitness) {}
    for await _ in manager.connectionStates {}
    for await _ in manager.authorizationUpdates {}
    for await _ in manager.monitoringDiagnostics {}
    for await _ in manager.pauseEvents {}
    for await _ in manager.regionEvents {}
    for await _ in ServiceSession(manager).diagnostics {}
    #expect(reports.entries.count == 8)
  }

  // MARK: Supplies

  @Test func aSuppliedLocationAnswersACall() async throws {
    let manager = try manager { $0[.currentLocation] = .locations(try location(1)) }
    #expect(try await manager.currentLocation().latitude == location(1).latitude)
    #expect(
      try await manager.currentLocation(timeout: .seconds(5)).latitude == location(1).latitude)
    #expect(reports.entries == [])
  }

  /// The answer to a call ends the demand for its run, so the next call may meet a run that stops.
  @Test func callsInQuickSuccessionAreAnswered() async throws {
    for _ in 0..<300 {
      let manager = try manager { $0[.currentLocation] = .locations(try location(1)) }
      for _ in 0..<3 { _ = try await manager.currentLocation() }
    }
    #expect(reports.entries == [])
  }

  @Test func streamsDeliverTheirEvents() async throws {
    let heading = try Heading(
      trueHeading: 90, timestamp: location(1).timestamp, source: .compass)
    let manager = try manager {
      $0[.updates] = .locations(try location(1), try location(2), ends: true)
      $0[.liveUpdates] = .locations(try location(3), ends: true)
      $0[.headings] = .events(.heading(heading), ends: true)
    }
    var latitudes: [Double] = []
    for try await location in manager.updates { latitudes.append(location.latitude) }
    #expect(latitudes == [try location(1).latitude, try location(2).latitude])
    latitudes = []
    for await update in manager.liveUpdates {
      if let location = update.location { latitudes.append(location.latitude) }
    }
    #expect(latitudes == [try location(3).latitude])
    for try await received in manager.headings { #expect(received == heading) }
    #expect(reports.entries == [])
  }

  @Test func permissionIsSupplied() async throws {
    let manager = manager {
      $0[.authorization] = .answer(.authorizedWhenInUse)
      $0[.requestAlwaysAuthorization] = .answer(.authorizedAlways)
      $0[.requestTemporaryFullAccuracyAuthorization] = .fullAccuracy(nil)
    }
    #expect(await manager.authorization().status == .authorizedWhenInUse)
    #expect(try await manager.requestAlwaysAuthorization().status == .authorizedAlways)
    #expect(reports.entries == [])
  }

  @Test func fullAccuracyIsDeclined() async throws {
    let reduced = AuthorizationDecision(.whenInUse, accuracy: .reduced)
    let manager = manager {
      $0[.authorization] = .answer(reduced)
      $0[.requestTemporaryFullAccuracyAuthorization] = .fullAccuracy(nil)
    }
    #expect(await manager.authorization().accuracy == .reduced)
    let error = await #expect(throws: LocationError.self) {
      try await manager.requestTemporaryFullAccuracyAuthorization(purposeKey: "docking")
    }
    #expect(error?.code == .promptDeclined)
    #expect(reports.entries == [])
  }

  @Test func aCopyIsIndependent() async throws {
    var backend = MockBackend.failing { [reports] in reports.append($0) }
    let strict = backend
    backend[.location] = .allowed
    #expect(strict[.location] == nil)
    _ = await LocationManager(backend: backend).location
    #expect(reports.entries == [])
    _ = await LocationManager(backend: strict).location
    #expect(reports.entries.count == 1)
  }

  @Test func aFailingBackendSettles() async throws {
    var backend = MockBackend.failing { Issue.record("\($0)") }
    backend[.updates] = .locations(try location(1), try location(2))
    let manager = LocationManager(backend: backend)
    let count = Locked(0)
    let loop = Task.immediate {
      for try await _ in manager.updates { count.withLock { $0 += 1 } }
    }
    try await backend.settle()
    #expect(count.withLock { $0 } == 2)
    #expect("\(backend.unfinishedWork)" == "updates: 1 open stream; the backend runs")
    loop.cancel()
    try await loop.value
    try await backend.settle()
    #expect(backend.unfinishedWork.isEmpty)
    #expect(backend.endpoints == [.updates])
  }
}
