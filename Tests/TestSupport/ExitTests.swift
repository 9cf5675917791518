import Foundation
package import Testing

/// Runs each job on a thread of its own.
private final class ThreadPerJob: TaskExecutor {
  static let shared = ThreadPerJob()

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    Thread.detachNewThread { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}

/// Runs a test on threads that may block.
package struct OnThreads: TestTrait, TestScoping {
  package func provideScope(
    for test: Test, testCase: Test.Case?,
    performing function: @Sendable @concurrent () async throws -> Void
  ) async throws {
    try await withTaskExecutorPreference(ThreadPerJob.shared) { try await function() }
  }
}

extension Trait where Self == OnThreads {
  /// For a test with `#expect(processExitsWith:)`, which blocks a thread of its task's executor until
  /// the child ends: two children would hold the cooperative pool of two cores.
  package static var exitTest: Self { OnThreads() }
}
