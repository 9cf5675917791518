import AsyncLocation

/// A simulated disk with the stored content of a monitor. It outlives processes.
///
// SAFETY: a simulation, including this object, runs on a single thread.
final class SimulatedDisk: @unchecked Sendable {
  private(set) var content = StoredMonitor()
  var works = true
  /// Whether the last write succeeded.
  private(set) var isHealthy = true
  private(set) var isOpen = false
  /// The number of times that a call yields before, and after, it takes effect.
  var delay: () -> Int = { 0 }
  /// Called after changes were written, and after the whole content was replaced.
  var onCommit: ([MonitorChange]) -> Void = { _ in }
  var onReplace: (_ old: StoredMonitor) -> Void = { _ in }
  var onViolation: (Violation) -> Void = { _ in }

  /// Acquires the lock of the storage. Returns false if it is already held.
  fileprivate func acquire() -> Bool {
    defer { isOpen = true }
    return !isOpen
  }

  /// Releases the lock, when the session is closed or its process is killed.
  func release() { isOpen = false }

  fileprivate func write(_ changes: [MonitorChange]) throws(LocationError) {
    try requireWorks()
    for change in changes { apply(change) }
    onCommit(changes)
  }

  fileprivate func replace(with new: StoredMonitor) throws(LocationError) {
    try requireWorks()
    let old = content
    content = new
    onReplace(old)
  }

  /// Records whether the write succeeds, and throws if it does not.
  fileprivate func requireWorks() throws(LocationError) {
    isHealthy = works
    if !works { throw LocationError(.storageUnavailable, "The disk is full.") }
  }

  private func apply(_ change: MonitorChange) {
    func edit(_ identifier: String, _ body: (inout StoredCondition) -> Void) {
      for index in content.conditions.indices
      where content.conditions[index].identifier == identifier {
        body(&content.conditions[index])
      }
    }
    switch change {
    case .add(let condition):
      content.conditions.removeAll { $0.identifier == condition.identifier }
      content.conditions.append(condition)
    case .remove(let identifier): content.conditions.removeAll { $0.identifier == identifier }
    case .event(let event):
      content.lastNumber = event.number
      content.events.append(StoredEvent(event))
      edit(event.identifier) { ($0.state, $0.candidate) = (event.state, nil) }
    case .candidate(let identifier, let candidate): edit(identifier) { $0.candidate = candidate }
    case .offer(let number):
      for index in content.events.indices where content.events[index].event.number == number {
        content.events[index].isOffered = true
      }
    case .finish(let number):
      guard let stored = content.events.first(where: { $0.event.number == number }) else { return }
      content.events.removeAll { $0.event.number == number }
      edit(stored.event.identifier) {
        guard $0.lastEvent.map({ $0.number < number }) ?? true else { return }
        $0.lastEvent = stored.event.withoutLocation
      }
    case .discard(let number):
      content.events.removeAll { $0.event.number <= number && !$0.isOffered }
    }
  }
}

/// The access of one process to the disk.
///
// SAFETY: a simulation, including this object, runs on a single thread.
final class SimulatedStorage: MonitorStorage, @unchecked Sendable {
  fileprivate let disk: SimulatedDisk
  /// Whether the process was killed: nothing more is written.
  private(set) var isDead = false
  private(set) var openSessions = 0

  init(_ disk: SimulatedDisk) { self.disk = disk }

  /// Kills the process. The lock of its session is released, as by an operating system.
  func kill() {
    isDead = true
    if openSessions > 0 { disk.release() }
  }

  func open(
    _ name: String
  ) async throws(LocationError) -> (any MonitorSession, StoredMonitor) {
    requireNoLock("open")
    await yieldForDelay()
    guard !isDead, disk.works else { throw LocationError(.storageUnavailable, "No disk.") }
    guard disk.acquire() else { throw .monitorInUse(name) }
    let session = Session(self)
    let content = disk.content
    await yieldForDelay()
    return (session, content)
  }

  private func yieldForDelay() async { for _ in 0..<disk.delay() { await Task.yield() } }

  private func requireNoLock(_ what: String) {
    if LockWatch.isLockHeld {
      disk.onViolation(Violation("O10 quiet locks", "the storage's \(what) has a lock held"))
    }
  }

  private final class Session: MonitorSession, @unchecked Sendable {
    private let storage: SimulatedStorage
    private var isBusy = false
    private var isClosed = false

    init(_ storage: SimulatedStorage) {
      self.storage = storage
      storage.openSessions += 1
    }

    deinit { closeOnce() }

    func commit(_ changes: [MonitorChange]) async throws(LocationError) {
      begin("commit")
      defer { isBusy = false }
      await storage.yieldForDelay()
      try requireAlive()
      try storage.disk.write(changes)
      await storage.yieldForDelay()
      try requireAlive()
    }

    func replace(with monitor: StoredMonitor) async throws(LocationError) {
      begin("replace")
      defer { isBusy = false }
      await storage.yieldForDelay()
      try requireAlive()
      try storage.disk.replace(with: monitor)
      await storage.yieldForDelay()
      try requireAlive()
    }

    func close() async {
      begin("close")
      defer { isBusy = false }
      await storage.yieldForDelay()
      closeOnce()
    }

    private func requireAlive() throws(LocationError) {
      if storage.isDead { throw LocationError(.storageUnavailable, "The process is gone.") }
    }

    private func begin(_ what: String) {
      storage.requireNoLock(what)
      if isBusy || isClosed, !storage.isDead {
        storage.disk.onViolation(
          Violation(
            "M8 sessions", "\(what) was called \(isClosed ? "after close" : "during another call")")
        )
      }
      isBusy = true
    }

    private func closeOnce() {
      guard !isClosed else { return }
      isClosed = true
      storage.openSessions -= 1
      if !storage.isDead { storage.disk.release() }
    }
  }
}
