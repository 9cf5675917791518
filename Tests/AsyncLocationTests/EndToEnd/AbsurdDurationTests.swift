import AsyncLocation
import MockBackend
import TestSupport
import Testing

/// Extreme timeouts, ages and intervals: a past deadline expires at once and a distant one never.
/// None traps.
@Suite(.inTurn)
struct AbsurdDurationTests {
  static let past: [Duration] = [
    .zero, .nanoseconds(-1), .seconds(Int64.min), Duration(attoseconds: .min),
  ]
  static let distant: [Duration] = [
    .seconds(1 << 40), .seconds(1 << 62), .seconds(Int64.max), Duration(attoseconds: .max),
  ]
  /// Before, at and after the origin of a clock.
  static let origins: [Duration] = [Duration(attoseconds: .min), .zero, .seconds(1 << 62)]

  private static func bench(_ origin: Duration) -> (ManualClock, MockBackend, LocationManager) {
    let clock = ManualClock(now: .init(offset: origin))
    let backend = MockBackend(clock: clock)
    return (clock, backend, LocationManager(backend: backend, clock: clock))
  }

  @Test(arguments: past, origins)
  func aPastTimeoutFailsAtOnce(_ timeout: Duration, _ origin: Duration) async throws {
    let (_, _, manager) = Self.bench(origin)
    let error = await #expect(throws: LocationError.self) {
      try await manager.currentLocation(timeout: timeout)
    }
    #expect(error?.code == .timedOut)
    await manager.shutdown()
  }

  @Test(arguments: distant, origins)
  func aDistantTimeoutDoesNotExpire(_ timeout: Duration, _ origin: Duration) async throws {
    let (clock, backend, manager) = Self.bench(origin)
    let caller = Task.immediate { try await manager.currentLocation(timeout: timeout) }
    await backend.waitUntilRunning()
    await clock.waitForSleepers()
    clock.advance(by: .seconds(1 << 39))
    try backend.emit(.location(fix(1)))
    #expect(try await caller.value == fix(1))
    await manager.shutdown()
  }

  // System clock: the timeouts are centuries long.
  @Test(arguments: [ContinuousClock(), SuspendingClock()] as [any Clock<Duration>], distant)
  func systemClocksAcceptADistantTimeout(
    _ clock: any Clock<Duration>, _ timeout: Duration
  ) async throws {
    let backend = MockBackend()
    let manager = LocationManager(backend: backend, clock: clock)
    let caller = Task.immediate { try await manager.currentLocation(timeout: timeout) }
    await backend.waitUntilRunning()
    try backend.emit(.location(fix(1)))
    #expect(try await caller.value == fix(1))
    await manager.shutdown()
  }

  @Test(arguments: past + distant, origins)
  func anyMaximumAgeIsAccepted(_ age: Duration, _ origin: Duration) async throws {
    let (clock, backend, manager) = Self.bench(origin)
    let updates = manager.updates(UpdateOptions())
    await backend.waitUntilRunning()
    try backend.emit(.location(fix(1)))
    _ = try await updates.first(1)
    clock.advance(by: .seconds(20))
    let known = try? await manager.currentLocation(maximumAge: age, timeout: .zero)
    #expect(known == (age > .zero ? fix(1) : nil))
    var late = manager.updates(UpdateOptions(maximumAge: age)).makeAsyncIterator()
    try backend.emit(.location(fix(2)))
    #expect(try await late.next() == (age > .zero ? fix(1) : fix(2)))
    await manager.shutdown()
  }

  @Test(arguments: past + distant, origins)
  func anyMinimumIntervalIsAccepted(_ interval: Duration, _ origin: Duration) async throws {
    let (clock, backend, manager) = Self.bench(origin)
    let updates = manager.updates(UpdateOptions(minimumInterval: interval))
    await backend.waitUntilRunning()
    for n in 0..<3 {
      try backend.emit(.location(fix(n)))
      clock.advance(by: .seconds(1))
    }
    try backend.end()
    let delivered = await updates.all().elements
    #expect(delivered.count == (interval > .zero ? 1 : 3))
    await manager.shutdown()
  }
}
