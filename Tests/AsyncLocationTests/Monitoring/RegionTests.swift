import Foundation
import MockBackend
import TestSupport
import Testing

@testable import AsyncLocation

@Suite(.inTurn) struct RegionStateMachineTests {
  static let region = Region.circular(
    CircularRegion(center: at(60, 24), radius: 100, identifier: "a"))

  private static let first = "00000000000000000001"
  private static let second = "00000000000000000002"
  private static let condition = try! Condition.circle(center: at(60, 24), radius: 100)

  /// Returns an event of the first condition, unless `key` names another.
  private func event(
    _ state: Monitor.State, diagnostics: Monitor.Diagnostics = [], of key: String = Self.first
  ) -> Monitor.Event {
    Monitor.Event(
      identifier: key, number: 1, state: state, previousState: .unknown,
      date: Date(timeIntervalSince1970: 0), diagnostics: diagnostics)
  }

  @Test func theFirstStateIsNotReportedAsACrossing() {
    let region = Self.region
    var machine = RegionStateMachine()
    _ = machine.start(region, Self.condition)
    #expect(machine.handle(event(.satisfied)) == [])
    #expect(
      machine.handle(event(.unsatisfied)) == [
        .didExit(region), .didDetermineState(.outside, region),
      ])
    #expect(
      machine.handle(event(.satisfied)) == [
        .didEnter(region), .didDetermineState(.inside, region),
      ])
  }

  @Test func aRequestedStateIsReportedWhenItIsKnown() {
    let region = Self.region
    var machine = RegionStateMachine()
    #expect(
      machine.requestState(for: region, currentState: nil) == [
        .didDetermineState(.unknown, region)
      ],
      "not monitored")
    _ = machine.start(region, Self.condition)
    #expect(machine.requestState(for: region, currentState: .unknown) == [])
    #expect(machine.handle(event(.unsatisfied)) == [.didDetermineState(.outside, region)])
    #expect(
      machine.requestState(for: region, currentState: .unsatisfied) == [
        .didDetermineState(.outside, region)
      ])
  }

  @Test func onlyTheWantedNotificationsAreSent() {
    var circle = CircularRegion(center: at(60, 24), radius: 100, identifier: "a")
    (circle.notifiesOnEntry, circle.notifiesOnExit) = (false, false)
    let region = Region.circular(circle)
    var machine = RegionStateMachine()
    _ = machine.start(region, Self.condition)
    _ = machine.handle(event(.satisfied))
    #expect(machine.handle(event(.unsatisfied)) == [.didDetermineState(.outside, region)])
    #expect(machine.handle(event(.satisfied)) == [.didDetermineState(.inside, region)])
  }

  /// A program may start its regions again, possibly with other notifications.
  @Test func startingTheSameRegionKeepsItsState() {
    var circle = CircularRegion(center: at(60, 24), radius: 100, identifier: "a")
    var machine = RegionStateMachine()
    #expect(machine.start(.circular(circle), Self.condition) == (Self.first, nil))
    _ = machine.handle(event(.satisfied))
    circle.notifiesOnEntry = false
    let region = Region.circular(circle)
    #expect(machine.start(region, Self.condition) == (Self.first, nil))
    #expect(machine.regions == [region])
    #expect(
      machine.handle(event(.unsatisfied)) == [
        .didExit(region), .didDetermineState(.outside, region),
      ])
  }

  @Test func eventsOfAReplacedRegionAreIgnored() throws {
    let other = Region.circular(CircularRegion(center: at(0, 0), radius: 50, identifier: "a"))
    var machine = RegionStateMachine()
    _ = machine.start(Self.region, Self.condition)
    let started = machine.start(other, try .circle(center: at(0, 0), radius: 50))
    #expect(started == (Self.second, Self.first))
    #expect(machine.handle(event(.satisfied)) == [])
    #expect(machine.handle(event(.unsatisfied)) == [])
    #expect(machine.handle(event(.satisfied, of: Self.second)) == [])
    #expect(
      machine.handle(event(.unsatisfied, of: Self.second)) == [
        .didExit(other), .didDetermineState(.outside, other),
      ])
  }

  /// A crossing during an interruption is reported after it.
  @Test func anInterruptionIsReportedAsAFailure() throws {
    let region = Self.region
    var machine = RegionStateMachine()
    _ = machine.start(region, Self.condition)
    _ = machine.handle(event(.satisfied))
    let reasons: [(Monitor.Diagnostics, LocationError.Code)] = [
      (.authorizationDenied, .denied), (.authorizationRestricted, .restricted),
      (.accuracyLimited, .denied), (.insufficientlyInUse, .denied),
      (.conditionUnsupported, .rangingUnavailable),
    ]
    for (diagnostics, code) in reasons {
      let events = machine.handle(event(.unmonitored, diagnostics: diagnostics))
      guard case .monitoringDidFail(region, let error) = try #require(events.first) else {
        Issue.record("\(events)")
        continue
      }
      #expect(error.code == code)
    }
    #expect(
      machine.handle(event(.unsatisfied)) == [
        .didExit(region), .didDetermineState(.outside, region),
      ])
    machine.stop("a")
    #expect(machine.handle(event(.satisfied)) == [])
  }

  @Test func droppedRegionEventsAreCounted() async throws {
    let backend = MockBackend()
    let manager = LocationManager(backend: backend, clock: ManualClock())
    let unread = manager.regionEvents
    for index in 0..<100 {
      try await manager.startMonitoring(
        for: .circular(
          CircularRegion(
            center: try Coordinate(latitude: 60, longitude: 24.5), radius: 200,
            identifier: "region \(index)")))
    }
    try await backend.settle()
    let statistics = await manager.statistics
    await manager.shutdown()
    var received = 0
    for await _ in unread { received += 1 }
    #expect(UInt64(received) + statistics.elementsDropped >= 100)
  }
}

