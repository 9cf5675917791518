import FoundationEssentials
import MockBackend
import TestSupport
import Testing

@testable import AsyncLocation

/// Requests to a geocoder, which may be a network service, after permission was withdrawn.
@Suite(.inTurn) struct PlacemarkPermissionTests {
  enum Withdrawal: CaseIterable, Sendable { case outOfUse, reduced, denied }

  private let backend = MockBackend()
  private let clock = ManualClock()
  private let geocoder = MockGeocoder()
  private let manager: LocationManager
  private let options = PlacemarkOptions(minimumInterval: .zero)
  private let town = place("Town", 0.01, 0)

  init() { manager = LocationManager(backend: backend, clock: clock) }

  private func withdraw(_ withdrawal: Withdrawal) async {
    await Self.withdraw(withdrawal, from: manager, backend)
  }

  private static func withdraw(
    _ withdrawal: Withdrawal, from manager: LocationManager, _ backend: MockBackend
  ) async {
    switch withdrawal {
    case .outOfUse: await manager.setInUse(false)
    case .reduced:
      backend.setAuthorization(AuthorizationDecision(.whenInUse, accuracy: .reduced))
      await manager.waitForAuthorization { $0.accuracy == .reduced }
    case .denied:
      backend.setAuthorization(.denied)
      await manager.waitForAuthorization { $0.status == .denied }
    }
  }

  @Test("A waiting location is not geocoded after a withdrawal", arguments: Withdrawal.allCases)
  func waitingLocationIsNotGeocoded(_ withdrawal: Withdrawal) async throws {
    let stream = manager.placemarks(using: geocoder, options)
    await backend.waitUntilRunning()
    try backend.emit(.location(fix(1)))
    await geocoder.waitForRequests()
    try backend.emit(.location(fix(5)))
    try await backend.settle()
    await withdraw(withdrawal)
    geocoder.answer(town)
    try await backend.settle()
    #expect(geocoder.requests == [.reverseGeocode(fix(1).coordinate, locale: nil)])
    withExtendedLifetime(stream) {}
  }

  @Test("A withdrawal cancels the request in progress", arguments: Withdrawal.allCases)
  func withdrawalCancelsTheRequest(_ withdrawal: Withdrawal) async throws {
    let stream = manager.placemarks(using: geocoder, options)
    await backend.waitUntilRunning()
    try backend.emit(.location(fix(1)))
    await geocoder.waitForRequests()
    await withdraw(withdrawal)
    try await backend.settle()
    #expect(!geocoder.answer(town))
    withExtendedLifetime(stream) {}
  }

  /// The withdrawal is visible before the follower's tasks continue.
  @Test(
    "No request is sent after a visible withdrawal, at any step of the follower",
    arguments: Withdrawal.allCases, [false, true])
  func noRequestFollowsAVisibleWithdrawal(_ withdrawal: Withdrawal, isLive: Bool) async throws {
    var hadRequests: Set<Bool> = []
    for steps in 0..<40 {
      let backend = MockBackend()
      let geocoder = MockGeocoder()
      let executor = HeldExecutor(isHeld: true)
      let manager = LocationManager(
        backend: backend, configuration: LocationManager.Configuration(), clock: clock,
        executor: executor)
      // A state follows live placemarks, a program reads a stream.
      let places =
        isLive ? manager.lifetime.livePlacemarks(using: geocoder, options) : nil
      let stream = isLive ? nil : manager.placemarks(using: geocoder, options)
      executor.run()
      try backend.emit(.location(fix(1)))
      for _ in 0..<steps { executor.step() }
      let count = geocoder.requests.count
      hadRequests.insert(count > 0)
      await Self.withdraw(withdrawal, from: manager, backend)
      executor.run()
      let exact = MockGeocoder.Request.reverseGeocode(fix(1).coordinate, locale: nil)
      #expect(!geocoder.requests.dropFirst(count).contains(exact), "after \(steps) jobs")
      withExtendedLifetime((places, stream)) {}
    }
    #expect(hadRequests == [false, true], "the withdrawals come before the request, and after it")
  }

  /// Withdraws permission, and throws before the follower's tasks have noticed.
  private struct LateGeocoder: Geocoder {
    let backend: MockBackend
    let manager: LocationManager

    func reverseGeocode(
      _ coordinate: Coordinate, locale: GeocodingLocale?
    ) async throws -> [Placemark] {
      backend.setAuthorization(.denied)
      while manager.currentAuthorization.isAuthorized { await Task.yield() }
      throw LocationError(.network, "Down.")
    }

    func geocode(
      _ name: String, near: Coordinate?, locale: GeocodingLocale?
    ) async throws -> [Placemark] { [] }
  }

  @Test func noFurtherGeocoderIsAskedAfterAWithdrawal() async throws {
    let executor = HeldExecutor(isHeld: true)
    let manager = LocationManager(
      backend: backend, configuration: LocationManager.Configuration(), clock: clock,
      executor: executor)
    let first = LateGeocoder(backend: backend, manager: manager)
    let stream = manager.placemarks(using: FallbackGeocoder(first, geocoder), options)
    executor.run()
    try backend.emit(.location(fix(1)))
    while manager.currentAuthorization.isAuthorized {
      executor.run()
      await Task.yield()
    }
    executor.release()
    try await backend.settle()
    #expect(geocoder.requests == [])
    withExtendedLifetime(stream) {}
  }

  private typealias Call = Task<[Placemark], any Error>

