import AsyncLocation
import CTransportShims
package import Dispatch
import Glibc
import Synchronization

/// The thread that serves all connections of a process: sockets through epoll, timers, submitted
/// closures and jobs of tasks. It sleeps while it has nothing to do, without periodic wake-ups.
package final class EventLoop: Transport {
  @safe private enum Work: Sendable {
    case call(@Sendable () -> Void)
    case job(UnownedJob, on: UnownedTaskExecutor)
  }

  private struct Lookup {
    let answer: (Result<[SocketAddress], TransportFailure>) -> Void
    /// Nil if the host needs no look-up.
    var request: NameResolver.RequestID?
  }

  /// The state that only the loop's thread accesses.
  private struct Core {
    var poller: Poller
    var timers = TimerHeap()
    var lookups: [LookupID: Lookup] = [:]
    var lastLookup: UInt64 = 0
    /// What receives the results of calls on other threads.
    var answers: [UInt64: () -> Void] = [:]
    var lastCall: UInt64 = 0
  }

  /// The ID of the loop's thread; 0 until the thread runs.
  private let thread = Atomic<UInt>(0)
  private let wakeDescriptor: Int32
  private let work = Locked([Work]())
  package let workspace = Workspace()
  // SAFETY: only the loop's thread accesses it: `run()` is that thread, and all other accesses go
  // through `withCore`, which traps on other threads. `init` sets it before the thread exists.
  @safe nonisolated(unsafe) private var core: Core

  /// Starts the thread, which runs until the process exits.
  private init() throws(TransportFailure) {
    let descriptors = try Poller.makeDescriptors().get()
    wakeDescriptor = descriptors.wake
    core = Core(
      poller: Poller(descriptor: descriptors.poll, wakeDescriptor: descriptors.wake))
    if let code = NamedThread.start("location-loop", { self.run() }) {
      throw .system(errno: code)
    }
  }

  private static let cached = Locked<EventLoop?>(nil)

  /// The process-wide loop, created on first use. If creation fails, the next call tries again.
  package static func shared() throws(TransportFailure) -> EventLoop {
    try cached.withLock { loop throws(TransportFailure) -> EventLoop in
      if let loop { return loop }
      let new = try EventLoop()
      loop = new
      return new
    }
  }

  package var isCurrent: Bool { thread.load(ordering: .relaxed) == UInt(pthread_self()) }

  package func submit(_ call: @escaping @Sendable () -> Void) { submit(.call(call)) }

  /// Runs a task's job on the loop's thread.
  package func submit(_ job: UnownedJob, on executor: UnownedTaskExecutor) {
    unsafe submit(.job(job, on: executor))
  }

  private func submit(_ item: Work) {
    let wasEmpty = work.withLock { work in
      defer { work.append(item) }
      return work.isEmpty
    }
    // The loop's own thread checks `work` before it sleeps.
    if wasEmpty, !isCurrent { eventfd_write(wakeDescriptor, 1) }
  }

  package func now() -> Duration {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }

  private func withCore<Result>(_ body: (inout Core) -> Result) -> Result {
    precondition(isCurrent, "called off the loop's thread")
    return body(&core)
  }

  /// The watched descriptors.
  var poller: Poller { withCore { $0.poller } }

  private func run() {
    thread.store(UInt(pthread_self()), ordering: .relaxed)
    let poller = core.poller
    var items: [Work] = []  // Swapped with `work`, so no array is reallocated.
    while true {
      work.withLock { swap(&$0, &items) }
      for item in items {
        switch item {
        case .call(let call): call()
        // SAFETY: each job is taken from `work` once, so it runs once.
        case .job(let job, let executor): unsafe job.runSynchronously(on: executor)
        }
      }
      items.removeAll(keepingCapacity: true)
      // By one instant, so that a timer that arms itself again does not starve the descriptors.
      let turn = now()
      while let action = core.timers.popDue(at: turn) { action() }
      poller.poll(timeout: pollTimeout())
    }
  }

  /// Milliseconds until the next timer is due, rounded up so that the loop does not wake too early;
  /// 0 if work was submitted, -1 without work and timers.
  private func pollTimeout() -> Int32 {
    guard work.withLock({ $0.isEmpty }) else { return 0 }
    guard let next = core.timers.next() else { return -1 }
    let (seconds, attoseconds) = (next - now()).components
    guard seconds >= 0, attoseconds >= 0 else { return 0 }
    // The result must fit into 32 bits; the loop waits again if it wakes too early.
    guard seconds < 1_000_000 else { return 1_000_000_000 }
    return Int32(seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
  }
}

extension EventLoop {
  package func arm(at instant: Duration, _ action: @escaping () -> Void) -> TimerID {
    withCore { $0.timers.insert(at: instant, action) }
  }

  package func postpone(_ timer: TimerID, to instant: Duration) {
    withCore { $0.timers.postpone(timer, to: instant) }
  }

  package func cancel(_ timer: TimerID) { withCore { $0.timers.cancel(timer) } }

  package func resolve(
    host: String, port: Int,
    _ answer: @escaping (Result<[SocketAddress], TransportFailure>) -> Void
  ) -> LookupID {
    let id = withCore { core in
      core.lastLookup += 1
      let id = LookupID(rawValue: core.lastLookup)
      core.lookups[id] = Lookup(answer: answer)
      return id
    }
    if let addresses = SocketAddress.known(host: host, port: port) {
      submit { self.finish(id, .success(addresses)) }
    } else {
      let request = NameResolver.shared.lookUp(host: host, port: port) { result in
        self.submit { self.finish(id, result) }
      }
      withCore { $0.lookups[id]?.request = request }
    }
    return id
  }

  package func cancel(_ lookup: LookupID) {
    let lookup = withCore { $0.lookups.removeValue(forKey: lookup) }
    if let request = lookup?.request { NameResolver.shared.cancel(request) }
  }

  private func finish(_ id: LookupID, _ result: Result<[SocketAddress], TransportFailure>) {
    let lookup = withCore { $0.lookups.removeValue(forKey: id) }
    lookup?.answer(result)
  }

  /// Makes a call that blocks on a queue, and passes its result to a closure on the loop's thread.
  package func call<Value: Sendable>(
    on queue: DispatchQueue, _ call: @escaping @Sendable () -> Value,
    answer: @escaping (Value) -> Void
  ) {
    let result = Locked<Value?>(nil)
    let id = withCore { core in
      core.lastCall += 1
      core.answers[core.lastCall] = { if let value = result.withLock(\.self) { answer(value) } }
      return core.lastCall
    }
    queue.async {
      let value = call()
      result.withLock { $0 = value }
      self.submit { self.withCore { $0.answers.removeValue(forKey: id) }?() }
    }
  }

  package func open(_ address: SocketAddress, handler: any ConnectionHandler) -> any Connection {
    SocketConnection(to: address, on: poller, handler: handler) { action in
      _ = self.arm(at: self.now(), action)
    }
  }
}
