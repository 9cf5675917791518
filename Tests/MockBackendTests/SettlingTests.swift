import AsyncLocation
import FoundationEssentials
import TestSupport
import Testing

@testable import MockBackend

@Suite(.inTurn)
struct SettlingTests {
  /// When `settle()` returns, every loop has handled all emitted elements, on whatever thread it
  /// runs.
  @Test func settlingWaitsForEveryLoop() async throws {
    let rounds = Rounds.of(1_000)
    let backend = MockBackend()
    let manager = LocationManager(
      backend: backend, configuration: .init(buffering: .newest(1_024)))
    let seen = Locked<[Int]>([0, 0, 0, 0, 0, 0])
    let loops = [
      Task { for try await _ in manager.updates { await note(seen, 0) } },
      Task { for try await _ in manager.updates { await note(seen, 1) } },
      Task { for try await _ in manager.updates(UpdateOptions()) { await note(seen, 2) } },
      Task {
        for await update in manager.liveUpdates where update.location != nil { await note(seen, 3) }
      },
      Task { for try await batch in manager.batches() { for _ in batch { await note(seen, 4) } } },
      // The loop's body calls the manager.
      Task {
        for try await _ in manager.updates {
          _ = await manager.location
          _ = try await manager.currentLocation(timeout: .zero)
          _ = try await manager.requestWhenInUseAuthorization()
          await note(seen, 5)
        }
      },
    ]
    await backend.waitForReaders(of: .updates, count: 4)
    await backend.waitForReaders(of: .liveUpdates)
    await backend.waitForReaders(of: .batches)
    var emitted = 0
    for round in 0..<rounds {
      let events = try (0...(round % 3)).map { try event(emitted + $0) }
      emitted += events.count
      try backend.emit(events)
      try await backend.settle()
      let counts = seen.withLock { $0 }
      try #require(counts == Array(repeating: emitted, count: 6), "round \(round)")
    }
    await manager.shutdown()
    for loop in loops { try await loop.value }
    try await backend.settle()
    #expect(backend.unfinishedWork.isEmpty)
  }

  /// A location causes work in the monitor's own loop, in its storage and in the loop over its
  /// events.
  @Test func settlingWaitsForTheEventsOfAMonitor() async throws {
    for _ in 0..<50 {
      let backend = MockBackend()
      let manager = LocationManager(backend: backend)
      let monitor = try await Monitor("gates", manager: manager)
      try await monitor.add(
        .circle(center: Coordinate(latitude: 60, longitude: 25), radius: 50_000),
        identifier: "town")
      let states = Locked<[Monitor.State]>([])
      let loop = Task {
        for await event in monitor.events {
          await Task.yield()
          states.withLock { $0.append(event.state) }
        }
      }
      await backend.waitForReaders(of: .monitor)
      try backend.emit(event(1))
      try await backend.settle()
      try #require(states.withLock { $0 } == [.satisfied])
      await manager.shutdown()
      await loop.value
    }
  }

