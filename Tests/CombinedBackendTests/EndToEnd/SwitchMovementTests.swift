import AsyncLocation
import CombinedBackend
import FoundationEssentials
import LocationRecording
import MockBackend
import TestSupport
import Testing

/// A switch of sources is no movement: two sources at rest, 300 m apart, both claim 5 m.
@Suite(.inTurn)
struct SwitchMovementTests {
  /// A fence around the second source's position, whose boundary lies between the sources.
  private static func fence() throws -> Condition {
    try .circle(center: CombinedBench.place(450), radius: 300)
  }

  /// Emits fixes of a second. Every five minutes the first source loses its fix for two minutes.
  private func emit(second: Int, _ bench: CombinedBench) throws {
    bench.tick()
    if second % 300 < 180 { try bench.emit(bench.fix(0), from: 0) }
    try bench.emit(bench.fix(300), from: 1)
  }

  @Test(.longWork, arguments: [CrossingOptions(), CrossingOptions(confirmation: .zero)])
  func noEventOfAFence(_ options: CrossingOptions) async throws {
    let bench = try CombinedBench()
    let monitor = try await Monitor(
      "switch", manager: bench.manager, storage: MemoryMonitorStorage(), options: options)
    try await monitor.add(Self.fence(), identifier: "fence", assuming: .unsatisfied)
    await bench.waitUntilRunning(0, 1)
    for second in 0..<3_600 { try emit(second: second, bench) }
    // A real movement across the fence, seen by the first source.
    for metres in stride(from: 0.0, through: 450, by: 3) {
      bench.tick()
      try bench.emit(bench.fix(metres, speed: 3), from: 0)
    }
    for _ in 0..<60 {
      bench.tick()
      try bench.emit(bench.fix(450), from: 0)
    }
    var events = monitor.events.makeAsyncIterator()
    let event = try #require(await events.next())
    #expect(event.state == .satisfied)
    #expect(event.location?.device == "a")
    #expect(event.location?.horizontalAccuracy == 5)
    let seconds = try #require(event.location?.timestamp.timeIntervalSince(CombinedBench.start))
    #expect(seconds > 3_600)
  }

  /// With the sources exchanged: the first fix is of the source that is wrong.
  @Test(.longWork) func noEventIfTheSpareWasFirst() async throws {
    let bench = try CombinedBench()
    let monitor = try await Monitor(
      "switch", manager: bench.manager, storage: MemoryMonitorStorage())
    try await monitor.add(Self.fence(), identifier: "fence", assuming: .satisfied)
    await bench.waitUntilRunning(0, 1)
    for _ in 0..<60 {
      bench.tick()
      try bench.emit(bench.fix(300), from: 1)
    }
    for second in 0..<3_600 { try emit(second: second, bench) }
    // The first source moves away for 4 km and is believed again.
    for metres in stride(from: 0.0, through: 4_000, by: 20) {
      bench.tick()
      try bench.emit(bench.fix(-metres, speed: 20), from: 0)
    }
    var events = monitor.events.makeAsyncIterator()
    let event = try #require(await events.next())
    #expect(event.state == .unsatisfied)
    let seconds = try #require(event.location?.timestamp.timeIntervalSince(CombinedBench.start))
    #expect(seconds > 3_660)
  }

  @Test(.longWork) func noVisitEndsAndNoChangeIsSignificant() async throws {
    let bench = try CombinedBench()
    let visits = bench.manager.visits
    let changes = bench.manager.significantLocationChanges
    await bench.waitUntilRunning(0, 1)
    for second in 0..<3_600 { try emit(second: second, bench) }
    await bench.manager.shutdown()
    var visitCount = 0
    for try await visit in visits {
      visitCount += 1
      #expect(visit.departure == nil)
    }
    #expect(visitCount == 1)
    var changeCount = 0
    for try await _ in changes { changeCount += 1 }
    #expect(changeCount == 1)
  }

  @Test(.longWork) func noLengthOfATrack() async throws {
    let bench = try CombinedBench()
    let updates = bench.manager.updates
    await bench.waitUntilRunning(0, 1)
    for second in 0..<3_600 { try emit(second: second, bench) }
    await bench.manager.shutdown()
    var (segmentation, statistics) = (TrackSegmentation(), TrackStatistics())
    var devices: Set<String?> = []
    for try await location in updates {
      devices.insert(location.device)
      statistics.add(segmentation.point(for: location))
    }
    #expect(devices == ["a", "b"])
    #expect(statistics.length == 0)
  }

  /// Two sources at rest, 40 m apart, take turns for an hour. While both have fixes, the difference
  /// is known; without that, the first switch counts as movement, and no later one.
  @Test(.longWork, arguments: [true, false])
  func smallDifferenceIsNoMovement(_ overlaps: Bool) async throws {
    let bench = try CombinedBench()
    let visits = bench.manager.visits
    let changes = bench.manager.significantLocationChanges
    let updates = bench.manager.updates
    let filtered = bench.manager.updates(UpdateOptions(distanceFilter: 20))
    await bench.waitUntilRunning(0, 1)
    for second in 0..<3_600 {
      bench.tick()
      if second % 150 < 60 { try bench.emit(bench.fix(0), from: 0) }
      if overlaps || (75..<135).contains(second % 150) { try bench.emit(bench.fix(40), from: 1) }
    }
    await bench.manager.shutdown()
    var (visitCount, changeCount, filteredCount) = (0, 0, 0)
    for try await visit in visits {
      visitCount += 1
      #expect(visit.departure == nil)
    }
    for try await _ in changes { changeCount += 1 }
    for try await _ in filtered { filteredCount += 1 }
    #expect(visitCount == 1)
    #expect(changeCount == 1)
    #expect(filteredCount == (overlaps ? 1 : 2))
    var (segmentation, statistics) = (TrackSegmentation(), TrackStatistics())
    var devices: Set<String?> = []
    for try await location in updates {
      devices.insert(location.device)
      statistics.add(segmentation.point(for: location))
    }
    #expect(devices == ["a", "b"])
    #expect(abs(statistics.length - (overlaps ? 0 : 40)) < 0.5)
  }

  @Test(.longWork) func distanceFilterDoesNotPass() async throws {
    let bench = try CombinedBench()
    let updates = bench.manager.updates(UpdateOptions(distanceFilter: 50))
    await bench.waitUntilRunning(0, 1)
    for second in 0..<3_600 { try emit(second: second, bench) }
    await bench.manager.shutdown()
    var count = 0
    for try await _ in updates { count += 1 }
    #expect(count == 1)
  }

  /// A vehicle at 30 m/s, one source fails for a while: its accuracy is what the sources claim.
  @Test(.longWork) func movementAddsNoDoubt() async throws {
    let bench = try CombinedBench()
    let updates = bench.manager.updates
    await bench.waitUntilRunning(0, 1)
    for second in 0..<400 {
      bench.tick()
      let place = Double(second) * 30
      if !(100..<120).contains(second) {
        if second > 200 || second < 100 { try bench.emit(bench.fix(place, speed: 30), from: 0) }
        if second >= 100 { try bench.emit(bench.fix(place, speed: 30), from: 1) }
      }
    }
    await bench.manager.shutdown()
    var devices: Set<String?> = []
    for try await location in updates {
      devices.insert(location.device)
      #expect(location.horizontalAccuracy == 5)
    }
    #expect(devices == ["a", "b"])
  }
}
