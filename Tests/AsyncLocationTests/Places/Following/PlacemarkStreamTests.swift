import FoundationEssentials
import MockBackend
import TestSupport
import Testing

@testable import AsyncLocation

@Suite(.inTurn)
struct PlacemarkStreamTests {
  private let clock = ManualClock()
  private let backend = MockBackend()
  private let geocoder = MockGeocoder()
  private let manager: LocationManager
  private let options = PlacemarkOptions(minimumInterval: .zero)
  private let town = place("Town", 0.01, 0)

  init() { manager = LocationManager(backend: backend, clock: clock) }

  private func collect(
    _ stream: PlacemarkUpdates
  ) -> Task<(elements: [PlacemarkUpdate], error: (any Error)?), Never> {
    Task { await stream.all() }
  }

  /// Returns a stream with an unread update and a pending request for the second location.
  private func streamWithABufferedUpdateAndARequest() async throws
    -> PlacemarkUpdates
  {
    let stream = manager.placemarks(using: geocoder, options)
    await backend.waitUntilRunning()
    try backend.emit(.location(fix(1)))
    await geocoder.waitForRequests()
    geocoder.answer(town)
    try await backend.settle()
    try backend.emit(.location(fix(2)))
    await geocoder.waitForRequests(2)
    return stream
  }

  private func request(_ n: Int) -> MockGeocoder.Request {
    .reverseGeocode(fix(n).coordinate, locale: nil)
  }

  @Test func eachUpdateHasItsLocation() async throws {
    let geocoder = MockGeocoder { [town] _ in .placemarks(town) }
    let updates = collect(manager.placemarks(using: geocoder, options))
    await backend.waitForReaders(of: .placemarks)
    for n in 1...5 {
      try backend.emit(.location(fix(n)))
      try await backend.settle()
    }
    try backend.emit(.location(fix(5)))
    try backend.end()
    let seen = await updates.value
    #expect(seen.error == nil)
    #expect(seen.elements.map(\.location) == (1...5).map { fix($0) })
    for update in seen.elements {
      #expect(update.placemarks == [town.measured(from: update.location.coordinate)])
    }
    #expect(geocoder.requests == (1...5).map(request))
  }

  @Test func theNewestLocationFollowsTheRequestInProgress() async throws {
    let updates = collect(manager.placemarks(using: geocoder, options))
    await backend.waitUntilRunning()
    for n in 1...4 {
      try backend.emit(.location(fix(n)))
      try await backend.settle()
    }
    #expect(geocoder.requests == [request(1)])
    geocoder.answer(town)
    await geocoder.waitForRequests(2)
    #expect(geocoder.requests == [request(1), request(4)])
    try backend.end()
    geocoder.answer(town)
    let seen = await updates.value.elements
    #expect(seen.map(\.location) == [fix(1), fix(4)])
  }

  @Test func aStreamBeginsWithTheKnownLocation() async throws {
    let locations = manager.updates
    await backend.waitUntilRunning()
    try backend.emit(.location(fix(1)))
    #expect(try await locations.first(1) == [fix(1)])
    clock.advance(by: .seconds(3_600))
    let updates = collect(manager.placemarks(using: geocoder, options))
    await geocoder.waitForRequests()
    #expect(geocoder.requests == [request(1)])
    try backend.end()
    geocoder.answer(town)
    #expect(await updates.value.elements.map(\.location) == [fix(1)])
  }

  @Test func aFailureDoesNotEndTheStream() async throws {
    let updates = collect(manager.placemarks(using: geocoder, options))
    await backend.waitUntilRunning()
    try backend.emit(.location(fix(1)))
    await geocoder.waitForRequests()
    geocoder.fail(LocationError(.network, "Down."))
    try await backend.settle()
    clock.advance(by: .seconds(30))
    try backend.emit(.location(fix(1).with { $0.timestamp += 30 }))
    await geocoder.waitForRequests(2)
    geocoder.answer(town)
    try await backend.settle()
    try backend.end()
    let seen = await updates.value.elements
    #expect(seen.map(\.error?.code) == [.network, nil])
    #expect(seen.map(\.placemark?.name) == [nil, "Town"])
  }

