import Glibc

/// Runs long computations on threads of their own with a low priority, one for each core, so that
/// time-dependent tests go first and no core is idle meanwhile.
///
/// The threads are not those of libdispatch: a pool that serves other tests cannot delay them.
package final class LongWork: TaskExecutor {
  package static let shared = LongWork(threads: max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))))

  private static let niceness: Int32 = 5

  private let jobs = Jobs()

  private init(threads: Int) {
    for _ in 0..<threads { Self.startThread { self.run() } }
  }

  package func enqueue(_ job: consuming ExecutorJob) { jobs.append(UnownedJob(job)) }

  private func run() {
    // On Linux this is the priority of the calling thread.
    _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, Self.niceness)
    while true { jobs.next().runSynchronously(on: asUnownedTaskExecutor()) }
  }

  private static func startThread(_ body: @escaping @Sendable () -> Void) {
    final class Start {
      let body: @Sendable () -> Void
      init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
    let start = Unmanaged.passRetained(Start(body))
    var thread = pthread_t()
    let status = pthread_create(
      &thread, nil,
      { start in
        guard let start else { return nil }
        Unmanaged<Start>.fromOpaque(start).takeRetainedValue().body()
        return nil
      }, start.toOpaque())
    precondition(status == 0, "no thread for long tests: errno \(status)")
    pthread_detach(thread)
  }
}

/// The jobs that wait for a thread, in the order of their arrival.
///
/// SAFETY: `waiting` is accessed only while `mutex` is locked. The object is never released.
private final class Jobs: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var waiting: [UnownedJob] = []

  init() {
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(condition, nil)
  }

  func append(_ job: UnownedJob) {
    pthread_mutex_lock(mutex)
    waiting.append(job)
    pthread_mutex_unlock(mutex)
    pthread_cond_signal(condition)
  }

  func next() -> UnownedJob {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while waiting.isEmpty { pthread_cond_wait(condition, mutex) }
    return waiting.removeFirst()
  }
}