  private static var fiveMetresAway: Coordinate {
    get throws {
      try Coordinate(
        latitude: fix(1).coordinate.latitude + 0.00005, longitude: fix(1).coordinate.longitude)
    }
  }

  /// Starts a cache's request for the device's location, which a call for a place shares. Then
  /// withdraws permission for the device and cancels its call.
  private static func withdrawnRequest(
    of cache: CachingGeocoder, _ geocoder: MockGeocoder, besides place: Coordinate
  ) async -> (device: Call, other: Call) {
    let isPermitted = Locked(true)
    let permission = GeocodingPermission { isPermitted.withLock(\.self) }
    let device = Call.immediate {
      try await GeocodingPermission.$current.withValue(permission) {
        try await cache.reverseGeocode(fix(1).coordinate)
      }
    }
    await geocoder.waitForRequests()
    let other = Call.immediate { try await cache.reverseGeocode(place) }
    isPermitted.withLock { $0 = false }
    device.cancel()
    return (device, other)
  }

  /// The program's own request joins a request for a location that permission no longer covers.
  @Test func sharedRequestContinuesForThePermittedCaller() async throws {
    let first = MockGeocoder()
    let cache = CachingGeocoder(FallbackGeocoder(first, geocoder))
    let (caller, other) = await Self.withdrawnRequest(of: cache, first, besides: fix(1).coordinate)
    first.fail(LocationError(.network, "Down."))
    await geocoder.waitForRequests()
    geocoder.answer(town)
    #expect(try await other.value.map(\.name) == ["Town"])
    _ = await caller.result
  }

  /// The device's location must not be sent any more; the other caller's is five metres away.
  @Test func sharedRequestUsesThePermittedCallersCoordinate() async throws {
    let first = MockGeocoder()
    let cache = CachingGeocoder(FallbackGeocoder(first, geocoder))
    let place = try Self.fiveMetresAway
    let (device, other) = await Self.withdrawnRequest(of: cache, first, besides: place)
    first.fail(LocationError(.network, "Down."))
    // The next request goes to one of the two geocoders; it must be the first one.
    await withTaskGroup { group in
      group.addTask { await first.waitForRequests(2) }
      group.addTask { [geocoder] in await geocoder.waitForRequests() }
      await group.next()
      group.cancelAll()
    }
    try #require(geocoder.requests == [])
    first.fail(LocationError(.network, "Down."))
    await geocoder.waitForRequests()
    #expect(geocoder.requests == [.reverseGeocode(place, locale: nil)])
    geocoder.answer(town)
    #expect(try await other.value.map(\.name) == ["Town"])
    _ = await device.result
    // A later caller gets the cached answer for the place.
    #expect(try await cache.reverseGeocode(place).map(\.name) == ["Town"])
    #expect(cache.statistics.hits == 1)
  }

  /// Only the waiting caller gets the answer; its place is five metres away.
  @Test func theAnswerToAWithdrawnLocationIsNotCached() async throws {
    let cache = CachingGeocoder(geocoder)
    let (device, other) = await Self.withdrawnRequest(
      of: cache, geocoder, besides: try Self.fiveMetresAway)
    _ = await device.result
    geocoder.answer(town)
    #expect(try await other.value.map(\.name) == ["Town"])
    #expect(cache.statistics.joined == 1)
    #expect(cache.statistics.entries == 0)
  }

  @Test func aCacheSendsNoRequestAfterAWithdrawal() async throws {
    let cache = CachingGeocoder(geocoder)
    await #expect(throws: LocationError.self) {
      try await GeocodingPermission.$current.withValue(GeocodingPermission { false }) {
        try await cache.reverseGeocode(fix(1).coordinate)
      }
    }
    #expect(geocoder.requests == [])
  }

  @Test("A state's geocoder is not asked after a denial")
  @MainActor func stateSendsNoRequestAfterADenial() async throws {
    let state = LocationState()
    let (manager, geocoder, options) = (manager, geocoder, options)
    let following = Task { @MainActor in
      await state.follow(manager, placemarks: geocoder, placemarkOptions: options)
    }
    await backend.waitUntilRunning()
    try backend.emit(.location(fix(1)))
    await geocoder.waitForRequests()
    try backend.emit(.location(fix(5)))
    try await backend.settle()
    backend.setAuthorization(.denied)
    while state.authorization.status != .denied { await Task.yield() }
    geocoder.answer(town)
    try await backend.settle()
    #expect(await manager.authorization().status == .denied)
    #expect(geocoder.requests == [.reverseGeocode(fix(1).coordinate, locale: nil)])
    await manager.shutdown()
    await following.value
  }

  @Test("A denial cancels the request, so the next geocoder is not asked")
  @MainActor func denialKeepsTheNextGeocoderFromBeingAsked() async throws {
    let second = MockGeocoder { [town] _ in .placemarks(town) }
    let state = LocationState()
    let (manager, options) = (manager, options)
    let both = FallbackGeocoder(geocoder, second)
    let following = Task { @MainActor in
      await state.follow(manager, placemarks: both, placemarkOptions: options)
    }
    await backend.waitUntilRunning()
    try backend.emit(.location(fix(1)))
    await geocoder.waitForRequests()
    backend.setAuthorization(.denied)
    while state.authorization.status != .denied { await Task.yield() }
    try await backend.settle()
    geocoder.fail(LocationError(.network, "Down."))
    try await backend.settle()
    #expect(second.requests == [])
    #expect(geocoder.calls.count == 2, "not cancelled: \(geocoder.calls)")
    await manager.shutdown()
    await following.value
  }
}