  /// A task of the manager reads the events of regions.
  @Test func settlingWaitsForTheEventsOfRegions() async throws {
    for _ in 0..<50 {
      let backend = MockBackend()
      let manager = LocationManager(backend: backend)
      let events = Locked<[RegionEvent]>([])
      let loop = Task.immediate {
        for await event in manager.regionEvents { events.withLock { $0.append(event) } }
      }
      let region = Region.circular(
        CircularRegion(
          center: try Coordinate(latitude: 60, longitude: 25), radius: 50_000, identifier: "town"))
      try await manager.startMonitoring(for: region)
      await manager.requestState(for: region)
      try backend.emit(event(1))
      try await backend.settle()
      try #require(
        events.withLock { $0 } == [
          .didStartMonitoring(region), .didDetermineState(.inside, region),
        ])
      await manager.shutdown()
      await loop.value
      try await backend.settle()
      try #require(backend.unfinishedWork.isEmpty)
    }
  }

  @Test func settlingWaitsForSharedStreams() async throws {
    let backend = MockBackend()
    let manager = LocationManager(backend: backend)
    let shared = manager.updates(UpdateOptions(buffering: .newest(1_024)))
    let seen = Locked<[Int]>([0])
    let loops = (0..<3).map { _ in
      Task { for try await _ in shared { await note(seen, 0) } }
    }
    await backend.waitForReaders(of: .updates, count: 3)
    var emitted = 0
    for round in 1...300 {
      for _ in 0..<(round % 4) {
        emitted += 1
        try backend.emit(event(emitted))
      }
      try await backend.settle()
      try #require(seen.withLock { $0 } == [emitted], "round \(round)")
    }
    await manager.shutdown()
    for loop in loops { try await loop.value }
  }

  @Test func aCancelledWaitForReadersReturns() async {
    let backend = MockBackend()
    let wait = Task.immediate { await backend.waitForReaders(of: .visits) }
    wait.cancel()
    await wait.value
  }

  @Test func settlingReturnsWhileALoopWaitsForTheTest() async throws {
    let clock = ManualClock()
    let backend = MockBackend(authorization: .asking)
    let manager = LocationManager(backend: backend, clock: clock)
    let gate = MockGate()
    let steps = Journal<String>()
    let loop = Task.immediate {
      for try await _ in manager.updates {
        steps.append("sleeps")
        try await clock.sleep(for: .seconds(5))
        steps.append("waits")
        await gate.wait()
        steps.append("asks")
        _ = try await manager.currentLocation()
        steps.append("handled")
      }
    }
    try await backend.settle()
    #expect(backend.pendingAuthorizationRequests == [.whenInUse])
    backend.answerAuthorization(.authorizedWhenInUse)
    try await backend.settle()
    #expect(backend.isRunning)
    try backend.emit(event(1))
    try await backend.settle()
    #expect(steps.entries == ["sleeps"])
    clock.advance(by: .seconds(5))
    try await backend.settle()
    #expect(steps.entries == ["sleeps", "waits"])
    gate.open()
    try await backend.settle()
    #expect(steps.entries == ["sleeps", "waits", "asks"])
    #expect(
      "\(backend.unfinishedWork)"
        == "currentLocation: 1 waiting call; updates: 1 open stream; the backend runs")
    try backend.emit(event(2))
    try await backend.settle()
    #expect(steps.entries.suffix(2) == ["handled", "sleeps"])
    loop.cancel()
    _ = await loop.result
    try await backend.settle()
    #expect(backend.unfinishedWork.isEmpty)
  }

  @Test func aScriptSettlesAtItsWaits() async throws {
    let clock = ManualClock()
    let gate = MockGate()
    let backend = MockBackend(
      script: [
        .emit(try event(1)), .wait(.seconds(1)), .emit(try event(2)), .wait(for: gate),
        .emit(try event(3)), .end,
      ], clock: clock)
    let manager = LocationManager(backend: backend, clock: clock)
    let count = Locked(0)
    let loop = Task.immediate {
      for try await _ in manager.updates { count.withLock { $0 += 1 } }
    }
    try await backend.settle()
    #expect(count.withLock { $0 } == 1)
    #expect(clock.sleeperCount == 1)
    clock.advance(by: .seconds(1))
    try await backend.settle()
    #expect(count.withLock { $0 } == 2)
    gate.open()
    try await backend.settle()
    #expect(count.withLock { $0 } == 3)
    #expect(!backend.isRunning)
    try await loop.value
  }

  @Test func settlingWaitsUntilADeadlineIsSet() async throws {
    let clock = ManualClock()
    let backend = MockBackend()
    let manager = LocationManager(backend: backend, clock: clock)
    let call = Task { try await manager.currentLocation(timeout: .seconds(3)) }
    await backend.waitForCall(.endpoint(.currentLocation))
    try await backend.settle()
    #expect(clock.sleeperCount == 1)
    #expect(backend.unfinishedWork.waitingCalls == [.currentLocation: 1])
    clock.advance(by: .seconds(3))
    await #expect(throws: LocationError.self) { try await call.value }
    try await backend.settle()
    #expect(backend.unfinishedWork.isEmpty)
  }

  /// Uses of a manager that wait in real time, after which nothing else is in progress.
  static let waits: [(LocationManager.Endpoint, @Sendable (LocationManager) async throws -> Void)] =
    [
      (.currentLocation, { _ = try await $0.currentLocation() }),
      (.nextLocation, { _ = try await $0.nextLocation() }),
      (.requestLocation, { $0.requestLocation() }),
      (
        .allowDeferredLocationUpdates,
        {
          $0.startUpdatingLocation()
          $0.allowDeferredLocationUpdates(untilTraveled: .infinity, timeout: .seconds(60))
        }
      ),
      (
        .monitor,
        { manager in
          let monitor = try await Monitor("gates", manager: manager)
          let sale = try Condition.Circle(
            center: Coordinate(latitude: 60, longitude: 25), radius: 50)
          try await monitor.add(
            Condition(.circle(sale), expiry: Date(timeIntervalSinceNow: 3_600)), identifier: "sale")
          for await _ in monitor.events {}
        }
      ),
    ]

  @Test(arguments: waits.indices)
  func settlingThrowsForAWaitInRealTime(_ index: Int) async throws {
    let (endpoint, wait) = Self.waits[index]
    let backend = MockBackend()
    // System clock: the test ends long before a deadline.
    let manager = LocationManager(backend: backend, clock: .continuous)
    let waiting = Task { try await wait(manager) }
    await backend.waitUntilRunning()
    if endpoint == .monitor { await backend.waitForReaders(of: endpoint) }
    // These calls return at once, and the last one may not have been made yet.
    if [.requestLocation, .allowDeferredLocationUpdates].contains(endpoint) {
      _ = await waiting.result
    }
    let error = await #expect(throws: LocationError.self) { try await backend.settle() }
    #expect(error?.code == .unsupported)
    #expect(error?.message.contains("'\(endpoint)' waits on a clock") == true, "\(error as Any)")
    await manager.shutdown()
    waiting.cancel()
    _ = await waiting.result
    try await backend.settle()
  }

  @Test func settlingIgnoresTheDeadlineOfAnAnsweredCall() async throws {
    for round in 1...Rounds.of(200) {
      let backend = MockBackend()
      // System clock: the test ends long before a deadline.
      let manager = LocationManager(backend: backend, clock: .continuous)
      let call = Task.immediate { try await manager.currentLocation() }
      await backend.waitUntilRunning()
      try backend.emit(event(round))
      try await backend.settle()
      try #require(backend.unfinishedWork.isEmpty, "round \(round)")
      _ = try await call.value
    }
  }

  @Test func settlingIgnoresTheCallersOwnStream() async throws {
    let backend = MockBackend()
    let manager = LocationManager(backend: backend)
    var iterator = manager.updates(UpdateOptions()).makeAsyncIterator()
    try backend.emit(event(1), event(2), event(3))
    #expect(try await iterator.next() != nil)
    try await backend.settle()
    #expect(backend.unfinishedWork.unreadElements == [.updates: 2])
    #expect(
      "\(backend.unfinishedWork)"
        == "updates: 1 open stream with 2 unread elements; the backend runs")
    #expect(try await iterator.next() != nil)
  }

  @Test func settlingWaitsForAStoppedRun() async throws {
    let backend = MockBackend()
    let manager = LocationManager(backend: backend)
    for _ in 0..<Rounds.of(200) {
      let loop = Task.immediate { for try await _ in manager.updates {} }
      try await backend.settle()
      try #require(backend.isRunning)
      loop.cancel()
      try await backend.settle()
      try #require(!backend.isRunning)
      try #require(backend.unfinishedWork.isEmpty)
    }
  }

  /// A run ends by itself. When `settle()` returns, its streams have ended, and their readers have
  /// reached the end.
  @Test func settlingWaitsForAnEndedRun() async throws {
    for round in 0..<400 {
      let backend = MockBackend()
      let manager = LocationManager(backend: backend)
      let shared = manager.updates(UpdateOptions())
      let loops = (0..<3).map { _ in Task { for try await _ in shared {} } }
      await backend.waitForReaders(of: .updates, count: 3)
      await backend.waitUntilRunning()
      try backend.emit(event(1))
      try backend.end()
      try await backend.settle()
      try #require(!backend.isRunning, "round \(round)")
      try #require(
        backend.unfinishedWork.isEmpty, "round \(round): \(backend.unfinishedWork)")
      for loop in loops { try await loop.value }
    }
  }

  @Test func settlingWaitsForARefusal() async throws {
    for _ in 0..<100 {
      let backend = MockBackend()
      let manager = LocationManager(backend: backend)
      let failed = Locked(false)
      let loop = Task {
        do { for try await _ in manager.updates {} } catch { failed.withLock { $0 = true } }
      }
      await backend.waitForReaders(of: .updates)
      backend.setAuthorization(.denied)
      await loop.value
      try await backend.settle()
      try #require(failed.withLock { $0 })
      try #require(backend.unfinishedWork.isEmpty)
    }
  }

  @Test func settlingThrowsWithoutAManager() async throws {
    let error = await #expect(throws: LocationError.self) { try await MockBackend().settle() }
    #expect(error?.code == .unsupported)
    #expect(error?.message.contains("No LocationManager") == true)
  }

  @Test func cancelledWaitNamesTheBusyLoop() async throws {
    let backend = MockBackend()
    let manager = LocationManager(backend: backend)
    let (stream, source) = AsyncStream<Void>.makeStream()
    let loop = Task.immediate {
      for try await _ in manager.updates { for await _ in stream { break } }
    }
    await backend.waitUntilRunning()
    try backend.emit(event(1))
    var error: LocationError?
    // Until the manager has finished its own work, the message names the manager.
    repeat {
      let wait = Task.immediate { try await backend.settle() }
      wait.cancel()
      error = await #expect(throws: LocationError.self) { try await wait.value }
      #expect(error?.code == .timedOut)
    } while error?.message.contains("the manager") == true
    #expect(error?.message == "settle() was cancelled while the loop over 'updates' was busy.")
    source.yield()
    try await backend.settle()
    loop.cancel()
  }

  @Test func eventsWithoutARunAreUndelivered() async throws {
    let backend = MockBackend()
    let manager = LocationManager(backend: backend)
    try backend.emit(event(1))
    try backend.end()
    try await backend.settle()
    #expect(backend.unfinishedWork == .init(undeliveredCalls: 2))
    #expect("\(backend.unfinishedWork)" == "2 calls of emit, fail or end without a run")
    withExtendedLifetime(manager) {}
  }
}

/// Counts an element after a suspension.
private func note(_ counts: Locked<[Int]>, _ index: Int) async {
  await Task.yield()
  counts.withLock { $0[index] += 1 }
}