@Suite(.inTurn) struct RegionTests {
  private let backend = MockBackend()

  private func region(_ n: Int, identifier: String? = nil) -> Region {
    .circular(
      CircularRegion(
        center: at(Double(n) / 1_000, 0), radius: 200, identifier: identifier ?? "region \(n)"))
  }

  /// Returns a region whose identifier is the same for all places.
  private func place(_ n: Int) -> Region { region(n, identifier: "a") }

  @Test func aDriveThroughARegion() async throws {
    let manager = LocationManager(backend: backend, clock: ManualClock())
    var events = manager.regionEvents.makeAsyncIterator()
    #expect(await manager.statistics.backendRuns == 0)
    try await manager.startMonitoring(for: region(10))
    try await manager.startMonitoring(for: region(100))
    #expect(await manager.monitoredRegions == [region(10), region(100)])
    await manager.requestState(for: region(100))
    #expect(await events.next() == .didStartMonitoring(region(10)))
    #expect(await events.next() == .didStartMonitoring(region(100)))
    for fix in stops(at: 0, 10, 20) { try backend.emit(.location(fix)) }
    #expect(await events.next() == .didDetermineState(.outside, region(100)))
    #expect(await events.next() == .didEnter(region(10)))
    #expect(await events.next() == .didDetermineState(.inside, region(10)))
    #expect(await events.next() == .didExit(region(10)))
    #expect(await events.next() == .didDetermineState(.outside, region(10)))
    await manager.stopMonitoring(for: region(10))
    await manager.stopMonitoring(for: region(100))
    await manager.until { $0.subscribers == 1 }
    #expect(await manager.monitoredRegions == [])
    await manager.shutdown()
    #expect(await events.next() == nil)
    var late = manager.regionEvents.makeAsyncIterator()
    #expect(await late.next() == nil)
  }

  @Test func startingARegionAgainLosesNoCrossing() async throws {
    let manager = LocationManager(backend: backend, clock: ManualClock())
    var events = manager.regionEvents.makeAsyncIterator()
    try await manager.startMonitoring(for: region(10))
    await manager.requestState(for: region(10))
    try backend.emit(.location(fix(10, accuracy: 5)))
    #expect(await events.next() == .didStartMonitoring(region(10)))
    #expect(await events.next() == .didDetermineState(.inside, region(10)))
    try await manager.startMonitoring(for: region(10))
    for fix in stops(at: 20, from: 100) { try backend.emit(.location(fix)) }
    #expect(await events.next() == .didStartMonitoring(region(10)))
    #expect(await events.next() == .didExit(region(10)))
  }

