import FaultInjection
import Glibc
package import Testing

/// Returns the calls that may block and ran on threads of the cooperative pool during a body.
///
/// The calls of all tasks in the process count, so the test must be an exit test. Files that the
/// body needs must exist before the call.
package func callsOnThePool(
  during body: @escaping @Sendable () async throws -> Void
) async throws -> [String] {
  pool_calls_watch(1)
  defer { pool_calls_watch(0) }
  try await Task.detached { try await body() }.value
  return (0...).lazy.map(pool_call).prefix { $0 != nil }.map { String(cString: $0!) }
}

/// Ends an exit test without the handlers of `exit(3)`, which free memory that a C library's thread
/// may still use.
package func exitAtOnce() -> Never { _exit(EXIT_SUCCESS) }

extension Trait where Self == ConditionTrait {
  /// For tests with ``callsOnThePool(during:)``: a sanitizer's build cannot record the calls.
  package static var recordsPoolCalls: Self {
    .enabled("This build cannot record calls.") { pool_calls_watch(0) != 0 }
  }
}
