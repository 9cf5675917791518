import MockBackend
import TestSupport
import Testing

@testable import AsyncLocation

/// `requestLocation` adds one location or one failure to the events.
@Suite(.inTurn)
struct RequestedLocationTests {
  private let bench = ManagerBench()
  private var backend: MockBackend { bench.backend }
  private var manager: LocationManager { bench.manager }

  /// A stream that starts no service.
  private func observer(of manager: LocationManager) -> AsyncStream<LocationEvent> {
    manager.events(EventOptions(services: []))
  }

  private static func codes(of events: [LocationEvent]) -> [LocationError.Code?] {
    events.map { if case .didFailWithError(let error) = $0 { error.code } else { nil } }
  }

  // MARK: Answers

  @Test func theReceiverStopsAfterTheRequestedLocation() async throws {
    let observers = [observer(of: manager), manager.events(EventOptions(services: .headings))]
    manager.requestLocation()
    await backend.waitForCall(count: 2) { call in
      switch call {
      case .runStarted(let demand), .demandApplied(let demand): demand.kinds.contains(.locations)
      default: true
      }
    }
    await backend.waitUntilRunning()
    try backend.emit(.location(fix(1)), .location(fix(2)))
    for observer in observers {
      #expect(await bench.rest(of: observer) == [.didUpdateLocations([fix(1)])])
    }
    #expect(bench.clock.sleeperCount == 0, "the timeout was cancelled")
  }

  @Test func theReceiverStopsAfterEachRequest() async throws {
    for n in 1...2 {
      manager.requestLocation()
      await backend.waitUntilRunning()
      try backend.emit(.location(fix(n)))
      await backend.waitUntilIdle()
    }
    #expect(backend.runCount == 2)
  }

  @Test func aSecondRequestSharesTheLocation() async throws {
    let observer = observer(of: manager)
    manager.requestLocation()
    manager.requestLocation()
    await backend.waitUntilRunning()
    try backend.emit(.location(fix(1)), .location(fix(2)))
    #expect(await bench.rest(of: observer) == [.didUpdateLocations([fix(1)])])
  }

  /// The service has already reported the location, so the request adds no event.
  @Test(arguments: [LocationServices.locations, .significantLocationChanges])
  func aLocationOfAServiceIsReportedOnce(_ services: LocationServices) async throws {
    let (reader, observer) = (
      manager.events(EventOptions(services: services)), observer(of: manager)
    )
    await backend.waitUntilRunning()
    manager.requestLocation()
    try backend.emit(.location(fix(1)))
    #expect(await bench.rest(of: reader) == [.didUpdateLocations([fix(1)])])
    #expect(await bench.rest(of: observer) == [.didUpdateLocations([fix(1)])])
  }

