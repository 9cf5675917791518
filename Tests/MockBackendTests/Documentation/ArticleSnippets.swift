import AsyncLocation
import FoundationEssentials
import MockBackend
import TestSupport
import Testing

/// The code of the articles.
@Suite(.inTurn) @MainActor
struct ArticleSnippets {
  @Test func script() async throws {
    let clock = ManualClock()
    let backend = try MockBackend(
      script: [
        .location(latitude: 60.17, longitude: 24.94),
        .wait(.seconds(5)),
        .location(latitude: 60.18, longitude: 24.95),
        .end,
      ],
      clock: clock)
    let manager = LocationManager(backend: backend, clock: clock)
    let latitudes = Task {
      var latitudes: [Double] = []
      for try await location in manager.updates { latitudes.append(location.latitude) }
      return latitudes
    }
    await clock.waitForSleepers()
    clock.advance(by: .seconds(5))
    #expect(try await latitudes.value == [60.17, 60.18])
  }

  @Test func aWaitWithoutAClock() {
    let error = #expect(throws: LocationError.self) {
      try MockBackend(script: [.wait(.seconds(5)), .end])
    }
    #expect(error?.code == .invalidValue)
  }

  @Test func deadline() async {
    let clock = ManualClock()
    let manager = LocationManager(backend: MockBackend(), clock: clock)
    let caller = Task { try await manager.currentLocation(timeout: .seconds(30)) }
    await clock.waitForSleepers()
    clock.advance(by: .seconds(30))
    await #expect(throws: LocationError.self) { try await caller.value }
  }

  @Test func ticker() async throws {
    let clock = ManualClock()
    let ticker = Task {
      var ticks = 0
      while ticks < 10 {
        try await clock.sleep(for: .seconds(1))
        ticks += 1
      }
      return ticks
    }
    await clock.step(10)
    #expect(try await ticker.value == 10)
  }

  @Test func gate() async throws {
    let gate = MockGate()
    let backend = try MockBackend(script: [
      .wait(for: gate), .location(latitude: 60.17, longitude: 24.94), .checkpoint("located"),
    ])
    let manager = LocationManager(backend: backend)
    let updates = manager.updates
    gate.open()
    try await backend.waitForCheckpoint("located")
    #expect(await manager.location?.latitude == 60.17)
    _ = updates
  }

  @Test func byHand() async throws {
    let backend = MockBackend()
    let manager = LocationManager(backend: backend)
    let updates = manager.updates
    await backend.waitUntilRunning()
    try backend.emit(.location(Location(latitude: 1, longitude: 2)))
    try backend.end()
    for try await location in updates { #expect(location.latitude == 1) }
  }

  @Test func fullQueue() throws {
    let backend = MockBackend()
    let location = try Location(latitude: 1, longitude: 2)
    for _ in 0..<MockBackend.queueLimit { try backend.emit(.location(location)) }
    #expect(throws: LocationError.self) { try backend.emit(.location(location)) }
  }

  @Test func unused() async {
    let manager = LocationManager(backend: MockBackend.failing { Issue.record("\($0)") })
    await manager.shutdown()
  }

  @Test func supplied() async throws {
    let harbour = try Location(latitude: 60.16, longitude: 24.96)
    var backend = MockBackend.failing { Issue.record("\($0)") }
    backend[.location] = .allowed
    backend[.requestAlwaysAuthorization] = .answer(.authorizedAlways)
    backend[.updates] = .locations(harbour, ends: true)
    let manager = LocationManager(backend: backend)
    #expect(try await manager.requestAlwaysAuthorization().status == .authorizedAlways)
    for try await location in manager.updates { #expect(location.latitude == 60.16) }
    #expect(backend.endpoints == [.requestAlwaysAuthorization, .updates])
  }

  @Test func settling() async throws {
    let backend = MockBackend()
    let manager = LocationManager(backend: backend)
    let tracker = Tracker()
    let loop = Task { try await tracker.follow(manager) }
    await backend.waitForReaders(of: .updates)
    for latitude in [60.16, 60.17, 60.18] {
      try backend.emit(.location(Location(latitude: latitude, longitude: 24.96)))
      try await backend.settle()
      #expect(await tracker.latitudes.last == latitude)
    }
    loop.cancel()
    try await loop.value
    try await backend.settle()
    #expect(backend.unfinishedWork.isEmpty)
  }

  @Test func settlingOnAClock() async throws {
    let clock = ManualClock()
    let backend = try MockBackend(
      script: [
        .location(latitude: 60.16, longitude: 24.96),
        .wait(.seconds(5)),
        .location(latitude: 60.17, longitude: 24.96),
      ],
      clock: clock)
    let manager = LocationManager(backend: backend, clock: clock)
    let tracker = Tracker()
    let loop = Task.immediate { try await tracker.follow(manager) }
    await backend.waitForReaders(of: .updates)
    try await backend.settle()
    #expect(await tracker.latitudes == [60.16])
    clock.advance(by: .seconds(5))
    try await backend.settle()
    #expect(await tracker.latitudes == [60.16, 60.17])
    loop.cancel()
  }

  @Test func logged() async throws {
    let backend = MockBackend()
    let manager = LocationManager(backend: backend)
    let stream = manager.updates
    await backend.waitUntilRunning()
    #expect(
      backend.calls == [
        .endpoint(.updates), .authorizationRequested(.whenInUse),
        .runStarted(BackendDemand(kinds: .locations)),
      ])
    #expect(backend.endpoints == [.updates])
    withExtendedLifetime(stream) {}
  }

  @Test func used() async throws {
    try await confirmation { wasRun in
      var backend = MockBackend.failing({ _ in wasRun() }, authorize: { _ in .authorizedWhenInUse })
      backend[.updates] = .allowed
      let manager = LocationManager(backend: backend)
      for try await _ in manager.updates {}
    }
  }

  @Test func drivesAFailingBackend() async throws {
    let harbour = try Location(latitude: 60.16, longitude: 24.96)
    var backend = MockBackend.failing { Issue.record("\($0)") }
    backend[.requestWhenInUseAuthorization] = .later
    backend[.updates] = .events()
    let manager = LocationManager(backend: backend, clock: ManualClock())
    let asking = Task { try await manager.requestWhenInUseAuthorization() }
    await backend.waitForCall(.authorizationRequested(.whenInUse))
    backend.answerAuthorization(.authorizedWhenInUse)
    #expect(try await asking.value.isAuthorized)
    let tracker = Tracker()
    let loop = Task { try await tracker.follow(manager) }
    await backend.waitForReaders(of: .updates)
    try backend.emit(.location(harbour))
    try await backend.settle()
    #expect(await tracker.latitudes == [60.16])
    loop.cancel()
    try await loop.value
    try await backend.settleAndCheck()
  }

  @Test func replay() async throws {
    let start = Date(timeIntervalSince1970: 1_780_000_000)
    let recordedLocations = try [
      Location(latitude: 60.17, longitude: 24.94, timestamp: start),
      Location(latitude: 60.18, longitude: 24.95, timestamp: start + 10),
    ]
    let clock = ManualClock()
    let backend = try MockBackend.replay(
      TimedEvent.track(recordedLocations), rate: 10, clock: clock)
    let manager = LocationManager(backend: backend, clock: clock)
    let length = Task {
      var count = 0
      for try await _ in manager.updates { count += 1 }
      return count
    }
    await clock.waitForSleepers()
    clock.advance(by: .seconds(1))
    #expect(try await length.value == 2)
  }

  @Test func controlsAReplay() throws {
    let backend = try MockBackend.replay(
      TimedEvent.track(try (0..<10).map(location)), clock: ManualClock())
    backend.pause()
    backend.seek(to: .seconds(5))
    try backend.setRate(2)
    backend.resume()
    #expect(backend.position == .seconds(5))
  }

  @Test func keepsTheProtocol() async throws {
    let conformance = BackendConformance {
      let backend = MockBackend()
      return BackendConformance.Subject(backend) { listeners in
        if listeners > 0 { await backend.waitUntilRunning() }
        try backend.emit(.location(nextLocation()))
      }
    }
    for violation in try await conformance.violations() { Issue.record("\(violation)") }
  }
}

private let seconds = Locked(1_780_000_000.0)

/// Returns a location one second after the previous one.
private func nextLocation() throws -> Location {
  let second = seconds.withLock { seconds in
    seconds += 1
    return seconds
  }
  return try Location(
    latitude: 60.17, longitude: 24.94, timestamp: Date(timeIntervalSince1970: second))
}
