import Foundation
import MockBackend
import TestSupport
import Testing

@testable import AsyncLocation

/// F62: region events for a state that was determined before permission was withdrawn.
@Suite(.inTurn) struct WithdrawnRegionTests {
  enum Reader: CaseIterable, Sendable {
    /// Reads no region event before the withdrawal.
    case busy
    /// Reads a stream of all events, after the withdrawal.
    case busyWithEvents
    /// Subscribes once permission is granted again.
    case late
    /// There is only the reader that has read every event.
    case none
  }

  private let region = Region.circular(
    CircularRegion(center: fix(10).coordinate, radius: 200, identifier: "home"))

  private static func withdraw(
    _ decision: AuthorizationDecision, _ fixture: MonitorFixture
  ) async {
    fixture.backend.setAuthorization(decision)
    await fixture.manager.waitForAuthorization { $0.status.refuses || $0.accuracy == .reduced }
    fixture.backend.setAuthorization(AuthorizationDecision(.always))
    await fixture.manager.waitForAuthorization { $0.isAuthorized && $0.accuracy == .full }
  }

  /// Emits locations once the backend runs under the current permission.
  private static func drive(
    _ locations: [Location], _ fixture: MonitorFixture
  ) async throws {
    try await fixture.backend.settle()
    await fixture.backend.waitUntilRunning()
    for location in locations { try fixture.backend.emit(.location(location)) }
  }

  /// Grants permission with the device at a place. Returns a reader's events until the end.
  private static func eventsAfterGrant(
    at place: Int, to events: Subscription<RegionEvent>, _ fixture: MonitorFixture
  ) async throws -> [RegionEvent] {
    try await fixture.backend.settle()
    fixture.backend.setAuthorization(AuthorizationDecision(.always))
    try await drive(stops(at: place, from: 400), fixture)
    try await fixture.backend.settle()
    await fixture.manager.shutdown()
    var received: [RegionEvent] = []
    while let event = try await events.next() { received.append(event) }
    return received
  }

  /// Steps a held executor until a task has ended.
  private static func finish(_ task: Task<Void, Never>, stepping executor: HeldExecutor) async {
    let hasEnded = Locked(false)
    let end = Task {
      await task.value
      hasEnded.withLock { $0 = true }
    }
    while !hasEnded.withLock(\.self) {
      executor.step()
      await Task.yield()
    }
    await end.value
  }

  @Test(
    "F62 no exit is reported if its entry was withdrawn unread", arguments: Reader.allCases,
    MonitorPermissionTests.withdrawals)
  func noExitIsReportedIfItsEntryWasWithdrawn(_ reader: Reader, _ withdrawal: AuthorizationDecision)
    async throws
  {
    let fixture = MonitorFixture()
    let manager = fixture.manager
    var events = manager.regionEvents.makeAsyncIterator()
    let unread = reader == .busy ? manager.regionEvents : nil
    let all = reader == .busyWithEvents ? manager.events(EventOptions(services: [])) : nil
    try await manager.startMonitoring(for: region)
    #expect(await events.next() == .didStartMonitoring(region))
    for fix in stops(at: 0, 10) { try fixture.backend.emit(.location(fix)) }
    #expect(await events.next() == .didEnter(region))
    #expect(await events.next() == .didDetermineState(.inside, region))
    await Self.withdraw(withdrawal, fixture)
    let late = reader == .late ? manager.regionEvents : nil
    // The device has left the region meanwhile.
    try await Self.drive(stops(at: 20, from: 400), fixture)
    try await fixture.backend.settle()
    await manager.requestState(for: region)
    await manager.shutdown()
    var received: [RegionEvent] = []
    while let event = await events.next() { received.append(event) }
    // A stream that is created after the shutdown has no elements.
    for await event in unread ?? manager.regionEvents { received.append(event) }
    for await event in late ?? manager.regionEvents { received.append(event) }
    if let all {
      for await event in all {
        if case .didExitRegion(let region) = event { received.append(.didExit(region)) }
      }
    }
    #expect(received.contains(.didDetermineState(.outside, region)))
    #expect(received.contains(.didExit(region)) == (reader == .none), "\(received)")
  }

