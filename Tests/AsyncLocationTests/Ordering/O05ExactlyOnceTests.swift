import AsyncLocation
import MockBackend
import TestSupport
import Testing

@Suite("O5 Exactly once", .tags(.ordering, .cancellation), .inTurn)
struct O05ExactlyOnceTests {
  @Test func cancellingOneCallerAffectsNoOther() async throws {
    let backend = MockBackend()
    let manager = LocationManager(backend: backend)
    let callers = (0..<10).map { _ in Task.immediate { try await manager.currentLocation() } }
    await backend.waitUntilRunning()
    for index in stride(from: 0, to: 10, by: 2) { callers[index].cancel() }
    for index in stride(from: 0, to: 10, by: 2) {
      await #expect(throws: CancellationError.self) { try await callers[index].value }
    }
    try backend.emit(.location(fix(1)))
    for index in stride(from: 1, to: 10, by: 2) {
      #expect(try await callers[index].value == fix(1))
    }
    #expect(backend.runCount == 1)
    await backend.waitUntilIdle()
  }

  @Test func aCallerGetsOneResultInARaceOfAnswerAndCancel() async throws {
    for round in 0..<300 {
      let clock = ManualClock()
      let backend = MockBackend(clock: clock)
      let manager = LocationManager(backend: backend, clock: clock)
      let caller = Task { try await manager.currentLocation(timeout: .seconds(1)) }
      await backend.waitUntilRunning()
      try await withThrowingTaskGroup { group in
        group.addTask { try backend.emit(.location(fix(round))) }
        group.addTask { caller.cancel() }
        group.addTask { clock.advance(by: .seconds(1)) }
        try await group.waitForAll()
      }
      switch await caller.result {
      case .success(let location): #expect(location == fix(round))
      case .failure(let error as LocationError): #expect(error.code == .timedOut)
      case .failure(let error): #expect(error is CancellationError)
      }
      await manager.shutdown()
    }
  }

  @Test func aCancelledTaskStartsNoRun() async throws {
    let backend = MockBackend()
    let manager = LocationManager(backend: backend)
    let caller = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await manager.currentLocation()
    }
    await #expect(throws: CancellationError.self) { try await caller.value }
    #expect(backend.backendCalls.isEmpty)
  }

  @Test func shutdownAnswersEveryCaller() async throws {
    let backend = MockBackend(authorization: .asking)
    let manager = LocationManager(backend: backend)
    let location = Task.immediate { try await manager.currentLocation() }
    let permission = Task.immediate { try await manager.requestAlwaysAuthorization() }
    await backend.waitForCall { if case .authorizationRequested = $0 { true } else { false } }
    await manager.shutdown()
    let errors = [await location.result.failure, await permission.result.failure]
    #expect(errors.allSatisfy { ($0 as? LocationError)?.code == .shutDown })
    await #expect(throws: LocationError.self) { try await manager.currentLocation() }
    await #expect(throws: LocationError.self) {
      try await manager.requestWhenInUseAuthorization()
    }
  }

  @Test func aCancelledLoopEndsWithoutAnError() async throws {
    let backend = MockBackend()
    let manager = LocationManager(backend: backend)
    let loops = [
      Task { for try await _ in manager.updates {} },
      Task { for try await _ in manager.updates(UpdateOptions()) {} },
      Task { for try await _ in manager.headings {} },
      Task { for await _ in manager.liveUpdates {} },
      Task { for try await _ in manager.satellites {} },
      Task { for await _ in manager.connectionStates {} },
      Task { for await _ in manager.authorizationUpdates {} },
    ]
    await manager.until { $0.subscribers == loops.count }
    for loop in loops { loop.cancel() }
    for loop in loops { try await loop.value }
    await backend.waitUntilIdle()
    #expect(await manager.statistics.subscribers == 0)
  }
}

extension Result {
  var failure: Failure? {
    switch self {
    case .success: nil
    case .failure(let error): error
    }
  }
}
