import Glibc

/// The number of repetitions of a test that depends on threads.
package enum Rounds {
  /// Returns the count; a tenth of it under ThreadSanitizer, which is slow and detects a race even
  /// if it has no effect.
  package static func of(_ count: Int) -> Int {
    #if THREAD_SANITIZER
      max(1, count / 10)
    #else
      count
    #endif
  }

  /// Returns the number in an environment variable, for long runs; without it, as ``of(_:)``.
  package static func environment(_ name: String, otherwise count: Int) -> Int {
    getenv(name).flatMap { Int(String(cString: $0)) } ?? of(count)
  }
}