  @Test func theDistanceFilterPassesTheRequestedLocation() async throws {
    await manager.set { $0.distanceFilter = 1_000 }
    let reader = manager.events(EventOptions(services: .locations))
    await backend.waitUntilRunning()
    try backend.emit(.location(fix(1)))
    manager.requestLocation()
    for n in 2...10 { try backend.emit(.location(fix(n))) }
    // The eleventh fix would be 1 km from the requested location.
    #expect(
      await bench.rest(of: reader) == [
        .didUpdateLocations([fix(1)]), .didUpdateLocations([fix(2)]),
      ])
  }

  @Test func aStationaryReceiverAnswersAndAJumpDoesNot() async throws {
    await manager.set {
      $0.activityType = .fitness
      $0.pausesLocationUpdatesAutomatically = true
    }
    let reader = manager.events(EventOptions(services: .locations))
    let stay = Track().then().stay(200)
    try await bench.feed(stay)
    manager.requestLocation()
    try await bench.feed(stay.then(east: 5_000).then(east: 0), after: stay)
    let seconds = await bench.rest(of: reader).flatMap { event -> [Location] in
      if case .didUpdateLocations(let locations) = event { locations } else { [] }
    }.seconds
    #expect(seconds == .seconds(0...120, 202...202))
  }

  @Test func aDeferralHoldsTheRequestedLocation() async throws {
    let (reader, observer) = (
      manager.events(EventOptions(services: .locations)), observer(of: manager)
    )
    await backend.waitUntilRunning()
    manager.allowDeferredLocationUpdates(untilTraveled: .infinity, timeout: .seconds(60))
    manager.requestLocation()
    try backend.emit(.location(fix(1)))
    try backend.emit(.location(fix(2)))
    manager.disallowDeferredLocationUpdates()
    #expect(await bench.rest(of: observer).first == .didUpdateLocations([fix(1)]))
    #expect(await bench.rest(of: reader).first == .didUpdateLocations([fix(1), fix(2)]))
  }

  // MARK: Timeouts

  @Test func theBestLocationIsReportedAtTheTimeout() async throws {
    await manager.set {
      $0.desiredAccuracy = .nearestTenMeters
      $0.distanceFilter = 10_000
    }
    let (reader, observer) = (
      manager.events(EventOptions(services: .locations)), observer(of: manager)
    )
    await backend.waitUntilRunning()
    manager.requestLocation()
    try backend.emit(
      .location(fix(1, accuracy: 90)), .location(fix(2, accuracy: 50)),
      .location(fix(3, accuracy: 70)))
    await bench.clock.waitForSleepers()
    bench.clock.advance(by: .seconds(60))
    try await backend.settle()
    #expect(
      await bench.rest(of: observer) == [.didUpdateLocations([fix(2, accuracy: 50)])])
    #expect(
      await bench.rest(of: reader) == [
        .didUpdateLocations([fix(1, accuracy: 90)]), .didUpdateLocations([fix(2, accuracy: 50)]),
      ])
  }

  /// Locations are ordered by arrival, not by the receiver's time.
  @Test func aReceiverClockSetbackKeepsTheBestLocation() async throws {
    await manager.set {
      $0.desiredAccuracy = .nearestTenMeters
      $0.distanceFilter = 10_000
    }
    let (reader, observer) = (
      manager.events(EventOptions(services: [.locations, .significantLocationChanges])),
      observer(of: manager)
    )
    await backend.waitUntilRunning()
    manager.requestLocation()
    await bench.clock.waitForSleepers()
    try backend.emit(.location(fix(1_000, accuracy: 90)))
    for second in 2...4 {
      bench.clock.advance(by: .seconds(1))
      try backend.emit(.location(fix(second, accuracy: 50)))
    }
    bench.clock.advance(by: .seconds(60))
    try await backend.settle()
    let best = LocationEvent.didUpdateLocations([fix(4, accuracy: 50)])
    #expect(await bench.rest(of: observer) == [best])
    #expect(await bench.rest(of: reader).last == best)
  }

  /// A stream that starts a stopped service again has not received its earlier locations.
  @Test func restartedServiceReceivesTheAnswer() async throws {
    await manager.set { $0.desiredAccuracy = .nearestTenMeters }
    var first: AsyncStream<LocationEvent>? = manager.events(EventOptions(services: .locations))
    await backend.waitUntilRunning()
    manager.requestLocation()
    await bench.clock.waitForSleepers()
    try backend.emit(.location(fix(1, accuracy: 50)))
    _ = first
    first = nil
    let second = manager.events(EventOptions(services: .locations))
    bench.clock.advance(by: .seconds(60))
    try await backend.settle()
    #expect(await bench.rest(of: second).last == .didUpdateLocations([fix(1, accuracy: 50)]))
  }

  /// The receiver's clock was set back, and the filter of the service withholds the location.
  @Test func locationAfterClockSetbackIsReported() async throws {
    await manager.set {
      $0.desiredAccuracy = .nearestTenMeters
      $0.distanceFilter = 1_000
    }
    let events = manager.events(EventOptions(services: .locations))
    await backend.waitUntilRunning()
    try backend.emit(.location(fix(4_000)))
    try await backend.settle()
    manager.requestLocation()
    await bench.clock.waitForSleepers()
    // After this many fixes at the rate of the clock, the earlier times are accepted.
    var last = fix(0)
    for second in 1...FreshnessGate.advancingFixes {
      bench.clock.advance(by: .seconds(1))
      last = try Location(
        latitude: 4, longitude: 0, timestamp: fix(second).timestamp, horizontalAccuracy: 50)
      try backend.emit(.location(last))
    }
    bench.clock.advance(by: .seconds(60))
    try await backend.settle()
    #expect(await bench.rest(of: events).last == .didUpdateLocations([last]))
  }

  @Test func aRequestWithoutAFixTimesOut() async throws {
    let observer = observer(of: manager)
    manager.requestLocation()
    await backend.waitUntilRunning()
    let noFix = LocationError(.locationUnknown, "No fix.")
    try backend.emit(.unavailable(noFix))
    await bench.clock.waitForSleepers()
    bench.clock.advance(by: .seconds(60))
    await backend.waitUntilIdle()
    let events = await bench.rest(of: observer)
    #expect(Self.codes(of: events) == [.locationUnknown, .timedOut])
    guard case .didFailWithError(let error) = events.last else { return }
    #expect(error.cause as? LocationError == noFix)
  }

  // MARK: Permission

  @Test func aRefusalFailsARequestOnce() async throws {
    let bench = ManagerBench(authorization: .asking)
    let (reader, observer) = (
      bench.manager.events(EventOptions(services: .locations)), observer(of: bench.manager)
    )
    bench.manager.requestLocation()
    await bench.backend.waitForCall(.authorizationRequested(.whenInUse))
    bench.backend.answerAuthorization(.denied)
    try await bench.backend.settle()
    bench.manager.requestLocation()
    #expect(Self.codes(of: await bench.rest(of: observer)) == [.denied, .denied])
    #expect(Self.codes(of: await bench.rest(of: reader)) == [.denied, .denied])
    #expect(bench.backend.runCount == 0)
  }

  @Test func aWithdrawnLocationDoesNotAnswerARequest() async throws {
    await manager.set { $0.desiredAccuracy = .nearestTenMeters }
    let observer = observer(of: manager)
    manager.requestLocation()
    await backend.waitUntilRunning()
    try backend.emit(.location(fix(1, accuracy: 90)))
    await manager.setInUse(false)
    await bench.clock.waitForSleepers()
    bench.clock.advance(by: .seconds(60))
    try await backend.settle()
    #expect(Self.codes(of: await bench.rest(of: observer)) == [.locationUnknown, .timedOut])
  }

  // MARK: End of a request

  @Test func stoppingUpdatesEndsARequest() async throws {
    let observer = observer(of: manager)
    manager.requestLocation()
    await backend.waitUntilRunning()
    manager.stopUpdatingHeading()
    #expect(backend.isRunning)
    manager.stopUpdatingLocation()
    await backend.waitUntilIdle()
    #expect(bench.clock.sleeperCount == 0)
    #expect(await bench.rest(of: observer) == [])
  }

  @Test func shutdownEndsARequest() async throws {
    let observer = observer(of: manager)
    manager.requestLocation()
    await backend.waitUntilRunning()
    #expect(await bench.rest(of: observer) == [])
    manager.requestLocation()
    #expect(!backend.isRunning)
    #expect(bench.clock.sleeperCount == 0)
  }

  @Test(arguments: [LocationError(.backendUnavailable, "Gone."), nil])
  func theEndOfTheSourceFailsARequest(_ failure: LocationError?) async throws {
    let (reader, observer) = (
      manager.events(EventOptions(services: .locations)), observer(of: manager)
    )
    manager.requestLocation()
    await backend.waitUntilRunning()
    // The failure is also reported before the end, for the services.
    if let failure { try backend.emit(.unavailable(failure)) }
    if let failure { try backend.fail(failure) } else { try backend.end() }
    try await backend.settle()
    let expected = failure.map { [$0.code, $0.code] } ?? [.locationUnknown]
    #expect(Self.codes(of: await bench.rest(of: observer)) == expected)
    #expect(Self.codes(of: await bench.rest(of: reader)) == expected)
    #expect(backend.runCount == 1)
  }

  @Test func aRequestFailsIfTheBackendHasNoLocations() async throws {
    let bench = ManagerBench(capabilities: .headings)
    let observer = observer(of: bench.manager)
    bench.manager.requestLocation()
    #expect(Self.codes(of: await bench.rest(of: observer)) == [.unsupported])
    #expect(bench.backend.runCount == 0)
  }
}
