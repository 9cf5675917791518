import MockBackend
import TestSupport
import Testing

@testable import AsyncLocation

/// Elements that are read after a manager was shut down, or its source has ended, are still subject
/// to permission.
@Suite(.inTurn) struct PermissionAfterShutdownTests {
  enum Kind: CaseIterable { case updates, options, batches, live, events, headings }

  private let backend = MockBackend()

  /// Returns a closure that counts the elements of a stream that reveal the position.
  private static func positionCounter(
    _ kind: Kind, _ manager: LocationManager
  ) -> @Sendable () async -> Int {
    switch kind {
    case .updates:
      let stream = manager.updates
      return { await stream.all().elements.count }
    case .options:
      let stream = manager.updates(UpdateOptions())
      return { await stream.all().elements.count }
    case .batches:
      let stream = manager.batches()
      return { await stream.all().elements.reduce(0) { $0 + $1.count } }
    case .live:
      let stream = manager.liveUpdates
      return { await stream.all().elements.count { $0.location != nil } }
    case .events:
      let stream = manager.events(EventOptions(services: .locations))
      return {
        await stream.all().elements.count {
          if case .didUpdateLocations = $0 { true } else { false }
        }
      }
    case .headings:
      let stream = manager.headings
      return { await stream.all().elements.count }
    }
  }

  /// Returns a manager that was shut down, and a closure that counts the unread elements of its
  /// stream.
  private static func shutDownManager(
    _ kind: Kind, _ backend: MockBackend
  ) async throws -> (LocationManager, @Sendable () async -> Int) {
    let manager = LocationManager(backend: backend, clock: ManualClock())
    let countElements = positionCounter(kind, manager)
    await backend.waitUntilRunning()
    try backend.emit(.location(fix(1)), .heading(heading(20)))
    await manager.shutdown()
    return (manager, countElements)
  }

  @Test(arguments: Kind.allCases) func heldElementIsReadAfterShutdown(_ kind: Kind) async throws {
    let (manager, countElements) = try await Self.shutDownManager(kind, MockBackend())
    #expect(await countElements() == 1)
    #expect(await manager.authorization().status == .authorizedWhenInUse)
  }

  @Test(arguments: Kind.allCases) func elementsAreWithdrawnByADenial(_ kind: Kind) async throws {
    let backend = MockBackend()
    let (manager, countElements) = try await Self.shutDownManager(kind, backend)
    backend.setAuthorization(.denied)
    #expect(await manager.authorization().status == .denied)
    #expect(await countElements() == 0)
  }

  @Test(arguments: Kind.allCases) func elementsAreWithdrawnByAReduction(_ kind: Kind) async throws {
    let backend = MockBackend()
    let (_, countElements) = try await Self.shutDownManager(kind, backend)
    backend.setAuthorization(AuthorizationDecision(.whenInUse, accuracy: .reduced))
    #expect(await countElements() == 0)
  }

  @Test(arguments: Kind.allCases)
  func elementsAreWithdrawnWhenServicesAreSwitchedOff(_ kind: Kind) async throws {
    let backend = MockBackend()
    let (_, countElements) = try await Self.shutDownManager(kind, backend)
    backend.setLocationServices(enabled: false)
    #expect(await countElements() == 0)
  }

  @Test(arguments: Kind.allCases) func elementsAreWithdrawnOutOfUse(_ kind: Kind) async throws {
    let (manager, countElements) = try await Self.shutDownManager(kind, MockBackend())
    await manager.setInUse(false)
    #expect(await countElements() == 0)
  }

  @Test(arguments: Kind.allCases)
  func elementsAreWithdrawnWithoutBackgroundUpdates(_ kind: Kind) async throws {
    let manager = LocationManager(backend: backend, clock: ManualClock())
    await manager.set { $0.allowsBackgroundLocationUpdates = true }
    await manager.setInUse(false)
    let countElements = Self.positionCounter(kind, manager)
    await backend.waitUntilRunning()
    try backend.emit(.location(fix(1)), .heading(heading(20)))
    await manager.shutdown()
    await manager.set { $0.allowsBackgroundLocationUpdates = false }
    #expect(await countElements() == 0)
  }

