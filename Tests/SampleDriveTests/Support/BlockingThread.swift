import Foundation

/// Runs blocking work on a separate thread, so that no other test waits for it.
func onThread<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value
{
  try await withCheckedThrowingContinuation { continuation in
    Thread.detachNewThread { continuation.resume(with: Result { try work() }) }
  }
}
