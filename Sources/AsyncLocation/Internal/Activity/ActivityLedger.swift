/// Tracks the work in progress of a manager and of a test kit's backend, and notifies waiting tests
/// when all work is at rest.
///
/// Code that causes further work counts that work before its own work ends, so the count never
/// reaches zero in between. For example, an event that wakes a task marks the task as busy before
/// the task runs.
package final class ActivityLedger: Sendable {
  package typealias Endpoint = LocationManager.Endpoint

  /// The open streams, unread elements and waiting calls at one moment.
  package struct Snapshot: Sendable {
    package var openStreams: [Endpoint: Int] = [:]
    package var unreadElements: [Endpoint: Int] = [:]
    package var waitingCalls: [Endpoint: Int] = [:]
  }

  private struct Waiter: Sendable {
    let id: UInt64
    let task: TaskIdentity?
    let isMet: @Sendable (ActivityState) -> Bool
    let continuation: CheckedContinuation<Void, Never>
  }

  private struct State: Sendable {
    var activity = ActivityState()
    var waiters: [Waiter] = []
    var hasManager = false
  }

  private let state = Locked(State())
  private let ids = IDSource()

  package init() {}

  // MARK: Work

  /// Counts a piece of work. May be called under a lock.
  package func begin() { state.withLock { $0.activity.begin() } }

  /// Ends a piece of work. Must be called with no lock held.
  package func end() {
    state.withLock { $0.activity.end() }
    resumeWaiters()
  }

  /// Performs a piece of work that was begun, and ends it. The work is at rest while its task waits
  /// for the test.
  package func performing(_ body: () async -> Void) async {
    await TaskRest.working(for: self, body)
    end()
  }

  /// Ends a piece of work without resuming waiters. The caller calls ``resumeWaiters()``
  /// afterwards.
  func endSilently() { state.withLock { $0.activity.end() } }

  /// Resumes the tests whose condition holds. Called when a task is at rest, with no lock held.
  package func resumeWaiters() {
    let resumed = state.withLock { state in
      let activity = state.activity
      return Self.remove(&state) { $0.isMet(activity) }
    }
    for waiter in resumed { waiter.continuation.resume() }
  }

  /// Begins a sleep of a piece of work on a clock that no test advances. Must be called with no
  /// lock held.
  ///
  /// - Returns: The number of the sleep.
  func waitsOnClock(for endpoint: Endpoint) -> UInt64 {
    let id = ids.next()
    state.withLock { $0.activity.waitsOnClock(id, endpoint) }
    resumeWaiters()
    return id
  }

  /// Ends a sleep that `waitsOnClock(for:)` began. A second call has no effect.
  func clockWaitEnded(_ id: UInt64) { state.withLock { $0.activity.clockWaitEnded(id) } }

  /// Counts one more event that a task waits for. The task is at rest until each of its waits ends.
  func waits(_ task: TaskIdentity) { state.withLock { $0.activity.waits(task) } }
  /// Ends one wait of a task. Called before the task runs again.
  func wakes(_ task: TaskIdentity) { state.withLock { $0.activity.wakes(task) } }

  // MARK: Managers, calls, streams

  /// True once a manager was created with the backend.
  package var hasManager: Bool { state.withLock { $0.hasManager } }

  func managerWasCreated() { state.withLock { $0.hasManager = true } }

  /// Adds a call, which is a piece of work. The call is at rest while it waits for the test.
  func callBegan(_ endpoint: Endpoint) {
    state.withLock { state in
      state.activity.begin()
      state.activity.callBegan(endpoint)
    }
  }

  func callEnded(_ endpoint: Endpoint) {
    state.withLock { $0.activity.callEnded(endpoint) }
    end()
  }

  /// Adds a stream that the program reads.
  func openStream(_ endpoint: Endpoint) -> StreamProbe {
    let id = ids.next()
    state.withLock { $0.activity.opened(id, endpoint) }
    return StreamProbe(self, .stream(id))
  }

  /// A probe of a channel that a task of the manager reads. The task itself is a piece of work.
  func probeOfTask() -> StreamProbe { StreamProbe(self, .task) }

  fileprivate func update(_ change: (inout ActivityState) -> Void) {
    state.withLock { change(&$0.activity) }
  }

  package var snapshot: Snapshot {
    state.withLock { state in
      var snapshot = Snapshot(waitingCalls: state.activity.calls)
      for stream in state.activity.streams.values where stream.isOpen {
        snapshot.openStreams[stream.endpoint, default: 0] += 1
        if stream.buffered > 0 {
          snapshot.unreadElements[stream.endpoint, default: 0] += stream.buffered
        }
      }
      return snapshot
    }
  }

  // MARK: Waiting for rest

  /// The reasons why not all work is at rest.
  package struct UnsettledWork: Sendable {
    /// The streams whose readers are busy, sorted by name.
    package let busyStreams: [Endpoint]
    /// Whether the backend, the manager, a monitor or a call is busy.
    package let hasWork: Bool
    /// The endpoints that sleep on a clock that no test advances; empty if the wait was cancelled.
    package let endpointsOnClocks: [Endpoint]
  }

  /// Waits until all work is at rest, until the only remaining work sleeps on clocks that no test
  /// advances, or until the calling task is cancelled. During the wait, the streams that the
  /// calling task reads are at rest.
  ///
  /// - Returns: The work that is not at rest; nil if all work is at rest.
  package func waitUntilAtRest() async -> UnsettledWork? {
    let onClocks = Locked<[Endpoint]>([])
    let isMet = await wait { activity in
      let endpoints = activity.endpointsOnClocks
      onClocks.withLock { $0 = endpoints }
      return activity.isAtRest || !endpoints.isEmpty
    }
    let endpoints = onClocks.withLock { $0 }
    if isMet, endpoints.isEmpty { return nil }
    return state.withLock { state in
      UnsettledWork(
        busyStreams: state.activity.busyStreams, hasWork: state.activity.hasWork,
        endpointsOnClocks: isMet ? endpoints : [])
    }
  }

  /// Returns when at least `count` tasks read streams of an endpoint, or when the calling task is
  /// cancelled.
  package func waitForReaders(of endpoint: Endpoint, count: Int) async {
    _ = await wait { $0.readers(of: endpoint) >= count }
  }

  /// Waits until a condition holds or the calling task is cancelled. Returns false if the task is
  /// cancelled.
  private func wait(until isMet: @escaping @Sendable (ActivityState) -> Bool) async -> Bool {
    let id = ids.next()
    let task = TaskIdentity.current
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        state.withLock { state in
          if let task { state.activity.waits(task) }
          state.waiters.append(
            Waiter(id: id, task: task, isMet: isMet, continuation: continuation))
        }
        // An earlier cancellation found no waiter to resume.
        if Task.isCancelled { resume { $0.id == id } }
        resumeWaiters()
      }
    } onCancel: {
      resume { $0.id == id }
    }
    return !Task.isCancelled
  }

  private func resume(where isResumed: @Sendable (Waiter) -> Bool) {
    let resumed = state.withLock { state in Self.remove(&state, where: isResumed) }
    for waiter in resumed { waiter.continuation.resume() }
  }

  /// Removes waiters and marks their tasks as woken, so that they count as busy before they run.
  private static func remove(
    _ state: inout State, where isRemoved: (Waiter) -> Bool
  ) -> [Waiter] {
    let removed = state.waiters.filter(isRemoved)
    guard !removed.isEmpty else { return [] }
    state.waiters.removeAll { waiter in removed.contains { $0.id == waiter.id } }
    for waiter in removed {
      if let task = waiter.task { state.activity.wakes(task) }
    }
    return removed
  }
}

