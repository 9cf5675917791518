import AsyncLocation
import MockBackend
import TestSupport
import Testing

@Suite("O4 Last intent wins", .tags(.ordering), .inTurn)
struct O04LastIntentWinsTests {
  @Test func startStopStartLeavesTheBackendRunning() async throws {
    let backend = MockBackend()
    let manager = LocationManager(backend: backend)
    for _ in 0..<200 {
      _ = manager.updates  // Subscribes and unsubscribes at once.
    }
    let updates = manager.updates
    await manager.until { $0.subscribers == 1 }
    // The last run is not stopping: its events are delivered.
    var iterator = updates.makeAsyncIterator()
    let emitter = Task {
      while !Task.isCancelled {
        await backend.waitUntilRunning()
        try backend.emit(.location(fix(1)))
        await Task.yield()
      }
    }
    #expect(try await iterator.next() == fix(1))
    emitter.cancel()
    #expect(alternates(backend.calls))
  }

  @Test func theLastSubscriberStopsTheBackend() async throws {
    let backend = MockBackend()
    let manager = LocationManager(backend: backend)
    var first: LocationUpdates? = manager.updates(UpdateOptions())
    var second: LocationUpdates? = manager.updates(UpdateOptions())
    await backend.waitUntilRunning()
    first = nil
    #expect(backend.isRunning)
    second = nil
    await backend.waitUntilIdle()
    #expect(await manager.statistics.subscribers == 0)
    _ = (first, second)
  }

  @Test func manyTasksNeverOverlapRuns() async throws {
    let backend = MockBackend()
    let manager = LocationManager(backend: backend)
    do {
      // Permission is granted, so that each of the tasks below may start a run.
      let updates = manager.updates
      await backend.waitUntilRunning()
      _ = updates
    }
    await withTaskGroup { group in
      for _ in 0..<8 {
        group.addTask {
          for _ in 0..<50 {
            let task = Task { for try await _ in manager.updates {} }
            await Task.yield()
            task.cancel()
            _ = await task.result
          }
        }
      }
    }
    await manager.shutdown()
    #expect(!backend.isRunning)
    #expect(alternates(backend.calls))
    #expect(backend.calls.contains(.runEnded))
  }

  @Test func aChangeOfDemandIsApplied() async throws {
    let backend = MockBackend()
    let manager = LocationManager(backend: backend)
    let updates = manager.updates(UpdateOptions(desiredAccuracy: .hundredMeters))
    await backend.waitUntilRunning()
    var headings: HeadingUpdates? = manager.headings(HeadingOptions())
    await backend.waitForCall { call in
      if case .demandApplied(let demand) = call {
        demand.kinds == [.locations, .headings]
      } else {
        false
      }
    }
    headings = nil
    await backend.waitForCall { call in
      if case .demandApplied(let demand) = call { demand.kinds == .locations } else { false }
    }
    _ = (updates, headings)
  }

  /// Returns whether each run ended before the next one started, and no run was refused.
  private func alternates(_ calls: [MockBackend.Call]) -> Bool {
    var isRunning = false
    for call in calls {
      switch call {
      case .runStarted:
        if isRunning { return false }
        isRunning = true
      case .runEnded:
        if !isRunning { return false }
        isRunning = false
      case .runRefused: return false
      default: continue
      }
    }
    return true
  }
}