  /// The regions share an identifier but not a place: each event must belong to the current region.
  @Test(arguments: 0..<Rounds.of(30)) func eventsAreOfTheCurrentRegion(_ round: Int) async throws {
    let manager = LocationManager(backend: backend, clock: ManualClock())
    var events = manager.regionEvents.makeAsyncIterator()
    try await manager.startMonitoring(for: place(10))
    for fix in stops(at: 0, 10) { try backend.emit(.location(fix)) }
    // Events of the first place may still be queued.
    for _ in 0..<round { await Task.yield() }
    try await manager.startMonitoring(for: place(30))
    for fix in stops(at: 20, 30, 40, from: 200) { try backend.emit(.location(fix)) }
    var current = place(10)
    while let event = await events.next() {
      switch event {
      case .didStartMonitoring(let region): current = region
      case .didEnter(let region), .didExit(let region), .didDetermineState(_, let region):
        #expect(region == current)
      default: Issue.record("\(event)")
      }
      if case .didExit(place(30)) = event { break }
    }
  }

  @Test func theLongestIdentifierIsMonitored() async throws {
    let manager = LocationManager(backend: backend, clock: ManualClock())
    var events = manager.regionEvents.makeAsyncIterator()
    let name = String(repeating: "👨‍👩‍👧‍👦", count: 40) + String(repeating: "a", count: 24)
    #expect(name.utf8.count == 1_024)
    let region = Region.circular(
      CircularRegion(center: at(0, 0), radius: 200, identifier: name))
    try await manager.startMonitoring(for: region)
    await manager.requestState(for: region)
    try backend.emit(.location(fix(0, accuracy: 5)))
    #expect(await events.next() == .didStartMonitoring(region))
    #expect(await events.next() == .didDetermineState(.inside, region))
  }

  /// A request whose region is replaced meanwhile reports nothing of the earlier place.
  @Test(arguments: 0..<Rounds.of(50)) func anAnswerIsOfTheCurrentRegion(_ round: Int) async throws {
    let manager = LocationManager(backend: backend, clock: ManualClock())
    let events = manager.regionEvents
    try await manager.startMonitoring(for: place(10))
    await manager.requestState(for: place(10))
    try backend.emit(.location(fix(10, accuracy: 5)))
    for await event in events {
      if case .didDetermineState = event { break }
    }
    async let request: Void = manager.requestState(for: place(10))
    // The order of the request and the replacement differs between the rounds.
    for _ in 0..<round % 7 { await Task.yield() }
    try await manager.startMonitoring(for: place(30))
    await request
    await manager.shutdown()
    for await event in events { #expect(event != .didDetermineState(.inside, place(30))) }
  }

  /// A crossing of any region may have been missed, even if the event is of a stopped region.
  @Test(arguments: [Monitor.Diagnostics.locationsDiscarded, .eventsDiscarded])
  func lossesFailEveryRegion(_ loss: Monitor.Diagnostics) throws {
    var machine = RegionStateMachine()
    let circle = try Condition.circle(center: at(60, 24), radius: 100)
    func region(_ name: String) -> Region {
      .circular(CircularRegion(center: at(60, 24), radius: 100, identifier: name))
    }
    let key = machine.start(region("a"), circle).key
    _ = machine.start(region("b"), circle)
    _ = machine.start(region("c"), circle)
    machine.stop("a")
    let event = Monitor.Event(
      identifier: key, number: 1, state: .satisfied, previousState: .unknown,
      date: Date(timeIntervalSince1970: 0), diagnostics: loss)
    #expect(machine.handle(event) == [])
    let events = machine.losses(in: event.diagnostics)
    let failed = events.compactMap { event -> Region? in
      guard case .monitoringDidFail(let region, _) = event else { return nil }
      return region
    }
    #expect(failed == [region("b"), region("c")])
    #expect(events.count == 2)
  }

  /// Starts more regions than a buffer has room for.
  ///
  /// - Parameter readsStarts: Whether the start events are read first, so that notices have room.
  @Test(arguments: [false, true])
  func lossNoticesDoNotEvictCrossings(_ readsStarts: Bool) async throws {
    let fixture = MonitorFixture()
    let (manager, home) = (fixture.manager, place(10))
    let regions = manager.regionEvents
    let all = manager.events(EventOptions(services: []))
    for number in 0..<70 {
      let circle = CircularRegion(center: at(-60, 0), radius: 200, identifier: "far \(number)")
      try await manager.startMonitoring(for: .circular(circle))
    }
    try await manager.startMonitoring(for: home)
    await fixture.backend.waitUntilRunning()
    if readsStarts {
      for await event in regions where event == .didStartMonitoring(home) { break }
      for await event in all where event == .didStartMonitoring(home) { break }
    }
    for fix in stops(at: 0, 10) { try fixture.backend.emit(.location(fix)) }
    try await fixture.backend.settle()
    // The buffer drops the first locations; at the others, the device has left the region.
    try fixture.stayTooLong(at: 30)
    try await fixture.backend.settle()
    await manager.shutdown()
    var crossings: [[RegionEvent]] = [[], []]
    var notices = 0
    for await event in regions {
      if case .monitoringDidFail = event { notices += 1 }
      if event == .didEnter(home) || event == .didExit(home) { crossings[0].append(event) }
    }
    for await event in all {
      if event == .didEnterRegion(home) { crossings[1].append(.didEnter(home)) }
      if event == .didExitRegion(home) { crossings[1].append(.didExit(home)) }
    }
    #expect(crossings == [[.didEnter(home), .didExit(home)], [.didEnter(home), .didExit(home)]])
    #expect(regions.dropped > 0)
    // Notices use only half of the buffer of 64 events. Start events fill it unless they were read;
    // then it has only the two events of the entry.
    #expect(notices == (readsStarts ? 30 : 0))
  }

  /// A subscriber that reads its events has room for the notice.
  @Test func lossesAreReportedToReadingSubscribers() async throws {
    let fixture = MonitorFixture()
    let (manager, home) = (fixture.manager, place(10))
    var events = manager.regionEvents.makeAsyncIterator()
    try await manager.startMonitoring(for: home)
    await fixture.backend.waitUntilRunning()
    for fix in stops(at: 0, 10) { try fixture.backend.emit(.location(fix)) }
    while await events.next() != .didDetermineState(.inside, home) {}
    try fixture.stayTooLong(at: 30)
    guard case .monitoringDidFail(home, let error) = await events.next() else {
      Issue.record("no notice")
      return
    }
    #expect(error.message.contains("Locations were discarded"))
    #expect(await events.next() == .didExit(home))
    await manager.shutdown()
  }

  @Test func discardedLocationsFailTheRegion() throws {
    let region = RegionStateMachineTests.region
    var machine = RegionStateMachine()
    _ = machine.start(region, try .circle(center: at(60, 24), radius: 100))
    let events = machine.losses(in: .locationsDiscarded)
    guard case .monitoringDidFail(region, let error) = try #require(events.first) else {
      Issue.record("\(events)")
      return
    }
    #expect(error.message.contains("discarded"))
  }

