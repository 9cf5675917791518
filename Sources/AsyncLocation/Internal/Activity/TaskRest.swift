/// A wait of a task that a ledger tracks: a task of the manager, or a task that reads a stream. The
/// task is at rest while it waits for the test.
///
/// The implementation of a wait calls ``begin()`` when the task can be woken, then
/// ``resumeWaiters()`` with no lock held. Code that wakes the task calls ``end()`` first.
package struct TaskRest: Sendable {
  private let task: TaskIdentity
  /// The ledgers of the streams that the task reads.
  private let ledgers: [ActivityLedger]
  /// The ledger whose piece of work the task performs.
  private let workLedger: ActivityLedger?

  /// A piece of work of a ledger, and the task that performs it. Tasks that this task creates
  /// inherit the value, but do not perform the work.
  private struct Work: Sendable {
    let ledger: ActivityLedger
    let task: TaskIdentity?
  }

  @TaskLocal private static var work: Work?

  /// The rest of the current task; nil if no ledger tracks the task.
  package static var ofCurrentTask: TaskRest? {
    guard let task = TaskIdentity.current else { return nil }
    let workLedger = work?.task == task ? work?.ledger : nil
    let ledgers = ReadingTasks.ledgers(of: task)
    guard workLedger != nil || !ledgers.isEmpty else { return nil }
    return TaskRest(task: task, ledgers: ledgers, workLedger: workLedger)
  }

  /// A ledger that tracks the current task, for work that another task performs on its behalf.
  static var ledgerOfCurrentTask: ActivityLedger? {
    ofCurrentTask.flatMap { $0.workLedger ?? $0.ledgers.first }
  }

  /// Performs a piece of work of a ledger. The work is at rest while it waits.
  package static func working<Value>(
    for ledger: ActivityLedger?, _ body: () async throws -> Value
  ) async rethrows -> Value {
    guard let ledger else { return try await body() }
    return try await $work.withValue(Work(ledger: ledger, task: .current)) { try await body() }
  }

  package func begin() {
    for ledger in ledgers { ledger.waits(task) }
    workLedger?.endSilently()
  }

  package func end() {
    workLedger?.begin()
    for ledger in ledgers { ledger.wakes(task) }
  }

  package func resumeWaiters() {
    for ledger in ledgers { ledger.resumeWaiters() }
    workLedger?.resumeWaiters()
  }
}

/// The ledgers that track the tasks that read streams. A task can read streams of several managers.
enum ReadingTasks {
  private static let table = Locked<[TaskIdentity: [ActivityLedger]]>([:])

  /// The ledgers of a task, each once. The table has one entry for each stream that the task reads.
  static func ledgers(of task: TaskIdentity) -> [ActivityLedger] {
    table.withLock { table in
      var seen: Set<ObjectIdentifier> = []
      return (table[task] ?? []).filter { seen.insert(ObjectIdentifier($0)).inserted }
    }
  }

  static func add(_ task: TaskIdentity, _ ledger: ActivityLedger) {
    table.withLock { $0[task, default: []].append(ledger) }
  }

  static func remove(_ task: TaskIdentity, _ ledger: ActivityLedger) {
    table.withLock { table in
      guard let index = table[task]?.firstIndex(where: { $0 === ledger }) else { return }
      table[task]?.remove(at: index)
      if table[task]?.isEmpty == true { table[task] = nil }
    }
  }
}
