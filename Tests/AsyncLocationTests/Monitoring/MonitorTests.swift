import Foundation
import MockBackend
import TestSupport
import Testing

@testable import AsyncLocation

private struct Seen: Equatable, CustomStringConvertible {
  let number: UInt64
  let identifier: String
  let state: Monitor.State
  let previous: Monitor.State
  var isRepeated = false

  init(_ event: Monitor.Event) {
    number = event.number
    identifier = event.identifier
    state = event.state
    previous = event.previousState
    isRepeated = event.isRepeated
  }

  init(
    _ number: UInt64, _ identifier: String, _ previous: Monitor.State, _ state: Monitor.State,
    isRepeated: Bool = false
  ) {
    (self.number, self.identifier, self.state) = (number, identifier, state)
    (self.previous, self.isRepeated) = (previous, isRepeated)
  }

  var description: String { "\(number) \(identifier) \(previous) → \(state) \(isRepeated)" }
}

extension Monitor {
  /// Reads a number of events in a new loop. Leaving the loop does not finish its last event.
  fileprivate func next(_ count: Int) async -> [Seen] {
    var seen: [Seen] = []
    guard count > 0 else { return seen }
    for await event in events {
      seen.append(Seen(event))
      if seen.count == count { break }
    }
    return seen
  }
}