  @Test func badRegionsAreRefused() async {
    let manager = LocationManager(backend: backend)
    for (radius, identifier) in [(0, "a"), (9e6, "a"), (.nan, "a"), (1, "")] {
      let circle = CircularRegion(center: at(0, 0), radius: radius, identifier: identifier)
      let error = await #expect(throws: LocationError.self) {
        try await manager.startMonitoring(for: .circular(circle))
      }
      #expect(error?.code == .invalidValue)
    }
    #expect(manager.maximumRegionMonitoringDistance == 8_800_000)
  }

  @Test func monitoringIsAvailableForSupportedRegions() {
    let manager = LocationManager(backend: MockBackend(capabilities: .locations))
    #expect(manager.isMonitoringAvailable(for: .circular))
    #expect(!manager.isMonitoringAvailable(for: .beacon))
  }

  /// Releasing the manager ends the monitoring of its regions.
  @Test func regionsDoNotRetainTheManager() async throws {
    var manager: LocationManager? = LocationManager(backend: backend, clock: ManualClock())
    let inspector = try Inspector(#require(manager))
    try await manager?.startMonitoring(for: region(1))
    await backend.waitUntilRunning()
    manager = nil
    await backend.waitUntilIdle()
    while !inspector.isGone { await Task.yield() }
  }

  /// An open stream of events keeps the regions monitored.
  @Test func anOpenStreamKeepsMonitoring() async throws {
    var manager: LocationManager? = LocationManager(backend: backend, clock: ManualClock())
    var events: RegionEvents.Iterator? = manager?.regionEvents.makeAsyncIterator()
    try await manager?.startMonitoring(for: region(10))
    manager = nil
    await backend.waitUntilRunning()
    for fix in stops(at: 0, 10) { try backend.emit(.location(fix)) }
    #expect(await events?.next() == .didStartMonitoring(region(10)))
    #expect(await events?.next() == .didEnter(region(10)))
    events = nil
    await backend.waitUntilIdle()
  }
}
