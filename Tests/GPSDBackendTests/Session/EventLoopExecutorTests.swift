import AsyncLocation
import TestSupport
import Testing

@testable import GPSDBackend
@testable import LocationTransport

/// Runs tasks on the event loop's thread.
@Suite(.inTurn) struct EventLoopExecutorTests {
  private static func isOnLoop() -> Bool {
    guard let loop = try? EventLoop.shared() else { return false }
    return loop.isCurrent
  }

  private static func server(_ fixes: ClosedRange<Int>) -> FakeGPSD {
    let lines = fixes.map { FakeGPSD.fix($0) }.joined()
    return FakeGPSD([.awaitLine, .send(FakeGPSD.banner + FakeGPSD.watching + lines), .hold])
  }

  @Test func anUpdateLoopRunsOnTheEventLoop() async throws {
    let server = Self.server(1...40)
    let manager = LocationManager(backend: GPSDBackend(.local(server.port)))
    let updates = manager.updates(UpdateOptions())
    let reader = Task(executorPreference: GPSDBackend.taskExecutor) { () throws -> [Bool] in
      var checks: [Bool] = []
      for try await location in updates {
        checks.append(Self.isOnLoop() && location.latitude == 60.25)
        if checks.count == 40 { break }
      }
      return checks
    }
    #expect(try await reader.value == Array(repeating: true, count: 40))
    await manager.shutdown()
  }

  @Test func allTasksRunOnTheEventLoop() async {
    let tasksOnLoop = await withTaskGroup(of: Int.self) { group in
      for _ in 0..<1000 {
        group.addTask(executorPreference: GPSDBackend.taskExecutor) {
          await Task.yield()
          return Self.isOnLoop() ? 1 : 0
        }
      }
      return await group.reduce(0, +)
    }
    #expect(tasksOnLoop == 1000)
  }

  @Test func aBusyTaskDoesNotStarveConnections() async throws {
    let busyTask = Task(executorPreference: GPSDBackend.taskExecutor) {
      while !Task.isCancelled { await Task.yield() }
    }
    let server = Self.server(1...3)
    let run = BackendRun(GPSDBackend(.local(server.port)))
    #expect(await run.nextLocation() != nil)
    await run.finish()
    busyTask.cancel()
    await busyTask.value
  }

  @Test func cancellingEndsALoopOnTheExecutor() async throws {
    let server = Self.server(1...1)
    let manager = LocationManager(backend: GPSDBackend(.local(server.port)))
    let updates = manager.updates(UpdateOptions())
    let (arrivals, continuation) = AsyncStream.makeStream(of: Void.self)
    let reader = Task(executorPreference: GPSDBackend.taskExecutor) { () throws -> Int in
      var count = 0
      for try await _ in updates {
        count += 1
        continuation.yield()
      }
      return count
    }
    for await _ in arrivals { break }
    reader.cancel()
    #expect(try await reader.value == 1)
    await manager.shutdown()
  }
}
