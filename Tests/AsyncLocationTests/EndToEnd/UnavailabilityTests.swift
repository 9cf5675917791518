import AsyncLocation
import MockBackend
import TestSupport
import Testing

/// The reason why there is no location is retained until the next location or the next run.
@Suite(.inTurn)
struct UnavailabilityTests {
  private static let noFix = LocationError(.locationUnknown, "The receiver is in a tunnel.")

  /// A manager whose backend has reported that there is no fix, and a live stream that has received
  /// this report.
  private func managerWithoutFix() async throws -> (
    MockBackend, LocationManager, AsyncStream<LocationUpdate>
  ) {
    let backend = MockBackend(authorization: MockAuthorization(initialDecision: .authorizedAlways))
    let manager = LocationManager(backend: backend)
    let live = manager.liveUpdates
    await backend.waitUntilRunning()
    try backend.emit(.unavailable(Self.noFix))
    #expect(try await live.first(1).map(\.diagnostics) == [.locationUnavailable])
    return (backend, manager, live)
  }

  @Test func laterSubscribersGetTheReason() async throws {
    let (backend, manager, live) = try await managerWithoutFix()
    let late = manager.liveUpdates
    try backend.emit(.unavailable(Self.noFix), .location(fix(1)))
    let updates = try await late.first(2)
    #expect(updates.map(\.diagnostics) == [.locationUnavailable, []])
    #expect(updates.last?.location == fix(1))
    // An existing subscriber gets the reason once.
    #expect(try await live.first(1).map(\.location) == [fix(1)])
  }

  @Test(arguments: [Duration.zero, .seconds(-1)])
  func immediateTimeoutErrorHasNoDuration(_ timeout: Duration) async {
    let manager = LocationManager(
      backend: MockBackend(authorization: MockAuthorization(initialDecision: .authorizedAlways)))
    let error = await #expect(throws: LocationError.self) {
      try await manager.currentLocation(timeout: timeout)
    }
    #expect(error?.code == .timedOut)
    #expect(error?.message == "No location at once.")
  }

  @Test func theReasonIsTheCauseOfATimeout() async throws {
    let clock = ManualClock()
    let backend = MockBackend(
      authorization: MockAuthorization(initialDecision: .authorizedAlways), clock: clock)
    let manager = LocationManager(backend: backend, clock: clock)
    let live = manager.liveUpdates
    await backend.waitUntilRunning()
    try backend.emit(.unavailable(Self.noFix))
    #expect(try await live.first(1).map(\.diagnostics) == [.locationUnavailable])
    let immediateError = await #expect(throws: LocationError.self) {
      try await manager.currentLocation(timeout: .zero)
    }
    #expect(immediateError?.code == .timedOut)
    #expect(immediateError?.cause as? LocationError == Self.noFix)
    func errorOfTimeout() async -> LocationError? {
      let call = Task.immediate { try await manager.currentLocation(timeout: .seconds(5)) }
      await clock.waitForSleepers()
      clock.advance(by: .seconds(5))
      return await #expect(throws: LocationError.self) { try await call.value }
    }
    #expect(await errorOfTimeout()?.cause as? LocationError == Self.noFix)
    try backend.emit(.location(fix(1)))
    #expect(await errorOfTimeout()?.code == .timedOut)
    #expect(await errorOfTimeout()?.cause == nil)
    withExtendedLifetime(live) {}
  }

  @Test func onlyALocationOfThePreferredReceiverEndsTheReason() async throws {
    let (backend, manager, live) = try await managerWithoutFix()
    let other = try Location(
      latitude: 1, longitude: 2, timestamp: fix(1).timestamp,
      sourceInformation: SourceInformation(device: "other", isPreferred: false))
    try backend.emit(.location(other))
    let late = manager.liveUpdates
    try backend.emit(.location(fix(2)))
    #expect(try await late.first(2).map(\.diagnostics) == [.locationUnavailable, []])
    let later = manager.liveUpdates
    try backend.emit(.location(fix(3)))
    #expect(try await later.first(1).map(\.location) == [fix(3)])
    // The reason is delivered again when the backend reports it again.
    try backend.emit(.unavailable(Self.noFix))
    #expect(try await live.first(3).map(\.diagnostics) == [[], [], .locationUnavailable])
  }

  @Test func aNewRunForgetsTheReason() async throws {
    let backend = MockBackend(authorization: MockAuthorization(initialDecision: .authorizedAlways))
    let manager = LocationManager(backend: backend)
    var live: AsyncStream<LocationUpdate>? = manager.liveUpdates
    await backend.waitUntilRunning()
    try backend.emit(.unavailable(Self.noFix))
    #expect(try await live?.first(1).map(\.diagnostics) == [.locationUnavailable])
    withExtendedLifetime(live) {}
    live = nil
    await backend.waitUntilIdle()
    // Without a new run, the reason is retained.
    let error = await #expect(throws: LocationError.self) {
      try await manager.currentLocation(timeout: .zero)
    }
    #expect(error?.cause as? LocationError == Self.noFix)
    let next = manager.liveUpdates
    await backend.waitUntilRunning()
    let errorInNewRun = await #expect(throws: LocationError.self) {
      try await manager.currentLocation(timeout: .zero)
    }
    #expect(errorInNewRun?.cause == nil)
    try backend.emit(.unavailable(Self.noFix), .location(fix(1)))
    #expect(try await next.first(2).map(\.diagnostics) == [.locationUnavailable, []])
    #expect(backend.runCount == 2)
  }

  @Test func permissionAndALostConnectionTakePrecedence() async throws {
    let (backend, manager, live) = try await managerWithoutFix()
    func cause() async -> LocationError? {
      let error = await #expect(throws: LocationError.self) {
        try await manager.currentLocation(timeout: .zero)
      }
      return error?.cause as? LocationError
    }
    let lost = LocationError(.connectionLost, "gpsd went away.")
    try backend.emit(.connection(ConnectionState(.waiting, attempts: 1, problem: lost)))
    #expect(await cause() == lost)
    let complaint = LocationError(.backendUnavailable, "gpsd complains.")
    try backend.emit(.connection(ConnectionState(.connected, problem: complaint)))
    #expect(await cause() == Self.noFix)
    backend.setAuthorization(.authorizedWhenInUse)
    await manager.setInUse(false)
    #expect(await cause()?.message.contains("in use") == true)
    withExtendedLifetime(live) {}
  }
}
