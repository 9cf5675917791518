#if THREAD_SANITIZER
  import Glibc

  /// The only lock type. This variant uses a pthread mutex, which ThreadSanitizer supports.
  @safe
  @usableFromInline
  package final class Locked<State>: Sendable {
    // SAFETY: `storage` and `lock` are allocated here, never escape, and `storage` is touched only
    // while `lock` is held.
    nonisolated(unsafe) private let storage: UnsafeMutablePointer<State>
    nonisolated(unsafe) private let lock: UnsafeMutablePointer<pthread_mutex_t>

    package init(_ state: sending State) {
      unsafe storage = .allocate(capacity: 1)
      unsafe storage.initialize(to: state)
      unsafe lock = .allocate(capacity: 1)
      let status = unsafe pthread_mutex_init(lock, nil)
      precondition(status == 0, "a mutex could not be created: \(status)")
    }

    deinit {
      unsafe storage.deinitialize(count: 1)
      unsafe storage.deallocate()
      unsafe pthread_mutex_destroy(lock)
      unsafe lock.deallocate()
    }

    @usableFromInline
    package func withLock<Result, Failure: Error>(
      _ body: (inout sending State) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
      unsafe pthread_mutex_lock(lock)
      defer { unsafe pthread_mutex_unlock(lock) }
      return try unsafe body(&storage.pointee)
    }
  }
#else
  public import Synchronization

  /// The only lock type. While it is held, no user code runs and no continuation is resumed.
  ///
  /// Optimized code releases a value after its last use. If the last use is in `body`, the lock is
  /// still held. A result that is returned only to be released later is therefore used once more,
  /// by `withExtendedLifetime`.
  @usableFromInline
  package final class Locked<State>: Sendable {
    @usableFromInline let mutex: Mutex<State>

    package init(_ state: consuming sending State) {
      mutex = Mutex(state)
    }

    @inlinable
    package func withLock<Result, Failure: Error>(
      _ body: (inout sending State) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
      #if DEBUG
        LockWatch.willAcquire()
        defer { LockWatch.didRelease() }
      #endif
      return try mutex.withLock(body)
    }
  }
#endif
