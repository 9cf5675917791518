import AsyncLocation
import MockBackend
import TestSupport
import Testing

@Suite(.tags(.ordering), .inTurn)
struct RevocationTests {
  /// Events that revoke permission.
  enum Revocation: CaseIterable {
    case policy, restriction, source, services, outOfUse, undetermined

    func apply(_ backend: MockBackend, _ manager: LocationManager) async throws {
      switch self {
      case .policy: backend.setAuthorization(.denied)
      case .restriction: backend.setAuthorization(.restricted)
      case .source: try backend.emit(.authorization(.denied))
      case .services: backend.setLocationServices(enabled: false)
      case .outOfUse: await manager.setInUse(false)
      case .undetermined: backend.setAuthorization(.notDetermined)
      }
    }
  }

  /// Revokes at every step of a run: before it starts, between any two events, and after its end.
  @Test("F28 nothing is delivered after a revocation at any step", arguments: Revocation.allCases)
  func nothingIsDeliveredAfterARevocation(_ revocation: Revocation) async throws {
    let events: [[BackendEvent]] = [
      [.connection(ConnectionState(.connecting))], [.connection(ConnectionState(.connected))],
      [.location(fix(1))], [.heading(heading(10)), .satellites(view(3))],
      [.location(fix(2)), .location(fix(3))], [.unavailable(.init(.locationUnknown, "No fix."))],
      [.location(fix(4)), .heading(heading(20))],
    ]
    for step in 0...events.count {
      let backend = MockBackend(
        authorization: MockAuthorization(whenInUse: [
          .now(.authorizedWhenInUse), .later,
        ]))
      let manager = LocationManager(backend: backend)
      let updatesWithOptions = manager.updates(UpdateOptions())
      let (updates, live) = (manager.updates, manager.liveUpdates)
      let (headings, satellites) = (manager.headings, manager.satellites)
      let call = Task.immediate {
        try await manager.currentLocation(desiredAccuracy: .meters(1), timeout: .seconds(3_600))
      }
      await backend.waitUntilRunning()
      while await manager.statistics.subscribers < 5 { await Task.yield() }
      for batch in events.prefix(step) { try backend.emit(batch) }
      try await revocation.apply(backend, manager)
      #expect(await manager.location == nil)
      #expect(await manager.heading == nil)
      let before = await manager.statistics.elementsDelivered
      for batch in events.dropFirst(step) { try backend.emit(batch) }
      #expect(await manager.location == nil, "at \(step)")
      #expect(await manager.heading == nil, "at \(step)")
      let delivered = await manager.statistics.elementsDelivered
      // At most one more element is delivered: a live update with the reason.
      #expect(delivered - before <= 1, "at \(step)")

      let locationCount = events.prefix(step).joined().count {
        if case .location = $0 { true } else { false }
      }
      await manager.shutdown()
      // Buffered elements are discarded, too, and counted.
      #expect(await updates.all().elements == [], "at \(step)")
      #expect(await updatesWithOptions.all().elements == [], "at \(step)")
      #expect(updatesWithOptions.dropped == locationCount, "at \(step)")
      #expect(await live.all().elements.compactMap(\.location) == [], "at \(step)")
      #expect(await headings.all().elements == [], "at \(step)")
      #expect(await satellites.all().elements == [], "at \(step)")
      let result = await call.result
      #expect(throws: LocationError.self) { try result.get() }
    }
  }

  /// The problem of the connection states why a source refuses, such as the group to join.
  @Test(arguments: [AuthorizationStatus.denied, .restricted])
  func aSourceThatRefusesStatesWhy(_ status: AuthorizationStatus) async throws {
    let backend = MockBackend()
    let manager = LocationManager(backend: backend)
    let updates = manager.updates(UpdateOptions())
    await backend.waitUntilRunning()
    let problem = LocationError(
      status == .denied ? .denied : .restricted, "Join the group dialout.",
      cause: CancellationError())
    try backend.emit(
      .connection(ConnectionState(.failed, problem: problem)), .authorization(status))
    let error = await updates.all().error as? LocationError
    #expect(error?.code == problem.code)
    #expect(error?.message == "Join the group dialout.")
    #expect(error?.isRefusal == true)
    #expect(await manager.authorization().status == status)
    #expect(await manager.authorization().reason == "Join the group dialout.")
    // The policy's own refusal prevails.
    backend.setAuthorization(.denied)
    #expect(await manager.authorization().reason == nil)
    await manager.shutdown()
  }

  /// An earlier problem of another kind is no reason for a refusal.
  @Test func aSourceMayRefuseWithoutAReason() async throws {
    let backend = MockBackend()
    let manager = LocationManager(backend: backend)
    let updates = manager.updates(UpdateOptions())
    await backend.waitUntilRunning()
    let problem = LocationError(.backendUnavailable, "Nothing listens there.")
    try backend.emit(
      .connection(ConnectionState(.waiting, problem: problem)), .authorization(.denied))
    let error = await updates.all().error as? LocationError
    #expect(error?.message.contains("check its access rights") == true)
    #expect(await manager.authorization().reason == nil)
    await manager.shutdown()
  }
}
