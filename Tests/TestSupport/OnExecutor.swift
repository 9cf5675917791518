import Foundation
package import Testing

/// Runs tests on an executor other than the cooperative pool.
package struct OnExecutor: TestTrait, SuiteTrait, TestScoping {
  fileprivate let executor: any TaskExecutor

  package var isRecursive: Bool { true }

  package func provideScope(
    for test: Test, testCase: Test.Case?,
    performing function: @Sendable @concurrent () async throws -> Void
  ) async throws {
    try await withTaskExecutorPreference(executor) { try await function() }
  }
}

extension Trait where Self == OnExecutor {
  /// For a test without suspensions that computes for more than about 50 ms, or blocks: the
  /// cooperative pool would wait for it.
  package static var longWork: Self { OnExecutor(executor: LongWork.shared) }

  /// For tests of files that are written through to the disk, which may be slow. Not for tests that
  /// yield in a loop.
  package static var blocking: Self { OnExecutor(executor: ThreadPerJob.shared) }

  /// For a test with `#expect(processExitsWith:)`, which blocks a thread of its task's executor
  /// until the child ends: on two cores, two children would block the whole cooperative pool.
  package static var exitTest: Self { blocking }
}

/// Runs each job on a thread of its own.
private final class ThreadPerJob: TaskExecutor {
  static let shared = ThreadPerJob()

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    Thread.detachNewThread { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