  /// Each round withdraws permission one job later than the previous round, so one of them does so
  /// between the monitor's queue and the regions. The last round is the first with an answer before
  /// the withdrawal.
  @Test("F62 a request for a state outlasts a withdrawal before its answer", arguments: [5, 10])
  func requestOutlastsAWithdrawal(_ place: Int) async throws {
    for steps in 0..<200 {
      let executor = HeldExecutor()
      let fixture = MonitorFixture(executor: executor)
      let events = fixture.manager.regions.subscribe()
      try await fixture.manager.startMonitoring(for: region)
      await fixture.manager.requestState(for: region)
      await fixture.backend.waitUntilRunning()
      try await fixture.backend.settle()
      #expect(events.channel.count == 1, "that monitoring began")
      executor.hold()
      try fixture.backend.emit(.location(fix(place, accuracy: 5)))
      for _ in 0..<steps { executor.step() }
      let isAnswered = events.channel.count > 1
      fixture.backend.setAuthorization(.denied)
      executor.run()
      executor.release()
      guard !isAnswered else {
        #expect(steps > 5)
        return
      }
      let received = try await Self.eventsAfterGrant(at: place, to: events, fixture)
      let state: RegionState = place == 10 ? .inside : .outside
      #expect(
        received.contains(.didDetermineState(state, region)), "after \(steps) jobs: \(received)")
    }
    Issue.record("The request was never answered.")
  }

  /// The state is already determined. Each round withdraws permission one of the request's jobs
  /// later than the previous round, up to the first with an answer before the withdrawal.
  @Test("F62 a request is answered under the next permission")
  func requestIsAnsweredUnderTheNextPermission() async throws {
    for steps in 0..<40 {
      let executor = HeldExecutor()
      let fixture = MonitorFixture(executor: executor)
      let events = fixture.manager.regions.subscribe()
      try await fixture.manager.startMonitoring(for: region)
      try await Self.drive(stops(at: 10), fixture)
      try await fixture.backend.settle()
      #expect(events.channel.count == 1, "that monitoring began")
      executor.hold()
      let request = Task(executorPreference: executor) {
        await fixture.manager.requestState(for: region)
      }
      for _ in 0..<steps { executor.step() }
      let isAnswered = events.channel.count > 1
      fixture.backend.setAuthorization(.denied)
      await Self.finish(request, stepping: executor)
      executor.run()
      executor.release()
      guard !isAnswered else {
        #expect(steps > 1)
        return
      }
      let received = try await Self.eventsAfterGrant(at: 10, to: events, fixture)
      #expect(
        received.contains(.didDetermineState(.inside, region)), "after \(steps) jobs: \(received)")
    }
    Issue.record("The request was never answered.")
  }

  /// The state outside was not reported, so no entry is reported under the next permission.
  @Test("F62 an answer that precedes its event reveals no earlier state")
  func answerAheadOfItsEventRevealsNoState() async throws {
    var answersAhead = 0
    for steps in 0..<60 {
      let executor = HeldExecutor()
      let fixture = MonitorFixture(executor: executor)
      let events = fixture.manager.regions.subscribe()
      try await fixture.manager.startMonitoring(for: region)
      try await Self.drive([fix(5, accuracy: 5)], fixture)
      try await fixture.backend.settle()
      #expect(try await events.next() == .didStartMonitoring(region))
      executor.hold()
      for stop in stops(at: 10, from: 100) { try fixture.backend.emit(.location(stop)) }
      for _ in 0..<steps { executor.step() }
      let request = Task { await fixture.manager.requestState(for: region) }
      await Self.finish(request, stepping: executor)
      guard events.channel.count == 1,
        try await events.next() == .didDetermineState(.inside, region)
      else {
        executor.release()
        await fixture.manager.shutdown()
        continue
      }
      answersAhead += 1
      fixture.backend.setAuthorization(.denied)
      executor.run()
      executor.release()
      let received = try await Self.eventsAfterGrant(at: 10, to: events, fixture)
      #expect(!received.contains(.didEnter(region)), "after \(steps) jobs: \(received)")
    }
    #expect(answersAhead > 0)
  }
}
