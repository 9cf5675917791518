import AsyncLocation
import MockBackend
import TestSupport
import Testing

@Suite("O3 Permission first", .tags(.ordering), .inTurn)
struct O03PermissionFirstTests {
  /// The error of a stream without further elements; nil if it returns an element.
  private func refusal(of stream: some AsyncSequence) async -> LocationError.Code? {
    let seen = await stream.all()
    return seen.elements.isEmpty ? (seen.error as? LocationError)?.code : nil
  }

  @Test func theBackendDoesNotRunBeforeTheAnswer() async throws {
    let backend = MockBackend(authorization: .asking)
    let manager = LocationManager(backend: backend)
    let updates = manager.updates
    await backend.waitForCall(.authorizationRequested(.whenInUse))
    #expect(await manager.authorization().status == .notDetermined)
    #expect(backend.runCount == 0)

    backend.answerAuthorization(.authorizedWhenInUse)
    await backend.waitUntilRunning()
    #expect(await manager.authorization().status == .authorizedWhenInUse)
    try backend.emit(.location(fix(1)))
    #expect(try await updates.first(1) == [fix(1)])
  }

  /// Revokes permission at each position among eight fixes. Half of the earlier ones were read. On
  /// every stream, the others are discarded and counted, and none follow.
  @Test(arguments: 0...8)
  func revocationEndsEveryStreamAtItsPosition(_ position: Int) async throws {
    let backend = MockBackend()
    let manager = LocationManager(backend: backend)
    let (updates, updatesWithOptions) = (manager.updates, manager.updates(UpdateOptions()))
    let batches = manager.batches()
    let (headings, satellites) = (manager.headings, manager.satellites)
    let live = manager.liveUpdates
    await backend.waitUntilRunning()
    for n in 0..<position {
      try backend.emit(
        .location(fix(n)), .heading(heading(Double(n * 10))), .satellites(view(n)))
    }
    let read = position / 2
    let fixes = (0..<read).map { fix($0) }
    #expect(try await updates.first(read) == fixes)
    #expect(try await updatesWithOptions.first(read) == fixes)
    #expect(try await headings.first(read).count == read)
    #expect(try await satellites.first(read).count == read)
    #expect(try await live.compactMap(\.location).first(read) == fixes)
    try backend.emit(.authorization(.denied))
    for n in position..<8 {
      try backend.emit(
        .location(fix(n)), .heading(heading(Double(n * 10))), .satellites(view(n)))
    }

    #expect(await refusal(of: updates) == .denied)
    #expect(await refusal(of: updatesWithOptions) == .denied)
    #expect(await refusal(of: batches) == .denied)
    #expect(await refusal(of: headings) == .denied)
    #expect(await refusal(of: satellites) == .denied)
    #expect(updatesWithOptions.dropped == position - read)
    #expect(batches.dropped == position)
    #expect(await manager.authorization().status == .denied)
    #expect(await manager.location == nil)
    #expect(await manager.heading == nil)
    await backend.waitUntilIdle()
    // Half of each of the five other streams was read, and none of the batches.
    #expect(await manager.statistics.elementsDropped == UInt64(5 * (position - read) + position))
    await manager.shutdown()
    let reported = await live.all().elements
    #expect(reported.compactMap(\.location) == [])
    #expect(reported.last?.diagnostics == .authorizationDenied)
  }

  @Test func revocationWithinABatchDropsItsRest() async throws {
    let backend = MockBackend()
    let manager = LocationManager(backend: backend)
    let updates = manager.updates
    await backend.waitUntilRunning()
    try backend.emit(
      .location(fix(1)), .location(fix(2)), .authorization(.restricted), .location(fix(3)))
    let seen = await updates.all()
    #expect(seen.elements == [])
    #expect((seen.error as? LocationError)?.code == .restricted)
    let statistics = await manager.statistics
    #expect(statistics.eventsDiscarded == 1)
    #expect(statistics.elementsDelivered == 2)
    #expect(statistics.elementsDropped == 2)
  }

