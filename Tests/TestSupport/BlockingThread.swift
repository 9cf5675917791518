import Foundation

/// Runs blocking work on a thread of its own. The threads of `DispatchQueue.global()` are also
/// those of the cooperative pool: other tests would wait for them.
package func onThread<Value: Sendable, Failure>(
  _ work: @escaping @Sendable () throws(Failure) -> Value
) async throws(Failure) -> Value {
  let result = await withCheckedContinuation { caller in
    Thread.detachNewThread { caller.resume(returning: Result(catching: work)) }
  }
  return try result.get()
}