  @Test func requestsHaveTheLocale() async throws {
    let stream = manager.placemarks(using: geocoder, PlacemarkOptions(locale: "de"))
    await backend.waitUntilRunning()
    try backend.emit(.location(fix(1)))
    await geocoder.waitForRequests()
    #expect(geocoder.requests == [.reverseGeocode(fix(1).coordinate, locale: "de")])
    _ = stream
  }

  // MARK: Permission

  @Test(.tags(.ordering)) func aRevocationDiscardsTheRequestAndTheBuffer() async throws {
    let stream = try await streamWithABufferedUpdateAndARequest()
    backend.setAuthorization(.denied)
    await geocoder.waitForCall(.cancelled(request(2)))
    let seen = await stream.all()
    #expect(seen.elements == [])
    #expect((seen.error as? LocationError)?.code == .denied)
  }

  @Test(.tags(.ordering)) func aReductionDiscardsPrecisePlaces() async throws {
    let stream = manager.placemarks(using: geocoder, options)
    await backend.waitUntilRunning()
    try backend.emit(.location(fix(1)))
    await geocoder.waitForRequests()
    backend.setAuthorization(AuthorizationDecision(.whenInUse, accuracy: .reduced))
    while await manager.authorization().accuracy == .full { await Task.yield() }
    geocoder.answer(town)  // Too late: its location is precise.
    try await backend.settle()
    try backend.emit(.location(fix(2)))
    await geocoder.waitForRequests(2)
    guard case .reverseGeocode(let coarse, _) = geocoder.requests[1] else {
      Issue.record("\(geocoder.requests)")
      return
    }
    #expect(coarse != fix(2).coordinate, "the geocoder gets the reduced location")
    geocoder.answer(town)
    try await backend.settle()
    await manager.shutdown()
    #expect(await stream.all().elements.map(\.location.coordinate) == [coarse])
  }

  @Test func aStreamThrowsWithoutPermission() async {
    let manager = LocationManager(backend: MockBackend(authorization: .denying))
    let seen = await manager.placemarks(using: geocoder).all()
    #expect((seen.error as? LocationError)?.code == .denied)
    #expect(geocoder.requests.isEmpty)
  }

  // MARK: Ends

  @Test func shutdownEndsAStreamAfterBufferedUpdates() async throws {
    let stream = try await streamWithABufferedUpdateAndARequest()
    await manager.shutdown()
    let seen = await stream.all()
    #expect(seen.elements.map(\.location) == [fix(1)])
    #expect(seen.error == nil)
    await geocoder.waitForCall(.cancelled(request(2)))
  }

  @Test(.tags(.ordering)) func aStreamThrowsAfterShutdownInEveryOrderOfItsTasks() async throws {
    let executor = NewestFirstExecutor()
    let manager = LocationManager(
      backend: backend, configuration: LocationManager.Configuration(), clock: clock,
      executor: executor)
    await manager.shutdown()
    let late = manager.placemarks(using: geocoder)
    executor.run()
    #expect((await late.all().error as? LocationError)?.code == .shutDown)
  }

  @Test(.tags(.cancellation)) func releasingAStreamCancelsTheRequest() async throws {
    var stream: PlacemarkUpdates? =
      manager.placemarks(using: geocoder, options)
    await backend.waitUntilRunning()
    try backend.emit(.location(fix(1)))
    await geocoder.waitForRequests()
    withExtendedLifetime(stream) {}
    stream = nil
    await geocoder.waitForCall(.cancelled(request(1)))
    await backend.waitUntilIdle()
  }

