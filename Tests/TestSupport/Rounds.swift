/// How often a test repeats what depends on threads.
package enum Rounds {
  /// A tenth under ThreadSanitizer, which is slow and sees a race without its effect.
  package static func of(_ count: Int) -> Int {
    #if THREAD_SANITIZER
      max(1, count / 10)
    #else
      count
    #endif
  }
}
