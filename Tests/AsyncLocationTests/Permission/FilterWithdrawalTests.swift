import FoundationEssentials
import MockBackend
import TestSupport
import Testing

@testable import AsyncLocation

/// A withdrawal also resets filters: their reference element may have been withdrawn unread.
@Suite(.inTurn) struct FilterWithdrawalTests {
  private let backend = MockBackend()
  private let clock = ManualClock()
  private let manager: LocationManager

  init() { manager = LocationManager(backend: backend, clock: clock) }

  /// Takes the application out of use and back.
  private func interruptUse() async throws {
    await manager.setInUse(false)
    await manager.setInUse(true)
    await backend.waitForCall(count: 2) { if case .runStarted = $0 { true } else { false } }
  }

  @Test func firstLocationBypassesTheDistanceFilter() async throws {
    let updates = manager.updates(UpdateOptions(distanceFilter: 10_000))
    await backend.waitUntilRunning()
    try backend.emit(.location(fix(1)))
    try await interruptUse()
    try backend.emit(.location(fix(2)))
    try backend.end()
    #expect(await updates.all().elements == [fix(2)])
  }

  /// The stream began with a known location.
  @Test func initialCachedLocationIsForgotten() async throws {
    let first = manager.updates
    await backend.waitUntilRunning()
    try backend.emit(.location(fix(1)))
    #expect(try await first.first(1) == [fix(1)])
    let updates = manager.updates(
      UpdateOptions(distanceFilter: 10_000, maximumAge: .seconds(60)))
    try await interruptUse()
    try backend.emit(.location(fix(2)))
    try backend.end()
    #expect(await updates.all().elements == [fix(2)])
  }

  @Test func firstHeadingBypassesTheHeadingFilter() async throws {
    let headings = manager.headings(HeadingOptions(headingFilter: 90))
    await backend.waitUntilRunning()
    try backend.emit(.heading(heading(1)))
    try await interruptUse()
    let next = try Heading(
      trueHeading: 2, timestamp: heading(1).timestamp + 1, source: .compass)
    try backend.emit(.heading(next))
    try backend.end()
    #expect(await headings.all().elements == [next])
  }

  @Test func theFirstLocationIsASignificantChange() async throws {
    let changes = manager.significantLocationChanges
    await backend.waitUntilRunning()
    try backend.emit(.location(fix(1)))
    var iterator = changes.makeAsyncIterator()
    #expect(try await iterator.next() == fix(1))
    try await interruptUse()
    try backend.emit(.location(fix(2)))
    try backend.end()
    #expect(try await iterator.next() == fix(2))
  }

  /// The set of streams that receive the reduced location would reveal its distance from the
  /// withdrawn location.
  @Test func noFilterComparesWithAWithdrawnLocation() async throws {
    let streams = (0..<8).map { power in
      manager.updates(UpdateOptions(distanceFilter: 100 * Double(1 << (2 * power))))
    }
    await backend.waitUntilRunning()
    try backend.emit(.location(fix(1)))
    backend.setAuthorization(AuthorizationDecision(.whenInUse, accuracy: .reduced))
    for await authorization in manager.authorizationUpdates where authorization.accuracy == .reduced
    { break }
    try backend.emit(.location(fix(2)))
    try backend.end()
    for updates in streams {
      let elements = await updates.all().elements
      #expect(elements.count == 1)
      #expect(elements.allSatisfy { $0.coordinate != fix(2).coordinate })
    }
  }

  /// The stationary state belongs to the permission under which it was detected.
  @Test func stationaryStateIsForgotten() async throws {
    var updates = manager.liveUpdates.makeAsyncIterator()
    await backend.waitUntilRunning()
    for second in 0..<90 {
      try backend.emit(.location(fix(0).with { $0.timestamp += Double(second) }))
      clock.advance(by: .seconds(1))
    }
    var isStationary = false
    while let update = await updates.next() {
      guard let location = update.location else { continue }
      isStationary = update.diagnostics.contains(.stationary)
      if location.timestamp == fix(0).timestamp + 89 { break }
    }
    #expect(isStationary)
    try await interruptUse()
    try backend.emit(.location(fix(0).with { $0.timestamp += 90 }))
    while let update = await updates.next() {
      guard update.location != nil else { continue }
      #expect(!update.diagnostics.contains(.stationary))
      break
    }
  }
}
