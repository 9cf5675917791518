import FoundationEssentials
import MockBackend
import TestSupport
import Testing

@testable import AsyncLocation

extension ManagerBench {
  /// Shuts the manager down. Returns a stream's events without authorization and connection events.
  func rest(
    of events: AsyncStream<LocationEvent>
  ) async -> [LocationEvent] {
    await manager.shutdown()
    return await events.all().elements.filter {
      switch $0 {
      case .didChangeConnection, .didChangeAuthorization: false
      default: true
      }
    }
  }
}

/// Produces the cases of ``LocationEvent``, also for streams that are opened late.
@Suite(.inTurn)
struct EventStreamTests {
  private let bench = ManagerBench()
  private var backend: MockBackend { bench.backend }
  private var manager: LocationManager { bench.manager }
  private static let whenInUse = Authorization(status: .authorizedWhenInUse)
  private static let noFix = LocationError(.locationUnknown, "No fix.")

  @Test func aStreamBeginsWithAuthorizationAndConnection() async throws {
    var events = manager.events.makeAsyncIterator()
    #expect(await events.next() == .didChangeAuthorization(.init(status: .notDetermined)))
    #expect(await events.next() == .didChangeConnection(ConnectionState(.idle)))
    #expect(await events.next() == .didChangeAuthorization(Self.whenInUse))
    await backend.waitUntilRunning()
    #expect(backend.demand?.kinds == .all)
  }

  @Test func connectionEventsCanBeTurnedOff() async throws {
    let (without, with) = (
      manager.events(EventOptions(services: .locations, reportsConnection: false)), manager.events
    )
    await backend.waitUntilRunning()
    try backend.emit(.connection(ConnectionState(.connected)), .location(fix(1)))
    await manager.shutdown()
    func connectionEventCount(_ events: [LocationEvent]) -> Int {
      events.count { if case .didChangeConnection = $0 { true } else { false } }
    }
    let seen = await without.all().elements
    #expect(connectionEventCount(seen) == 0)
    #expect(seen.last == .didUpdateLocations([fix(1)]))
    #expect(connectionEventCount(await with.all().elements) >= 2)
  }

  // MARK: Why there is no location

