@testable import AsyncLocation

/// A memory storage whose writes fail on demand. Withdrawals and deletions are counted, but not
/// passed on to the memory storage.
final class FailingStorage: MonitorStorage {
  let base = MemoryMonitorStorage()
  let deletions = Locked(0)
  let withdrawals = Locked(0)
  private let isFailing = Locked(false)

  var fails: Bool {
    get { isFailing.withLock { $0 } }
    set { isFailing.withLock { $0 = newValue } }
  }

  func open(
    _ name: String
  ) async throws(LocationError) -> (any MonitorSession, StoredMonitor) {
    let (session, stored) = try await base.open(name)
    return (Session(session: session, storage: self), stored)
  }

  private struct Session: MonitorSession {
    let session: any MonitorSession
    let storage: FailingStorage

    private func check() throws(LocationError) {
      if storage.fails { throw LocationError(.storageUnavailable, "The disk is full.") }
    }

    func commit(_ changes: [MonitorChange]) async throws(LocationError) {
      try check()
      try await session.commit(changes)
    }

    func replace(with monitor: StoredMonitor) async throws(LocationError) {
      try check()
      try await session.replace(with: monitor)
    }

    func withhold(through number: UInt64) async throws(LocationError) {
      storage.withdrawals.withLock { $0 += 1 }
    }

    func deleteRemains() async throws(LocationError) {
      try check()
      storage.deletions.withLock { $0 += 1 }
    }

    func close() async { await session.close() }
  }
}