/// Reports the buffer and the readers of one channel to a ledger. The channel calls the functions
/// under its lock, except those documented as called with no lock held.
@usableFromInline
package final class StreamProbe: Sendable {
  enum Kind: Sendable {
    case stream(ActivityState.StreamID)
    case task
  }

  private struct State: Sendable {
    /// The tasks that wait in the channel, keyed by the number of the wait.
    var waiting: [UInt64: TaskIdentity] = [:]
    /// The tasks that have read the channel.
    var readers: Set<TaskIdentity> = []
    var isClosed = false
  }

  private let ledger: ActivityLedger
  private let kind: Kind
  private let state = Locked(State())

  init(_ ledger: ActivityLedger, _ kind: Kind) {
    self.ledger = ledger
    self.kind = kind
  }

  /// The number of buffered elements changed.
  @usableFromInline
  func buffers(_ count: Int) {
    if case .stream(let id) = kind { ledger.update { $0.buffers(count, in: id) } }
  }

  /// The current task reads an element.
  @usableFromInline
  func didRead() {
    if case .stream(let id) = kind { read(id) }
  }

  /// The current task begins a wait.
  func waits(_ wait: UInt64) {
    switch kind {
    case .task: ledger.endSilently()
    case .stream(let id):
      guard let task = read(id) else { return }
      state.withLock { $0.waiting[wait] = task }
      ledger.waits(task)
    }
  }

  /// A wait ends.
  func wakes(_ wait: UInt64) {
    switch kind {
    case .task: ledger.begin()
    case .stream:
      if let task = state.withLock({ $0.waiting.removeValue(forKey: wait) }) { ledger.wakes(task) }
    }
  }

  /// The channel has ended. Its readers may not have seen the end yet.
  func ends() {
    if case .stream(let id) = kind { ledger.update { $0.ended(id) } }
  }

  /// The current task has read to the end of the channel. Called with no lock held.
  func didReadEnd() {
    guard case .stream(let id) = kind, let task = TaskIdentity.current else { return }
    if state.withLock({ $0.readers.remove(task) }) != nil { ReadingTasks.remove(task, ledger) }
    ledger.update { $0.didReadEnd(task, of: id) }
    ledger.resumeWaiters()
  }

  /// Called with no lock held.
  func resumeWaiters() { ledger.resumeWaiters() }

  /// Nothing reads the channel any more. Called with no lock held.
  func close() {
    guard case .stream(let id) = kind else { return }
    let (readers, waiting) = state.withLock { state in
      defer {
        state = State()
        state.isClosed = true
      }
      return (state.readers, state.waiting.values)
    }
    for task in readers { ReadingTasks.remove(task, ledger) }
    ledger.update { activity in
      for task in waiting { activity.wakes(task) }
      activity.closed(id)
    }
    ledger.resumeWaiters()
  }

  @discardableResult
  private func read(_ id: ActivityState.StreamID) -> TaskIdentity? {
    guard let task = TaskIdentity.current else { return nil }
    let isNew = state.withLock { !$0.isClosed && $0.readers.insert(task).inserted }
    if isNew {
      ReadingTasks.add(task, ledger)
      ledger.update { $0.reads(task, from: id) }
    }
    return task
  }
}