  @Test(arguments: Kind.allCases)
  func elementsOfAnEndedSourceAreWithdrawn(_ kind: Kind) async throws {
    let backend = MockBackend()
    let manager = LocationManager(backend: backend, clock: ManualClock())
    let countElements = Self.positionCounter(kind, manager)
    await backend.waitUntilRunning()
    try backend.emit(.location(fix(1)), .heading(heading(20)))
    try backend.end()
    await backend.waitUntilIdle()
    backend.setAuthorization(.denied)
    await manager.shutdown()
    #expect(await countElements() == 0)
  }

  /// Temporary full accuracy also expires after the shutdown.
  @Test func elementsAreWithdrawnWhenFullAccuracyExpires() async throws {
    let backend = MockBackend(
      authorization: .answering(AuthorizationDecision(.whenInUse, accuracy: .reduced)))
    let clock = ManualClock()
    let manager = LocationManager(backend: backend, clock: clock)
    let stream = manager.updates
    _ = try await manager.requestWhenInUseAuthorization()
    _ = try await manager.requestTemporaryFullAccuracyAuthorization(purposeKey: "turn")
    await backend.waitUntilRunning()
    try backend.emit(.location(fix(1)))
    await manager.shutdown()
    clock.advance(by: .seconds(3_600))
    while await manager.authorization().accuracy != .reduced { await Task.yield() }
    #expect(await stream.all().elements.isEmpty)
  }

  /// The manager is released, but the stream is not.
  @Test func placemarksOfAReleasedManagerAreWithdrawn() async throws {
    let backend = MockBackend()
    let stream = try await Self.heldPlacemark(backend)
    // Lets the ended tasks that read for the stream release their elements.
    for _ in 0..<1_000 { await Task.yield() }
    backend.setAuthorization(.denied)
    #expect(await stream.all().elements.isEmpty)
  }

  private static func heldPlacemark(_ backend: MockBackend) async throws -> PlacemarkUpdates {
    let geocoder = MockGeocoder { _ in .placemarks(place("Town", 0.01, 0)) }
    let manager = LocationManager(backend: backend, clock: ManualClock())
    let stream = manager.placemarks(using: geocoder)
    await backend.waitUntilRunning()
    try backend.emit(.location(fix(1)))
    try await backend.settle()
    await manager.shutdown()
    try await backend.settle()
    return stream
  }

  /// Full accuracy expires later on the system's clock, but nothing waits for that after shutdown.
  @Test func settlingDoesNotWaitForFullAccuracyToExpire() async throws {
    let backend = MockBackend(
      authorization: .answering(AuthorizationDecision(.whenInUse, accuracy: .reduced)))
    let manager = LocationManager(backend: backend)
    _ = try await manager.requestWhenInUseAuthorization()
    _ = try await manager.requestTemporaryFullAccuracyAuthorization(purposeKey: "turn")
    await manager.shutdown()
    try await backend.settle()
    withExtendedLifetime(manager) {}
  }

  /// No reader is left, so nothing observes the policy.
  @Test func aReleasedManagerStopsObservingThePolicy() async {
    let policy = CountedPolicy()
    do {
      let manager = LocationManager(backend: MockBackend(policy: policy), clock: ManualClock())
      await manager.shutdown()
      #expect(policy.observers.withLock(\.self) == 1)
      withExtendedLifetime(manager) {}
    }
    while policy.observers.withLock(\.self) > 0 { await Task.yield() }
  }
}

/// Counts its observers.
private final class CountedPolicy: AuthorizationPolicy {
  let observers = Locked(0)

  func authorize(_: AuthorizationRequest) async -> AuthorizationDecision { .authorizedWhenInUse }

  func observe(_: @escaping @Sendable (AuthorizationChange) -> Void) async {
    observers.withLock { $0 += 1 }
    let (never, ending) = AsyncStream.makeStream(of: Void.self)
    for await _ in never {}
    ending.finish()
    observers.withLock { $0 -= 1 }
  }
}