  /// Once a reduction is visible, no stream returns a precise location, not even a buffered one.
  @Test func reductionDropsBufferedPreciseLocations() async throws {
    let backend = MockBackend()
    let manager = LocationManager(backend: backend)
    let (updates, batches, live) = (manager.updates, manager.batches(), manager.liveUpdates)
    await backend.waitUntilRunning()
    try backend.emit(.location(fix(1)), .location(fix(2)))
    #expect(try await updates.first(1) == [fix(1)])
    backend.setAuthorization(
      AuthorizationDecision(.whenInUse, accuracy: .reduced))
    while await manager.authorization().accuracy == .full { await Task.yield() }
    try backend.emit(.location(fix(3)))
    await manager.shutdown()
    let coarse = await updates.all().elements
    #expect(coarse.count == 1)
    #expect(!coarse.contains(fix(3)))
    #expect(await batches.all().elements.map(Array.init) == [coarse])
    #expect(await live.all().elements.compactMap(\.location) == coarse)
  }

  /// Every `next()` that starts after a visible refusal returns nothing, even with buffered
  /// elements and while another thread emits.
  @Test(arguments: 0..<40)
  func nextReturnsNoLocationAfterAVisibleRefusal(_ round: Int) async throws {
    let backend = MockBackend()
    let manager = LocationManager(backend: backend)
    let updates = (0..<3).map { _ in manager.updates(UpdateOptions(buffering: .newest(10_000))) }
    await backend.waitUntilRunning()
    let emitter = Task.detached {
      for n in 0..<200 { try? backend.emit(.location(fix(n))) }
    }
    let revoker = Task.detached {
      for _ in 0..<round { await Task.yield() }
      backend.setAuthorization(.denied)
    }
    let readers = updates.map { updates in
      Task.detached { () -> Int in
        var lateElements = 0
        var iterator = updates.makeAsyncIterator()
        while true {
          let isDenied = await manager.authorization().status == .denied
          do {
            guard try await iterator.next() != nil else { return lateElements }
            if isDenied { lateElements += 1 }
          } catch {
            return lateElements
          }
        }
      }
    }
    for reader in readers { #expect(await reader.value == 0) }
    _ = await (emitter.value, revoker.value)
  }

  @Test func aRefusalEndsNewStreamsAtOnce() async throws {
    let manager = LocationManager(backend: MockBackend(authorization: .denying))
    let first = await manager.updates.all()
    #expect((first.error as? LocationError)?.code == .denied)
    let second = await manager.headings.all()
    #expect((second.error as? LocationError)?.code == .denied)
    await #expect(throws: LocationError.self) { try await manager.currentLocation() }
  }

  /// A new grant does not restore elements that were buffered at the revocation.
  @Test func liveUpdatesContinueAfterANewGrant() async throws {
    let backend = MockBackend()
    let manager = LocationManager(backend: backend)
    var live = manager.liveUpdates.makeAsyncIterator()
    await backend.waitUntilRunning()
    try backend.emit(.location(fix(1)))
    backend.setAuthorization(.denied)
    await backend.waitUntilIdle()
    backend.setAuthorization(.authorizedWhenInUse)
    await backend.waitForCall(count: 2) { if case .runStarted = $0 { true } else { false } }
    try backend.emit(.location(fix(2)))

    var reported: [LocationUpdate] = []
    while let update = await live.next() {
      reported.append(update)
      if update.location == fix(2) { break }
    }
    #expect(reported.compactMap(\.location) == [fix(2)])
    #expect(reported.contains { $0.diagnostics == .authorizationDenied })
  }

  @Test func withoutImplicitRequestsStreamsWaitForAGrant() async throws {
    let backend = MockBackend()
    let manager = LocationManager(
      backend: backend,
      configuration: .init(requestsAuthorizationImplicitly: false))
    let updates = manager.updates
    #expect(backend.runCount == 0)
    #expect(backend.backendCalls.isEmpty)
    _ = try await manager.requestAlwaysAuthorization()
    await backend.waitUntilRunning()
    try backend.emit(.location(fix(1)))
    #expect(try await updates.first(1) == [fix(1)])
  }

  /// An operator's refusal during a prompt prevails over the prompt's answer.
  @Test func aRefusalDuringAPromptPrevails() async throws {
    let backend = MockBackend(authorization: .asking)
    let manager = LocationManager(backend: backend)
    let caller = Task.immediate { try await manager.requestWhenInUseAuthorization() }
    await backend.waitForCall(.authorizationRequested(.whenInUse))
    backend.setAuthorization(.denied)
    backend.answerAuthorization(.authorizedWhenInUse)
    #expect(try await caller.value.status == .denied)
    #expect(await manager.authorization().status == .denied)
    #expect((await manager.updates.all().error as? LocationError)?.code == .denied)
    #expect(backend.runCount == 0)
  }
}