  /// The reason is repeated as in ``LocationManager/liveUpdates``, until the next location.
  @Test func lateStreamReceivesTheReason() async throws {
    let first = manager.events
    await backend.waitUntilRunning()
    try backend.emit(.location(fix(1)), .unavailable(Self.noFix))
    let joined = [
      manager.events(EventOptions(services: .locations)),
      manager.events(EventOptions(services: [])),
    ]
    try backend.emit(.location(fix(2)))
    let late = manager.events
    #expect(
      await bench.rest(of: joined[0]) == [
        .didUpdateLocations([fix(1)]), .didFailWithError(Self.noFix), .didUpdateLocations([fix(2)]),
      ])
    #expect(await bench.rest(of: joined[1]) == [.didFailWithError(Self.noFix)])
    #expect(await bench.rest(of: late) == [.didUpdateLocations([fix(2)])])
    #expect(await bench.rest(of: first).count == 3)
  }

  @Test func streamOpenedOutOfUseReceivesTheReason() async throws {
    let first = manager.events
    await backend.waitUntilRunning()
    await manager.setInUse(false)
    let joined = manager.events
    await manager.setInUse(true)
    let late = manager.events
    for (events, count) in [(first, 1), (joined, 1), (late, 0)] {
      let messages = await bench.rest(of: events).compactMap { event -> String? in
        if case .didFailWithError(let error) = event { error.message } else { nil }
      }
      #expect(messages.count == count)
      #expect(messages.allSatisfy { $0.contains("in use") })
    }
  }

  /// A new stream with services tries the source again; a stream without services gets the failure.
  @Test func streamOpenedAfterAFailureReceivesTheReason() async throws {
    let first = manager.events
    await backend.waitUntilRunning()
    let failure = LocationError(.backendUnavailable, "Gone.")
    try backend.fail(failure)
    for await _ in first {}
    await backend.waitUntilIdle()
    let observer = manager.events(EventOptions(services: []))
    let trying = manager.events
    await backend.waitUntilRunning()
    #expect(await bench.rest(of: observer) == [.didFailWithError(failure)])
    #expect(await bench.rest(of: trying) == [])
  }

  @Test func theReportsOfABatchAreInOrder() async throws {
    let events = manager.events
    await backend.waitUntilRunning()
    let beacon = try Beacon(
      uuid: UUID(), major: 1, minor: 2, proximity: .near, accuracy: 1, rssi: -60,
      timestamp: fix(0).timestamp)
    try backend.emit(
      .location(fix(1)), .location(fix(2)), .heading(heading(10)), .location(fix(3)),
      .satellites(view(4)), .beacons(BeaconReport(beacons: [beacon])), .unavailable(Self.noFix),
      .unavailable(Self.noFix), .location(fix(4)), .unavailable(Self.noFix))
    #expect(
      await bench.rest(of: events) == [
        .didUpdateLocations([fix(1), fix(2)]), .didUpdateHeading(heading(10)),
        .didUpdateLocations([fix(3)]), .didUpdateSatellites(view(4)), .didRangeBeacons([beacon]),
        .didFailWithError(Self.noFix), .didUpdateLocations([fix(4)]),
        .didFailWithError(Self.noFix),
      ])
  }

  @Test func didUpdateToHasThePreviousLocation() async throws {
    let events = manager.events(EventOptions(services: .locations, reportsPreviousLocation: true))
    await backend.waitUntilRunning()
    try backend.emit(.location(fix(1)), .location(fix(2)))
    try backend.emit(.location(fix(3)))
    #expect(
      await bench.rest(of: events) == [
        .didUpdateTo(fix(1), from: nil), .didUpdateTo(fix(2), from: fix(1)),
        .didUpdateTo(fix(3), from: fix(2)),
      ])
  }

  @Test func didFailWithErrorWhenTheSourceFails() async throws {
    let (events, observer) = (manager.events, manager.events(EventOptions(services: [])))
    await backend.waitUntilRunning()
    let failure = LocationError(.backendUnavailable, "Gone.")
    try backend.emit(.location(fix(1)))
    try backend.fail(failure)
    let all = await events.all().elements
    #expect(all.suffix(1) == [.didFailWithError(failure)], "the stream ended by itself")
    // The observer stays open: starting a service tries the source again.
    await backend.waitUntilIdle()
    manager.startUpdatingLocation()
    await backend.waitUntilRunning()
    try backend.emit(.location(fix(2)))
    #expect(
      await bench.rest(of: observer) == [
        .didFailWithError(failure), .didUpdateLocations([fix(2)]),
      ])
  }

  @Test func didFailWithErrorWhenPermissionIsRefused() async throws {
    let events = manager.events
    await backend.waitUntilRunning()
    try backend.emit(.location(fix(1)))
    backend.setAuthorization(.denied)
    backend.setAuthorization(.authorizedAlways)
    await backend.waitForCall(count: 2) { if case .runStarted = $0 { true } else { false } }
    try backend.emit(.location(fix(2)))
    await manager.shutdown()
    let seen = await events.all().elements.filter {
      if case .didChangeConnection = $0 { false } else { true }
    }
    #expect(seen.count == 6, "\(seen)")
    #expect(seen.dropFirst(2).first == .didChangeAuthorization(.init(status: .denied)))
    guard case .didFailWithError(let error) = try #require(seen.dropFirst(3).first) else {
      Issue.record("\(seen)")
      return
    }
    #expect(error.code == .denied)
    #expect(
      seen.suffix(2) == [
        .didChangeAuthorization(.init(status: .authorizedAlways)), .didUpdateLocations([fix(2)]),
      ])
  }

  @Test func goingOutOfUseIsReportedAsAnError() async throws {
    let events = manager.events(EventOptions(services: .locations))
    await backend.waitUntilRunning()
    try backend.emit(.location(fix(1)))
    await manager.setInUse(false)
    await manager.setInUse(true)
    await backend.waitForCall(count: 2) { if case .runStarted = $0 { true } else { false } }
    try backend.emit(.location(fix(2)))
    let seen = await bench.rest(of: events)
    guard case .didFailWithError(let error) = try #require(seen.first) else {
      Issue.record("\(seen)")
      return
    }
    #expect(error.code == .locationUnknown)
    #expect(error.message.contains("in use"))
    #expect(seen.dropFirst() == [.didUpdateLocations([fix(2)])])
  }

  /// An error that equals the previous one is reported again.
  @Test func eachFailedAttemptReportsItsError() async throws {
    let failure = LocationError(.backendUnavailable, "Gone.")
    for _ in 0..<2 {
      let events = manager.events
      await backend.waitUntilRunning()
      try backend.fail(failure)
      #expect(await events.all().elements.last == .didFailWithError(failure))
      await backend.waitUntilIdle()
    }
  }

  /// Without this repetition, the last reported reason would be that the application is not in use.
  @Test func aReasonIsReportedAgainAfterBeingOutOfUse() async throws {
    let events = manager.events(EventOptions(services: .locations))
    let failure = LocationError(.locationUnknown, "No fix.")
    await backend.waitUntilRunning()
    try backend.emit(.unavailable(failure))
    await manager.setInUse(false)
    await manager.setInUse(true)
    await backend.waitForCall(count: 2) { if case .runStarted = $0 { true } else { false } }
    try backend.emit(.unavailable(failure))
    let seen = await bench.rest(of: events)
    #expect(seen.count == 3)
    #expect(seen.first == .didFailWithError(failure))
    #expect(seen.last == .didFailWithError(failure))
  }

  private func waitForLocation(_ location: Location, in events: AsyncStream<LocationEvent>) async {
    for await event in events where event == .didUpdateLocations([location]) { return }
  }

  /// In a parked vehicle, no later location passes the filter.
  @Test func lateStreamReceivesTheLastLocation() async throws {
    await manager.set { $0.distanceFilter = 100 }
    let first = manager.events
    await backend.waitUntilRunning()
    try backend.emit(.location(fix(1)))
    await waitForLocation(fix(1), in: first)
    let (second, others) = (manager.events, manager.events(EventOptions(services: .visits)))
    let pairs = manager.events(
      EventOptions(services: .locations, reportsPreviousLocation: true))
    #expect(await bench.rest(of: second) == [.didUpdateLocations([fix(1)])])
    #expect(await bench.rest(of: pairs) == [.didUpdateTo(fix(1), from: nil)])
    #expect(await bench.rest(of: others) == [])
  }

  @Test func streamOpenedAfterAWithdrawalReceivesNoLocation() async throws {
    let first = manager.events
    await backend.waitUntilRunning()
    try backend.emit(.location(fix(1)))
    await waitForLocation(fix(1), in: first)
    backend.setAuthorization(.denied)
    backend.setAuthorization(.authorizedAlways)
    await backend.waitForCall(count: 2) { if case .runStarted = $0 { true } else { false } }
    #expect(await bench.rest(of: manager.events) == [])
  }

  /// The centre of a cell is not the position of the receiver.
  @Test func noDistanceIsMeasuredFromAReducedLocation() async throws {
    backend.setAuthorization(AuthorizationDecision(.whenInUse, accuracy: .reduced))
    await manager.set { $0.distanceFilter = 100_000 }
    let events = manager.events
    await backend.waitUntilRunning()
    try backend.emit(.location(fix(1)))
    for await case .didUpdateLocations in events { break }
    backend.setAuthorization(.authorizedWhenInUse)
    await manager.waitForAuthorization { $0.accuracy == .full }
    try backend.emit(.location(fix(2)))
    let isExact = await bench.rest(of: events).contains {
      guard case .didUpdateLocations(let locations) = $0 else { return false }
      return locations.contains { !$0.isReduced }
    }
    #expect(isExact)
  }

  /// A stream that starts a service again gets no event from before the service stopped.
  @Test func restartedServiceReplaysNoEarlierEvents() async throws {
    for services: LocationServices in [.significantLocationChanges, .locations] {
      var first: AsyncStream<LocationEvent>? = manager.events(EventOptions(services: services))
      await backend.waitUntilRunning()
      let location = fix(services == .locations ? 2 : 1)
      try backend.emit(.location(location))
      if let first { await waitForLocation(location, in: first) }
      first = nil
      await backend.waitUntilIdle()
    }
    let (second, third) = (
      manager.events(EventOptions(services: .significantLocationChanges)), manager.events
    )
    #expect(await bench.rest(of: second) == [])
    #expect(await bench.rest(of: third) == [])
  }

  @Test func significantChangesResumeAfterANewGrant() async throws {
    let events = manager.events(EventOptions(services: .significantLocationChanges))
    await backend.waitUntilRunning()
    try backend.emit(.location(fix(1)))
    await waitForLocation(fix(1), in: events)
    let second = manager.events(EventOptions(services: .significantLocationChanges))
    await waitForLocation(fix(1), in: second)
    backend.setAuthorization(.denied)
    backend.setAuthorization(.authorizedAlways)
    await backend.waitForCall(count: 2) { if case .runStarted = $0 { true } else { false } }
    let third = manager.events(EventOptions(services: .significantLocationChanges))
    try backend.emit(.location(fix(2)))
    await waitForLocation(fix(2), in: events)
    #expect(await bench.rest(of: third) == [.didUpdateLocations([fix(2)])])
  }

  @Test func aRefusalIsReportedToALateStream() async throws {
    let bench = ManagerBench(authorization: .denying)
    _ = try? await bench.manager.requestWhenInUseAuthorization()
    let (events, observer) = (
      bench.manager.events, bench.manager.events(EventOptions(services: []))
    )
    bench.manager.startUpdatingHeading()
    let codes = await bench.rest(of: events).map { event -> LocationError.Code? in
      if case .didFailWithError(let error) = event { error.code } else { nil }
    }
    // When the stream is opened, and when the service is started.
    #expect(codes == [.denied, .denied])
    #expect(await bench.rest(of: observer).count == 1)
    #expect(bench.backend.runCount == 0)
  }

  @Test func missingServicesFailOnlyIfNamed() async throws {
    let bench = ManagerBench(capabilities: .locations)
    let (all, named) = (
      bench.manager.events, bench.manager.events(EventOptions(services: [.headings, .beacons]))
    )
    #expect(!bench.manager.headingAvailable)
    #expect(!bench.manager.isRangingAvailable)
    #expect(await bench.rest(of: all) == [])
    let codes = await bench.rest(of: named).map { event -> LocationError.Code? in
      switch event {
      case .didFailWithError(let error), .didFailRanging(let error): error.code
      default: nil
      }
    }
    #expect(codes == [.rangingUnavailable, .unsupported])
  }

  @Test func visitsAndPausesAreEvents() async throws {
    let bench = ManagerBench()
    await bench.manager.set {
      $0.activityType = .fitness
      $0.pausesLocationUpdatesAutomatically = true
    }
    let events = bench.manager.events(EventOptions(services: [.locations, .visits]))
    // The receiver leaves after 400 s.
    let track = Track().then().stay(400).move(east: 1_000, at: 2)
    try await bench.feed(track)
    await bench.manager.shutdown()
    let seen = await events.all().elements
    let seconds = seen.flatMap { event -> [Location] in
      if case .didUpdateLocations(let locations) = event { locations } else { [] }
    }.seconds
    #expect(Array(seconds.prefix(121)) == .seconds(0...120))
    #expect(try #require(seconds.dropFirst(121).first) > 400)
    let others = seen.compactMap { event -> String? in
      switch event {
      case .didPauseLocationUpdates: "pause"
      case .didResumeLocationUpdates: "resume"
      case .didVisit(let visit): visit.departure == nil ? "arrival" : "departure"
      default: nil
      }
    }
    #expect(others == ["pause", "arrival", "resume", "departure"])
    let resumption = try #require(
      seen.firstIndex { if case .didResumeLocationUpdates = $0 { true } else { false } })
    guard case .didUpdateLocations = seen[resumption + 1] else {
      Issue.record("the location that shows movement precedes the resumption")
      return
    }
  }

  @Test func significantChangesAreEvents() async throws {
    manager.startMonitoringSignificantLocationChanges()
    let observer = manager.events(EventOptions(services: []))
    let every = manager.events(EventOptions(services: .locations))
    await backend.waitUntilRunning()
    for n in [1, 2, 10] {
      bench.clock.advance(by: .seconds(200))
      try backend.emit(.location(fix(n)))
    }
    #expect(
      await bench.rest(of: observer) == [
        .didUpdateLocations([fix(1)]), .didUpdateLocations([fix(10)]),
      ])
    #expect(await bench.rest(of: every).count == 3, "not twice")
  }

  @Test func regionCrossingsAreEvents() async throws {
    let near = Region.circular(
      CircularRegion(center: at(0.010, 0), radius: 200, identifier: "near"))
    let beacons = Region.beacon(
      BeaconRegion(constraint: BeaconIdentityConstraint(uuid: UUID()), identifier: "door"))
    let bench = ManagerBench(capabilities: .locations)
    let regions = bench.manager.events.filter { event in
      switch event {
      case .didStartMonitoring, .didEnterRegion, .didExitRegion, .didDetermineState,
        .monitoringDidFail:
        true
      default: false
      }
    }
    var events = regions.makeAsyncIterator()
    try await bench.manager.startMonitoring(for: near)
    #expect(await events.next() == .didStartMonitoring(near))
    try await bench.manager.startMonitoring(for: beacons)
    #expect(await events.next() == .didStartMonitoring(beacons))
    guard case .monitoringDidFail(beacons, let error) = try #require(await events.next()) else {
      Issue.record("no failure")
      return
    }
    #expect(error.code == .rangingUnavailable)
    await bench.backend.waitUntilRunning()
    for fix in stops(at: 0, 10, 20) { try bench.backend.emit(.location(fix)) }
    #expect(await events.next() == .didEnterRegion(near))
    #expect(await events.next() == .didDetermineState(.inside, for: near))
    #expect(await events.next() == .didExitRegion(near))
    #expect(await events.next() == .didDetermineState(.outside, for: near))
  }

  @Test func conditionChangesAreEvents() async throws {
    let monitor = try await Monitor("fences", manager: manager)
    try await monitor.add(.circle(center: at(0.010, 0), radius: 200), identifier: "depot")
    let events = manager.events(EventOptions(services: []))
    await backend.waitUntilRunning()
    try backend.emit(.location(fix(0, accuracy: 5)))
    for await event in events {
      guard case .didChangeCondition(let change, let name) = event else { continue }
      #expect(name == "fences")
      #expect(change.identifier == "depot")
      #expect(change.state == .unsatisfied)
      break
    }
    for await event in monitor.events {
      #expect(event.state == .unsatisfied, "still to be handled")
      break
    }
    await monitor.close()
  }

  @Test func calibrationIsShownUntilDismissedOrAccurate() async throws {
    func heading(_ accuracy: Double?) throws -> Heading {
      try Heading(
        magneticHeading: 10, headingAccuracy: accuracy, timestamp: fix(0).timestamp,
        source: .compass)
    }
    await manager.set { $0.headingFilter = 0 }
    manager.startUpdatingHeading()
    let events = manager.events(EventOptions(services: []))
    await backend.waitUntilRunning()
    try backend.emit(.heading(heading(40)), .heading(heading(25)))
    manager.dismissHeadingCalibrationDisplay()
    manager.dismissHeadingCalibrationDisplay()
    try backend.emit(.heading(heading(50)), .heading(heading(10)), .heading(heading(50)))
    manager.stopUpdatingHeading()
    let shown = await bench.rest(of: events).compactMap { event in
      if case .shouldDisplayHeadingCalibration(let shows) = event { shows } else { nil }
    }
    #expect(shown == [true, false, true, false])
  }

  // MARK: Deferral

  @Test func deferredLocationsArriveTogether() async throws {
    manager.startUpdatingLocation()
    let events = manager.events(EventOptions(services: []))
    let updates = manager.updates
    await backend.waitUntilRunning()
    manager.allowDeferredLocationUpdates(untilTraveled: 300, timeout: .seconds(60))
    for n in 0...4 { try backend.emit(.location(fix(n))) }  // 111 m apart.
    manager.allowDeferredLocationUpdates(untilTraveled: .infinity, timeout: .seconds(60))
    try backend.emit(.location(fix(5)))
    await bench.clock.waitForSleepers()
    bench.clock.advance(by: .seconds(60))
    var seen: [LocationEvent] = []
    for await event in events {
      switch event {
      case .didUpdateLocations, .didFinishDeferredUpdates: seen.append(event)
      default: continue
      }
      if seen.count == 5 { break }
    }
    #expect(try await updates.first(6).count == 6, "other streams are not deferred")
    manager.allowDeferredLocationUpdates(untilTraveled: .infinity, timeout: .seconds(60))
    try backend.emit(.location(fix(6)))
    manager.disallowDeferredLocationUpdates()
    #expect(
      seen == [
        .didUpdateLocations([fix(0), fix(1), fix(2), fix(3)]), .didFinishDeferredUpdates(nil),
        .didUpdateLocations([fix(4)]), .didUpdateLocations([fix(5)]),
        .didFinishDeferredUpdates(nil),
      ])
    let rest = await bench.rest(of: events)
    #expect(rest.first == .didUpdateLocations([fix(6)]))
    #expect(rest.compactMap(Self.deferralCode) == [.deferredCanceled])
  }

  /// Full accuracy begins and ends while the reduced location is held.
  @Test func deferredReducedLocationsOutlastFullAccuracy() async throws {
    let reduced = AuthorizationDecision(.whenInUse, accuracy: .reduced)
    backend.setAuthorization(reduced)
    let events = manager.events(EventOptions(services: .locations))
    await backend.waitUntilRunning()
    manager.allowDeferredLocationUpdates(untilTraveled: .infinity, timeout: .seconds(3_600))
    try backend.emit(.location(fix(1)))
    try await backend.settle()
    backend.setAuthorization(AuthorizationDecision(.whenInUse))
    await manager.waitForAuthorization { $0.accuracy == .full }
    try backend.emit(.location(fix(2)))
    backend.setAuthorization(reduced)
    await manager.waitForAuthorization { $0.accuracy == .reduced }
    let seen = await bench.rest(of: events)
    let locations = seen.compactMap { event -> [Location]? in
      guard case .didUpdateLocations(let locations) = event else { return nil }
      return locations
    }
    #expect(locations.joined().count == 1)
    #expect(locations.joined().allSatisfy { $0.isReduced })
    #expect(seen.compactMap(Self.deferralCode) == [.deferredCanceled])
  }

  @Test func deferredLocationsArriveBeforeTheEndOfTheSource() async throws {
    let events = manager.events(EventOptions(services: .locations))
    await backend.waitUntilRunning()
    manager.allowDeferredLocationUpdates(untilTraveled: .infinity, timeout: .seconds(60))
    try backend.emit(.location(fix(0)), .location(fix(1)))
    try backend.end()
    let end = await events.all().elements.suffix(2)
    #expect(end.first == .didUpdateLocations([fix(0), fix(1)]))
    #expect(end.last.flatMap(Self.deferralCode) == .deferredCanceled)
  }

  @Test func aLocationWithdrawnInItsBatchIsDroppedOnEachStream() async throws {
    let streams = (1...3).map { _ in manager.events(EventOptions(services: .locations)) }
    await backend.waitUntilRunning()
    try backend.emit(.location(fix(0)), .authorization(.denied))
    #expect(await manager.statistics.elementsDropped == 3)
    await manager.shutdown()
    for stream in streams {
      #expect(
        await stream.all().elements.allSatisfy {
          if case .didUpdateLocations = $0 { false } else { true }
        })
    }
  }

  @Test func deferralRequiresUnfilteredLocations() async throws {
    let events = manager.events(EventOptions(services: []))
    manager.allowDeferredLocationUpdates(untilTraveled: 1, timeout: .seconds(1))
    manager.startUpdatingLocation()
    await manager.set { $0.distanceFilter = 5 }
    manager.allowDeferredLocationUpdates(untilTraveled: 1, timeout: .seconds(1))
    await manager.set { ($0.distanceFilter, $0.desiredAccuracy) = (0, .kilometer) }
    manager.allowDeferredLocationUpdates(untilTraveled: 1, timeout: .seconds(1))
    await manager.set { $0.desiredAccuracy = .best }
    manager.allowDeferredLocationUpdates(untilTraveled: 1, timeout: .seconds(1))
    manager.stopUpdatingLocation()
    #expect(
      await bench.rest(of: events).compactMap(Self.deferralCode) == [
        .deferredNotUpdatingLocation, .deferredDistanceFiltered, .deferredAccuracyTooLow,
        .deferredCanceled,
      ])
  }

  private static func deferralCode(_ event: LocationEvent) -> LocationError.Code? {
    if case .didFinishDeferredUpdates(let error) = event { error?.code } else { nil }
  }
}
