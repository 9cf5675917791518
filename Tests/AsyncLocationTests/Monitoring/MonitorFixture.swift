import Foundation
import MockBackend
import TestSupport
import Testing

@testable import AsyncLocation

/// A manager with a mock backend, its monitors, and a road north through two circles.
struct MonitorFixture: Sendable {
  static let start = Date(timeIntervalSince1970: 1_800_000_000)

  let clock = ManualClock()
  let backend: MockBackend
  let manager: LocationManager
  let storage = MemoryMonitorStorage()

  /// - Parameter executor: Runs the tasks of the manager and its monitors.
  init(
    capabilities: BackendCapabilities = .all, authorization: MockAuthorization = .granting,
    executor: (any TaskExecutor)? = nil
  ) {
    backend = MockBackend(capabilities: capabilities, authorization: authorization)
    manager = LocationManager(
      backend: backend, configuration: LocationManager.Configuration(), clock: clock,
      executor: executor)
  }

  func monitor(
    _ name: String = "test", storage: (any MonitorStorage)? = nil, eventLimit: Int = 1_000
  ) async throws -> Monitor {
    // The wall clock follows the manual clock.
    let origin = clock.now
    return try await Monitor(
      name, manager: manager, storage: storage ?? self.storage,
      // The first fix beyond a boundary confirms a crossing.
      options: CrossingOptions(confirmation: .zero), eventLimit: eventLimit,
      now: { [clock] in
        let seconds = ExactSeconds.number(origin.duration(to: clock.now))
        return Self.start + seconds
      })
  }

  static let circles: [String: Condition] = [
    "first": try! .circle(center: at(0.010, 0), radius: 200),
    "second": try! .circle(center: at(0.020, 0), radius: 200),
  ]

  /// Emits fixes along the road.
  func drive(_ range: some Sequence<Int>) throws {
    for n in range { try backend.emit(.location(fix(n, accuracy: 5))) }
  }

  /// Emits 16,399 fixes along the road at once; the buffer of a monitor drops the first 15.
  func driveTooFast() throws {
    try backend.emit((0...16_398).map { .location(fix($0, accuracy: 5)) })
  }

  /// Emits as many fixes as ``driveTooFast()``, at one place and one per second. Their timestamps
  /// are later than those of ``stops(at:from:)``.
  func stayTooLong(at place: Int) throws {
    try backend.emit(
      (0...16_398).map { number in
        .location(try! fix(place, accuracy: 5).with { $0.timestamp += 1_000 + Double(number) })
      })
  }

  /// Adds the first circle, emits a fix in it, and waits until the circle is satisfied.
  func enter(_ monitor: Monitor) async throws {
    let circle = try #require(Self.circles["first"])
    try await monitor.add(circle, identifier: "first", assuming: .unsatisfied)
    try drive([10])
    while await monitor.state(for: "first") != .satisfied { await Task.yield() }
  }
}
