import Foundation
import Glibc

/// Computes on a thread of its own that gives way to all others: on the threads that tasks share, a
/// long computation would hold up every test that waits for something.
package func computing<Value: Sendable>(
  _ body: @escaping @Sendable () throws -> Value
) async throws -> Value {
  try await withCheckedThrowingContinuation { caller in
    let thread = Thread {
      // Of this thread alone, on Linux.
      setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
      caller.resume(with: Result { try body() })
    }
    thread.stackSize = 8 << 20
    thread.start()
  }
}