  @Test(.tags(.cancellation)) func cancellingTheLoopCancelsTheRequest() async throws {
    let updates = collect(manager.placemarks(using: geocoder, options))
    await backend.waitUntilRunning()
    try backend.emit(.location(fix(1)))
    await geocoder.waitForRequests()
    updates.cancel()
    let seen = await updates.value
    #expect(seen.elements.isEmpty)
    #expect(seen.error == nil)
    await geocoder.waitForCall(.cancelled(request(1)))
    await backend.waitUntilIdle()
  }

  /// The stream keeps its source running.
  @Test func aStreamOutlivesItsManager() async throws {
    let backend = MockBackend()
    let stream = LocationManager(backend: backend).placemarks(using: geocoder, options)
    await backend.waitUntilRunning()
    try backend.emit(.location(fix(1)))
    await geocoder.waitForRequests()
    geocoder.answer(town)
    #expect(try await stream.first(1).map(\.location) == [fix(1)])
  }

  // MARK: Other readers

  @Test func eventsReportTheSameUpdates() async throws {
    let events = manager.events(EventOptions(services: []))
    let stream = manager.placemarks(using: geocoder, options)
    await backend.waitUntilRunning()
    try backend.emit(.location(fix(1)))
    await geocoder.waitForRequests()
    geocoder.answer(town)
    try await backend.settle()
    await manager.shutdown()
    let updates = await events.all().elements.compactMap { event -> PlacemarkUpdate? in
      if case .didUpdatePlacemarks(let update) = event { update } else { nil }
    }
    #expect(updates == (await stream.all().elements))
    #expect(updates.map(\.location) == [fix(1)])
  }

  /// Settling detects a request whose answer the test must supply, also through a cache.
  @Test(arguments: [false, true])
  func settlingWaitsForTheGeocoder(_ isCached: Bool) async throws {
    let slow = MockGeocoder(clock: clock) { [town] _ in .placemarks(town, after: .seconds(2)) }
    let geocoder: any Geocoder = isCached ? CachingGeocoder(slow, clock: clock) : slow
    let updates = collect(manager.placemarks(using: geocoder, options))
    await backend.waitForReaders(of: .placemarks)
    try backend.emit(.location(fix(1)))
    try await backend.settle()
    #expect(slow.requests == [request(1)])
    #expect(clock.sleeperCount == 1)
    clock.advance(by: .seconds(2))
    try await backend.settle()
    await manager.shutdown()
    #expect(await updates.value.elements.map(\.location) == [fix(1)])
  }

  @Test @MainActor func aStateShowsThePlace() async throws {
    let state = LocationState()
    let following = Task {
      await state.follow(manager, placemarks: geocoder, placemarkOptions: options)
    }
    await backend.waitUntilRunning()
    try backend.emit(.location(fix(1)))
    await geocoder.waitForRequests()
    geocoder.answer(town)
    while state.placemark == nil { await Task.yield() }
    #expect(state.placemark?.name == "Town")
    #expect(state.location == fix(1))
    #expect(backend.endpoints == [.events])

    backend.setAuthorization(.denied)
    while state.status != .denied { await Task.yield() }
    #expect(state.placemark == nil)
    backend.setAuthorization(.authorizedAlways)
    await backend.waitUntilRunning()
    try backend.emit(.location(fix(2)))
    await geocoder.waitForRequests(2)
    geocoder.answer(place("Village", 0.02, 0))
    while state.placemark == nil { await Task.yield() }
    #expect(state.placemark?.name == "Village")
    await manager.shutdown()
    await following.value
  }
}

/// Holds jobs until ``run()``, which runs the newest first.
private final class NewestFirstExecutor: TaskExecutor {
  private let jobs = Locked<[UnownedJob]>([])

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
  }

  func run() {
    while let job = jobs.withLock({ $0.popLast() }) {
      job.runSynchronously(on: asUnownedTaskExecutor())
    }
  }
}