@Suite(.inTurn) struct MonitorTests {
  @Test func aDriveThroughTwoCircles() async throws {
    let fixture = MonitorFixture()
    let monitor = try await fixture.monitor()
    try await monitor.add(contentsOf: MonitorFixture.circles, assuming: .unsatisfied)
    #expect(await monitor.identifiers == ["first", "second"])
    let events = Task { await monitor.next(4) }
    try fixture.drive(0...30)
    #expect(
      await events.value == [
        Seen(1, "first", .unsatisfied, .satisfied), Seen(2, "first", .satisfied, .unsatisfied),
        Seen(3, "second", .unsatisfied, .satisfied), Seen(4, "second", .satisfied, .unsatisfied),
      ])
  }

  @Test func determiningAnUnknownStateIsAnEvent() async throws {
    let fixture = MonitorFixture()
    let monitor = try await fixture.monitor()
    try await monitor.add(contentsOf: MonitorFixture.circles)
    #expect(await monitor.state(for: "first") == .unknown)
    try fixture.drive([10])
    let seen = await monitor.next(2)
    #expect(
      Set(seen.map { "\($0.identifier) \($0.previous) \($0.state)" }) == [
        "first unknown satisfied", "second unknown unsatisfied",
      ])
  }

  /// While an event is being handled, the record contains the previous event.
  @Test func theRecordHasTheLastHandledEvent() async throws {
    let fixture = MonitorFixture()
    let monitor = try await fixture.monitor()
    let circle = try #require(MonitorFixture.circles["first"])
    try await monitor.add(circle, identifier: "first", assuming: .unsatisfied)
    #expect(await monitor.record(for: "first")?.lastEvent.number == 0)
    #expect(await monitor.record(for: "first")?.lastEvent.state == .unsatisfied)
    #expect(await monitor.record(for: "other") == nil)
    try fixture.drive(0...20)
    var events = monitor.events.makeAsyncIterator()
    let first = try #require(await events.next())
    #expect(first.location == fix(9, accuracy: 5))
    #expect(first.date == fix(9).timestamp)
    #expect(await monitor.record(for: "first")?.lastEvent.number == 0)
    // The state changes before its event is read.
    while await monitor.state(for: "first") != .unsatisfied { await Task.yield() }
    let second = try #require(await events.next())
    #expect(second.state == .unsatisfied)
    let record = try #require(await monitor.record(for: "first"))
    #expect(record.condition == circle)
    #expect(record.lastEvent == first.withoutLocation)
    #expect(record.lastEvent.location == nil)
  }

  @Test func anUnfinishedEventIsDeliveredAgain() async throws {
    let fixture = MonitorFixture()
    let monitor = try await fixture.monitor()
    try await monitor.add(contentsOf: MonitorFixture.circles, assuming: .unsatisfied)
    try fixture.drive(0...15)
    // Leaving the loop does not finish the event.
    #expect(await monitor.next(1) == [Seen(1, "first", .unsatisfied, .satisfied)])
    #expect(
      await monitor.next(2) == [
        Seen(1, "first", .unsatisfied, .satisfied, isRepeated: true),
        Seen(2, "first", .satisfied, .unsatisfied),
      ])
    await monitor.close()
    let reopened = try await fixture.monitor()
    try await fixture.backend.settle()  // The run of the closed monitor may still be stopping.
    try fixture.drive(16...20)
    #expect(
      await reopened.next(2) == [
        Seen(2, "first", .satisfied, .unsatisfied, isRepeated: true),
        Seen(3, "second", .unsatisfied, .satisfied),
      ])
  }

  @Test func twoLoopsShareTheEvents() async throws {
    let fixture = MonitorFixture()
    let monitor = try await fixture.monitor()
    try await monitor.add(contentsOf: MonitorFixture.circles, assuming: .unsatisfied)
    try fixture.drive(0...30)
    var (first, second) = (monitor.events.makeAsyncIterator(), monitor.events.makeAsyncIterator())
    #expect(await first.next()?.number == 1)
    #expect(await second.next()?.number == 2)
    #expect(await first.next()?.number == 3)
    #expect(await first.next()?.number == 4)
  }

  @Test func openingAMonitorTwiceThrowsMonitorInUse() async throws {
    let fixture = MonitorFixture()
    var monitor: Monitor? = try await fixture.monitor()
    let error = await #expect(throws: LocationError.self) { _ = try await fixture.monitor() }
    #expect(error?.code == .monitorInUse)
    #expect(error?.message.contains("test") == true)
    _ = try await fixture.monitor("other")
    await monitor?.close()
    await #expect(throws: LocationError.self) {
      try await monitor?.add(.circle(center: at(0, 0), radius: 1), identifier: "late")
    }
    monitor = try await fixture.monitor()
    // Releasing the monitor closes it, possibly with a delay.
    monitor = nil
    while (try? await fixture.monitor()) == nil { await Task.yield() }
  }

  @Test(arguments: ["", ".", "..", "../a", "a/b", "a\0", "é", String(repeating: "a", count: 129)])
  func badNamesAreRefused(_ name: String) async {
    let fixture = MonitorFixture()
    let error = await #expect(throws: LocationError.self) { _ = try await fixture.monitor(name) }
    #expect(error?.code == .invalidValue)
  }

  @Test func removalKeepsEventsAndNumbers() async throws {
    let fixture = MonitorFixture()
    let monitor = try await fixture.monitor()
    try await monitor.add(contentsOf: MonitorFixture.circles, assuming: .unsatisfied)
    try fixture.drive(0...10)
    #expect(await monitor.next(1).map(\.number) == [1])
    await monitor.remove("first")
    await monitor.remove("none")
    #expect(await monitor.identifiers == ["second"])
    try fixture.drive(11...20)
    #expect(await monitor.next(2).map(\.number) == [1, 2])
  }

  /// A program adds its conditions at every start.
  @Test func anEqualConditionKeepsItsState() async throws {
    let fixture = MonitorFixture()
    var monitor = try await fixture.monitor()
    try await monitor.add(contentsOf: MonitorFixture.circles)
    try fixture.drive([10])
    #expect(await monitor.next(2).count == 2)
    await monitor.close()
    monitor = try await fixture.monitor()
    try await monitor.add(contentsOf: MonitorFixture.circles)
    #expect(await monitor.state(for: "first") == .satisfied)
    #expect(await monitor.state(for: "second") == .unsatisfied)
    let other = try #require(MonitorFixture.circles["first"]).dwelling(.seconds(1))
    try await monitor.add(other, identifier: "first")
    #expect(await monitor.state(for: "first") == .unknown)
  }

  /// A backend may emit a backlog in one batch.
  @Test("F74 each location of a batch is compared") func allOfABatchIsCompared() async throws {
    let fixture = MonitorFixture()
    let monitor = try await fixture.monitor()
    try await monitor.add(contentsOf: MonitorFixture.circles, assuming: .unsatisfied)
    await fixture.backend.waitUntilRunning()
    try fixture.backend.emit((0..<10_000).map { .location(fix($0, accuracy: 5)) })
    let seen = await monitor.next(4)
    #expect(seen.map(\.identifier) == ["first", "first", "second", "second"])
    #expect(seen.map(\.state) == [.satisfied, .unsatisfied, .satisfied, .unsatisfied])
  }

  @Test("F74 a slow storage delays no location") func aSlowStorageDelaysNoLocation() async throws {
    let fixture = MonitorFixture()
    let storage = HeldStorage(fixture.storage)
    let monitor = try await fixture.monitor(storage: storage)
    try await monitor.add(contentsOf: MonitorFixture.circles)
    storage.hold()
    try fixture.drive([0])
    await storage.waitForHeld()
    try fixture.drive([10])
    while await monitor.state(for: "first") != .satisfied { await Task.yield() }
    storage.release()
    // Events are delivered once they are stored, in order.
    #expect(await monitor.next(3).map(\.state) == [.unsatisfied, .unsatisfied, .satisfied])
  }

  @Test("F74 discarded locations are also reported after a restart") func lostLocationsAreStored()
    async throws
  {
    let fixture = MonitorFixture()
    let monitor = try await fixture.monitor()
    try await monitor.add(contentsOf: MonitorFixture.circles, assuming: .unsatisfied)
    await fixture.backend.waitUntilRunning()
    try fixture.driveTooFast()
    try await fixture.backend.settle()
    await monitor.close()
    let reopened = try await fixture.monitor()
    var events = reopened.events.makeAsyncIterator()
    #expect(await events.next()?.diagnostics == .locationsDiscarded)
    #expect(await events.next()?.diagnostics == [])
    await reopened.close()
  }

  @Test("F74 discarded locations are reported") func lostLocationsAreReported() async throws {
    let fixture = MonitorFixture()
    let monitor = try await fixture.monitor()
    try await monitor.add(contentsOf: MonitorFixture.circles, assuming: .unsatisfied)
    await fixture.backend.waitUntilRunning()
    // The first 15 locations, which cross the first circle, are dropped.
    try fixture.driveTooFast()
    var events: [Monitor.Event] = []
    for await event in monitor.events {
      events.append(event)
      if events.count == 2 { break }
    }
    #expect(events.map(\.identifier) == ["second", "second"])
    #expect(events.map(\.diagnostics) == [.locationsDiscarded, []])
    #expect(await monitor.discardedLocations == 15)
  }

  /// A missed crossing may be followed by no event for a long time.
  @Test("F74 discarded locations are counted without an event") func lostLocationsAreCounted()
    async throws
  {
    let fixture = MonitorFixture()
    let monitor = try await fixture.monitor()
    try await monitor.add(contentsOf: MonitorFixture.circles, assuming: .unsatisfied)
    await fixture.backend.waitUntilRunning()
    // The dropped locations cross both circles. All others are far away.
    try fixture.backend.emit(
      (0..<17_000).map { .location(fix($0 > 30 ? 1_000 + $0 : $0, accuracy: 5)) })
    while await monitor.discardedLocations == 0 { await Task.yield() }
    await fixture.manager.shutdown()
    for await event in monitor.events { Issue.record("\(event)") }
  }

  /// The condition is replaced before its events are read.
  @Test(arguments: [false, true])
  func eventOfAReplacedConditionIsMarked(_ isRestarted: Bool) async throws {
    let fixture = MonitorFixture()
    var monitor = try await fixture.monitor()
    let first = try #require(MonitorFixture.circles["first"])
    try await monitor.add(contentsOf: ["first": first, "other": first], assuming: .unsatisfied)
    try fixture.drive([10])
    for name in ["first", "other"] {
      while await monitor.state(for: name) != .satisfied { await Task.yield() }
    }
    try await monitor.add(
      .circle(center: Coordinate(latitude: 10, longitude: 10), radius: 200), identifier: "first")
    func reopen() async throws {
      guard isRestarted else { return }
      await monitor.close()
      monitor = try await fixture.monitor()
    }
    try await reopen()
    var events = monitor.events.makeAsyncIterator()
    let event = try #require(await events.next())
    #expect(event.identifier == "first")
    #expect(event.state == .satisfied)
    #expect(event.diagnostics == .conditionReplaced)
    let other = try #require(await events.next())
    #expect(other.identifier == "other")
    #expect(other.diagnostics == [])
    // The first event is finished; the new condition has had no event.
    try await reopen()
    #expect(await monitor.state(for: "first") == .unknown)
    let record = try #require(await monitor.record(for: "first"))
    #expect(record.lastEvent.state == .unknown)
    #expect(record.lastEvent.number == 0)
    await fixture.manager.shutdown()
  }

  /// The manager reports an event once it is stored; its condition may have been replaced by then.
  @Test func managerEventOfAReplacedConditionIsMarked() async throws {
    let fixture = MonitorFixture()
    let storage = HeldStorage(fixture.storage)
    let monitor = try await fixture.monitor(storage: storage)
    let first = try #require(MonitorFixture.circles["first"])
    try await monitor.add(first, identifier: "first", assuming: .unsatisfied)
    let events = fixture.manager.events
    await fixture.backend.waitUntilRunning()
    storage.hold()
    try fixture.drive([10])
    await storage.waitForHeld()
    let elsewhere = try Condition.circle(
      center: Coordinate(latitude: 10, longitude: 10), radius: 200)
    let addition = Task { try await monitor.add(elsewhere, identifier: "first") }
    while await monitor.record(for: "first")?.condition != elsewhere { await Task.yield() }
    storage.release()
    try await addition.value
    for await case .didChangeCondition(let event, monitor: _) in events {
      #expect(event.identifier == "first")
      #expect(event.state == .satisfied)
      #expect(event.diagnostics == .conditionReplaced)
      break
    }
    var read = monitor.events.makeAsyncIterator()
    #expect(await read.next()?.diagnostics == .conditionReplaced)
  }

  /// Another loop has already read an event of the new condition.
  @Test func repeatedEventOfAReplacedConditionIsMarked() async throws {
    let fixture = MonitorFixture()
    let monitor = try await fixture.monitor()
    try await fixture.enter(monitor)
    var firstLoop: Monitor.Events.AsyncIterator? = monitor.events.makeAsyncIterator()
    var secondLoop = monitor.events.makeAsyncIterator()
    #expect(await firstLoop?.next()?.number == 1)
    let second = try #require(MonitorFixture.circles["second"])
    try await monitor.add(second, identifier: "first", assuming: .unsatisfied)
    try fixture.drive([20])
    #expect(await secondLoop.next()?.number == 2)
    firstLoop = nil
    let event = try #require(await secondLoop.next())
    #expect(event.number == 1)
    #expect(event.isRepeated)
    #expect(event.diagnostics == .conditionReplaced)
  }

  /// Canonically equivalent identifiers are distinct.
  @Test func equivalentIdentifiersAreTwoConditions() async throws {
    let fixture = MonitorFixture()
    var monitor = try await fixture.monitor()
    for (name, circle) in zip(["caf\u{E9}", "cafe\u{301}"], MonitorFixture.circles.values) {
      try await monitor.add(circle, identifier: name)
    }
    await monitor.close()
    monitor = try await fixture.monitor()
    #expect(await monitor.identifiers.count == 2)
  }

  /// Locations that a withdrawal discards are not reported as dropped by a full buffer.
  @Test func locationsOfAWithdrawalAreNotReportedAsDiscarded() async throws {
    let fixture = MonitorFixture()
    let monitor = try await fixture.monitor()
    try await monitor.add(contentsOf: MonitorFixture.circles, assuming: .unsatisfied)
    await fixture.backend.waitUntilRunning()
    try fixture.backend.emit((0..<8).map { .location(fix($0, accuracy: 5)) })
    fixture.backend.setAuthorization(.denied)
    fixture.backend.setAuthorization(.authorizedAlways)
    await fixture.manager.until { $0.backendRuns == 2 }
    try fixture.drive([10])
    var isEntered = false
    for await event in monitor.events {
      #expect(!event.diagnostics.contains(.locationsDiscarded))
      isEntered = event.state == .satisfied
      if isEntered { break }
    }
    #expect(isEntered)
  }

  /// The last condition is removed while its event is being stored, and then the manager shuts
  /// down.
  @Test func endFollowsTheEventBeingStored() async throws {
    let fixture = MonitorFixture()
    let storage = HeldStorage(fixture.storage)
    let monitor = try await fixture.monitor(storage: storage)
    try await monitor.add(contentsOf: MonitorFixture.circles, assuming: .unsatisfied)
    let loop = Task { () -> [UInt64] in
      var numbers: [UInt64] = []
      for await event in monitor.events { numbers.append(event.number) }
      return numbers
    }
    await fixture.backend.waitUntilRunning()
    storage.hold()
    try fixture.drive([10])
    await storage.waitForHeld()
    let removal = Task { await monitor.remove(contentsOf: ["first", "second"]) }
    while await !monitor.identifiers.isEmpty { await Task.yield() }
    await fixture.manager.shutdown()
    storage.release()
    await removal.value
    #expect(await loop.value == [1])
  }

  @Test func theReceiverRunsOnlyWhileThereAreConditions() async throws {
    let fixture = MonitorFixture()
    let monitor = try await fixture.monitor()
    #expect(await fixture.manager.statistics.backendRuns == 0)
    try await monitor.add(contentsOf: MonitorFixture.circles)
    await fixture.manager.until { $0.backendRuns == 1 && $0.subscribers == 2 }
    await monitor.remove(contentsOf: ["first", "second"])
    await fixture.manager.until { $0.subscribers == 1 }
    try await monitor.add(contentsOf: MonitorFixture.circles)
    await fixture.manager.until { $0.backendRuns == 2 }
  }

  @Test func shutdownEndsEventsAfterPendingOnes() async throws {
    let fixture = MonitorFixture()
    let monitor = try await fixture.monitor()
    try await monitor.add(contentsOf: MonitorFixture.circles, assuming: .unsatisfied)
    try fixture.drive(0...10)
    #expect(await monitor.next(1).map(\.number) == [1])
    await fixture.manager.shutdown()
    var numbers: [UInt64] = []
    for await event in monitor.events { numbers.append(event.number) }
    #expect(numbers == [1])
  }

  @Test func cancellingALoopEndsIt() async throws {
    let fixture = MonitorFixture()
    let monitor = try await fixture.monitor()
    let loop = Task { await monitor.next(1) }
    await Task.yield()
    loop.cancel()
    #expect(await loop.value == [])
  }

  // MARK: Permission

  @Test func withdrawalStopsMonitoringAndReportsIt() async throws {
    let fixture = MonitorFixture()
    let monitor = try await fixture.monitor()
    try await monitor.add(contentsOf: MonitorFixture.circles, assuming: .unsatisfied)
    try fixture.drive(0...10)
    var events = monitor.events.makeAsyncIterator()
    #expect(await events.next()?.state == .satisfied)
    fixture.backend.setAuthorization(AuthorizationDecision(.denied))
    for _ in 0..<2 {
      let event = try #require(await events.next())
      #expect(event.state == .unmonitored)
      #expect(event.diagnostics.contains(.authorizationDenied))
      #expect(event.location == nil)
    }
    #expect(await monitor.state(for: "first") == .unmonitored)
    fixture.backend.setAuthorization(AuthorizationDecision(.always))
    await fixture.manager.until { $0.backendRuns == 2 }
    try fixture.drive([15])
    let states = [await events.next(), await events.next()].map { ($0?.previousState, $0?.state) }
    #expect(states.allSatisfy { $0 == (.unmonitored, .unsatisfied) })
  }

  @Test func reducedAccuracyStopsMonitoring() async throws {
    let fixture = MonitorFixture()
    let monitor = try await fixture.monitor()
    try await monitor.add(contentsOf: MonitorFixture.circles, assuming: .unsatisfied)
    try fixture.drive(0...0)
    // The mock's answer to the request comes first.
    for await authorization in fixture.manager.authorizationUpdates where authorization.isAuthorized
    {
      break
    }
    fixture.backend.setAuthorization(
      AuthorizationDecision(.always, accuracy: .reduced))
    // The policy's decision arrives later than the backend's reports.
    while await fixture.manager.authorization().accuracy == .full { await Task.yield() }
    try fixture.drive(1...10)
    var events = monitor.events.makeAsyncIterator()
    for _ in 0..<2 {
      let event = try #require(await events.next())
      #expect((event.state, event.diagnostics) == (.unmonitored, .accuracyLimited))
    }
  }

  // MARK: Time

  @Test func aConditionExpires() async throws {
    let fixture = MonitorFixture()
    let monitor = try await fixture.monitor()
    let circle = try #require(MonitorFixture.circles["first"]).expiring(
      at: MonitorFixture.start + 60)
    try await monitor.add(circle, identifier: "first", assuming: .unsatisfied)
    await fixture.clock.waitForSleepers()
    fixture.clock.advance(by: .seconds(59))
    #expect(await monitor.identifiers == ["first"])
    fixture.clock.advance(by: .seconds(1))
    var events = monitor.events.makeAsyncIterator()
    let event = try #require(await events.next())
    #expect((event.state, event.diagnostics) == (.unmonitored, .conditionExpired))
    #expect(event.date == MonitorFixture.start + 60)
    #expect(await monitor.identifiers == [])
  }

  @Test func aDwellSurvivesARestart() async throws {
    let fixture = MonitorFixture()
    let circle = try #require(MonitorFixture.circles["first"]).dwelling(.seconds(30))
    var monitor = try await fixture.monitor()
    let marker = try #require(MonitorFixture.circles["first"])
    try await monitor.add(
      contentsOf: ["first": circle, "marker": marker], assuming: .unsatisfied)
    func stay(_ seconds: Int) throws {
      let location = try fix(10, accuracy: 5).with {
        $0.timestamp = MonitorFixture.start + Double(seconds)
      }
      try fixture.backend.emit(.location(location))
    }
    try stay(0)
    #expect(await monitor.next(1).map(\.identifier) == ["marker"])
    await monitor.close()
    monitor = try await fixture.monitor()
    try await fixture.backend.settle()
    fixture.clock.advance(by: .seconds(30))
    try stay(30)
    #expect(
      await monitor.next(2) == [
        Seen(1, "marker", .unsatisfied, .satisfied, isRepeated: true),
        Seen(2, "first", .unsatisfied, .satisfied),
      ])
  }

  // MARK: Losses and failures

  /// - Parameter isReopened: Whether the monitor is opened again before the first event is read.
  @Test(arguments: [false, true])
  func eventsBeyondTheLimitAreDiscardedAndReported(isReopened: Bool) async throws {
    let fixture = MonitorFixture()
    var monitor = try await fixture.monitor(eventLimit: 2)
    try await monitor.add(contentsOf: MonitorFixture.circles, assuming: .unsatisfied)
    // The first circle is entered and left three times, then the second is entered: seven events.
    for (second, n) in [0, 10, 15, 10, 15, 10, 20].enumerated() {
      let location = try fix(n, accuracy: 5).with {
        $0.timestamp = MonitorFixture.start + Double(second)
      }
      try fixture.backend.emit(.location(location))
    }
    while await monitor.state(for: "second") != .satisfied { await Task.yield() }
    await monitor.remove("none")  // Returns when all events are stored.
    if isReopened {
      await monitor.close()
      monitor = try await fixture.monitor()
    }
    var events = monitor.events.makeAsyncIterator()
    let first = try #require(await events.next())
    #expect(first.number == 4)
    #expect(first.diagnostics == .eventsDiscarded)
    let next = try #require(await events.next())
    #expect((next.number, next.diagnostics) == (5, []))
    await monitor.close()
    // Discarded events are not repeated.
    let reopened = try await fixture.monitor()
    #expect(await reopened.next(1).map(\.number) == [5])
  }

  /// An event that a consumer handles is not discarded, so that it can be delivered again if the
  /// consumer does not finish it.
  @Test func eventBeingHandledIsNotDiscarded() async throws {
    let fixture = MonitorFixture()
    let monitor = try await fixture.monitor(eventLimit: 1)
    let circle = try #require(MonitorFixture.circles["first"])
    try await monitor.add(circle, identifier: "first", assuming: .unsatisfied)
    var second = 0.0
    func move(_ n: Int) throws {
      let location = try fix(n, accuracy: 5).with { $0.timestamp = MonitorFixture.start + second }
      second += 1
      try fixture.backend.emit(.location(location))
    }
    try move(10)
    var events: Monitor.Events.Iterator? = monitor.events.makeAsyncIterator()
    #expect(await events?.next()?.number == 1)
    for n in [15, 10, 15, 10] { try move(n) }
    // The limit is two events per condition. The fifth event is the last.
    while fixture.storage.lastNumber("test") < 5 { await Task.yield() }
    await monitor.close()
    events = nil
    let reopened = try await fixture.monitor()
    #expect(await reopened.next(3).map(\.number) == [1, 4, 5])
  }

  @Test func failingStorageIsReportedAndRetried() async throws {
    let fixture = MonitorFixture()
    let storage = FailingStorage()
    var monitor = try await fixture.monitor(storage: storage)
    storage.fails = true
    try await monitor.add(contentsOf: MonitorFixture.circles, assuming: .unsatisfied)
    #expect(await monitor.storageProblem?.code == .storageUnavailable)
    try fixture.drive(0...10)
    var events = monitor.events.makeAsyncIterator()
    let event = try #require(await events.next())
    #expect(event.diagnostics == .persistenceUnavailable)
    storage.fails = false
    fixture.clock.advance(by: MonitorJournal.retryInterval)
    try fixture.drive(11...13)
    #expect(await events.next()?.diagnostics == [])
    #expect(await monitor.storageProblem == nil)
    await monitor.close()
    monitor = try await fixture.monitor(storage: storage)
    #expect(await monitor.identifiers == ["first", "second"])
    #expect(await monitor.state(for: "first") == .unsatisfied)
    #expect(await monitor.record(for: "first")?.lastEvent.number == 1)
  }

  // MARK: Beacons

  static let uuid = UUID(uuidString: "8E1D3F5A-0000-4000-8000-000000000001")!

  private func beacon(_ major: UInt16) throws -> Beacon {
    try Beacon(uuid: Self.uuid, major: major, minor: 7, timestamp: MonitorFixture.start)
  }

  @Test func aBeaconSatisfiesItsCondition() async throws {
    let fixture = MonitorFixture()
    let monitor = try await fixture.monitor()
    try await monitor.add(
      .beacon(BeaconIdentityConstraint(uuid: Self.uuid)), identifier: "any",
      assuming: .unsatisfied)
    await fixture.manager.until { $0.subscribers == 3 }
    try fixture.backend.emit(.beacons(BeaconReport(beacons: [try beacon(3)])))
    var events = monitor.events.makeAsyncIterator()
    let event = try #require(await events.next())
    #expect(event.state == .satisfied)
    #expect(
      event.refinement == .beacon(BeaconIdentityConstraint(uuid: Self.uuid, major: 3, minor: 7)))
    let delivered = await fixture.manager.statistics.elementsDelivered
    try fixture.backend.emit(.beacons(BeaconReport(beacons: [])))
    await fixture.manager.until { $0.elementsDelivered > delivered }
    fixture.clock.advance(by: .seconds(20))
    try fixture.backend.emit(.beacons(BeaconReport(beacons: [])))
    #expect(await events.next()?.state == .unsatisfied)
  }

  @Test func aBackendWithoutBeaconsCannotMonitorThem() async throws {
    let fixture = MonitorFixture(capabilities: .locations)
    #expect(!fixture.manager.isRangingAvailable)
    let monitor = try await fixture.monitor()
    let condition = Condition.beacon(BeaconIdentityConstraint(uuid: Self.uuid))
    try await monitor.add(condition, identifier: "any")
    var events = monitor.events.makeAsyncIterator()
    let event = try #require(await events.next())
    #expect((event.state, event.diagnostics) == (.unmonitored, .conditionUnsupported))
    await #expect(throws: LocationError.self) {
      for try await _ in fixture.manager.beacons(
        satisfying: BeaconIdentityConstraint(uuid: Self.uuid))
      {}
    }
  }

  @Test func rangingDeliversBeaconsThatSatisfyTheConstraint() async throws {
    let fixture = MonitorFixture()
    let beacons = fixture.manager.beacons(
      satisfying: BeaconIdentityConstraint(uuid: Self.uuid, major: 3))
    let all = [try beacon(3), try beacon(4)]
    try fixture.backend.emit(.beacons(BeaconReport(beacons: all)))
    try fixture.backend.emit(.beacons(BeaconReport(beacons: [])))
    #expect(try await beacons.first(2) == [[all[0]], []])
  }
}
