import Foundation

/// Runs work that blocks on a thread of its own. The threads of `DispatchQueue.global()` are those
/// of the cooperative pool, for which other tests wait.
package func onThread<Value: Sendable>(
  _ work: @escaping @Sendable () throws -> Value
) async throws -> Value {
  try await withCheckedThrowingContinuation { continuation in
    Thread.detachNewThread { continuation.resume(with: Result { try work() }) }
  }
}

/// Runs work that blocks on a thread of its own.
package func onThread<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
  await withCheckedContinuation { continuation in
    Thread.detachNewThread { continuation.resume(returning: work()) }
  }
}
