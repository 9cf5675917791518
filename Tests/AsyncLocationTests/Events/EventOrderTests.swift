import FoundationEssentials
import MockBackend
import TestSupport
import Testing

@testable import AsyncLocation

/// The order of the events of one stream, and the effect of permission on unread events.
@Suite(.tags(.ordering), .inTurn)
struct EventOrderTests {
  /// Authorization precedes locations on any thread and at any pace of the reader, even if the
  /// buffer is full.
  @Test(arguments: [1, 2, 1_024])
  func authorizationPrecedesLocations(_ limit: Int) async throws {
    try await withTaskExecutorPreference(LongWork.shared) {
      for round in 0..<Rounds.of(500) {
        let backend = MockBackend()
        let manager = LocationManager(backend: backend)
        let events = manager.events(EventOptions(buffering: .newest(limit)))
        let emitting = Task.detached {
          await backend.waitUntilRunning()
          for n in 0..<4 { try backend.emit(.location(fix(n)), .location(fix(n + 10))) }
          if round.isMultiple(of: 2) { backend.setAuthorization(.denied) }
          if round.isMultiple(of: 4) { backend.setAuthorization(.authorizedAlways) }
          await manager.shutdown()
        }
        var authorization: Authorization?
        for await event in events {
          switch event {
          case .didChangeAuthorization(let new): authorization = new
          case .didUpdateLocations:
            let isAuthorized = authorization?.isAuthorized == true
            try #require(isAuthorized, "round \(round): a location before its authorization")
          default: break
          }
          if round.isMultiple(of: 3) { await Task.yield() }
        }
        try await emitting.value
      }
    }
  }

  @Test func aFullBufferLosesNoAuthorization() async throws {
    let backend = MockBackend()
    let manager = LocationManager(backend: backend)
    let events = manager.events(EventOptions(services: .locations, buffering: .newest(2)))
    await backend.waitUntilRunning()
    for n in 0..<9 { try backend.emit(.location(fix(n))) }
    await manager.shutdown()
    let seen = await events.all().elements
    #expect(seen.first == .didChangeAuthorization(.init(status: .authorizedWhenInUse)))
    #expect(seen.dropFirst() == [.didUpdateLocations([fix(7)]), .didUpdateLocations([fix(8)])])
  }

  @Test func revocationDiscardsPositionEvents() async throws {
    let backend = MockBackend()
    let manager = LocationManager(backend: backend)
    let events = manager.events
    await backend.waitUntilRunning()
    try backend.emit(.location(fix(1)), .heading(heading(1)), .satellites(view(3)))
    manager.allowDeferredLocationUpdates(untilTraveled: .infinity, timeout: .seconds(9))
    try backend.emit(.location(fix(2)))
    backend.setAuthorization(.denied)
    let dropped = await manager.statistics.elementsDropped
    #expect(dropped == 4)
    backend.setAuthorization(.authorizedAlways)
    await manager.shutdown()
    let seen = await events.all().elements
    for event in seen {
      switch event {
      case .didUpdateLocations, .didUpdateHeading, .didUpdateSatellites:
        Issue.record("\(event)")
      default: break
      }
    }
    #expect(
      seen.contains { if case .didFinishDeferredUpdates(_?) = $0 { true } else { false } })
  }

  @Test func reductionDiscardsPreciseEvents() async throws {
    let backend = MockBackend()
    let manager = LocationManager(backend: backend)
    let events = manager.events
    await backend.waitUntilRunning()
    try backend.emit(.location(fix(1)), .heading(heading(1)))
    let reduced = AuthorizationDecision(.whenInUse, accuracy: .reduced)
    backend.setAuthorization(reduced)
    await manager.waitForAuthorization { $0.accuracy == .reduced }
    try backend.emit(.location(fix(2)), .heading(heading(90)), .satellites(view(1)))
    await manager.shutdown()
    let locations = await events.all().elements.flatMap { event -> [Location] in
      switch event {
      case .didUpdateHeading, .didUpdateSatellites: Issue.record("\(event)")
      default: break
      }
      if case .didUpdateLocations(let locations) = event { return locations }
      return []
    }
    #expect(locations.count == 1)
    #expect(locations.allSatisfy { $0.isReduced && $0 != fix(2) })
  }

  /// The first events depend on when a stream was opened, and are not compared.
  @Test func allStreamsDeliverTheSameOrder() async throws {
    let backend = MockBackend()
    let manager = LocationManager(backend: backend)
    let streams = (0..<3).map { _ in manager.events }
    await backend.waitUntilRunning()
    for n in 0..<50 {
      try backend.emit(.location(fix(n)), .heading(heading(Double(n * 5))))
      if n == 20 { backend.setAuthorization(.authorizedAlways) }
      try backend.emit(.satellites(view(n % 9)), .location(fix(n + 100)))
    }
    await manager.shutdown()
    let first = await streams[0].all().elements.suffix(90)
    for stream in streams.dropFirst() {
      #expect(await stream.all().elements.suffix(90) == first)
    }
  }

  /// The demand ends with the last stream. A started service has demand without a stream.
  @Test func theLastReaderStopsTheReceiver() async throws {
    let backend = MockBackend()
    let manager = LocationManager(backend: backend)
    func read() async {
      for await event in manager.events {
        if case .didUpdateLocations = event { break }
      }
    }
    for _ in 0..<2 {
      async let reading: Void = read()
      await backend.waitUntilRunning()
      try backend.emit(.location(fix(Int(backend.runCount))))
      await reading
      await backend.waitUntilIdle()
    }
    manager.startUpdatingLocation()
    manager.startUpdatingLocation()
    await backend.waitUntilRunning()
    #expect(backend.demand?.kinds == .locations)
    manager.stopUpdatingLocation()
    await backend.waitUntilIdle()
    #expect(backend.runCount == 3)
  }

  /// A manager without references is deallocated even if its services are running.
  @Test func startedServicesEndWithTheManager() async throws {
    let backend = MockBackend()
    var manager: LocationManager? = LocationManager(backend: backend)
    let inspector = try Inspector(#require(manager))
    manager?.startUpdatingLocation()
    await backend.waitUntilRunning()
    manager = nil
    await backend.waitUntilIdle()
    while !inspector.isGone { await Task.yield() }
  }

  @Test func streamsOfAClosedManagerEnd() async {
    let manager = LocationManager(backend: MockBackend())
    let events = manager.events
    await manager.shutdown()
    #expect(await events.all().elements.isEmpty == false)
    #expect(await manager.events.all().elements == [])
    manager.startUpdatingLocation()
    manager.allowDeferredLocationUpdates(untilTraveled: 1, timeout: .seconds(1))
    // The stream may have started a run before the shutdown; the service starts none after it.
    #expect(await manager.statistics.backendRuns <= 1)
  }
}
