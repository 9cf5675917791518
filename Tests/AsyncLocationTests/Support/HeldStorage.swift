import AsyncLocation

/// A storage whose writes wait while a test holds them, as on a slow disk.
final class HeldStorage: MonitorStorage {
  private struct State: Sendable {
    var isHeld = false
    var held: [CheckedContinuation<Void, Never>] = []
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private let storage: any MonitorStorage
  private let state = Locked(State())

  init(_ storage: any MonitorStorage) { self.storage = storage }

  func open(
    _ name: String
  ) async throws(LocationError) -> (any MonitorSession, StoredMonitor) {
    let (session, stored) = try await storage.open(name)
    return (Session(storage: self, session: session), stored)
  }

  func hold() { state.withLock { $0.isHeld = true } }

  func release() {
    let callers = state.withLock { state in
      defer { (state.isHeld, state.held) = (false, []) }
      return state.held
    }
    for caller in callers { caller.resume() }
  }

  /// Waits until a write is held.
  func waitForHeld() async {
    await withCheckedContinuation { caller in
      let hasHeld = state.withLock { state in
        if !state.held.isEmpty { return true }
        state.waiters.append(caller)
        return false
      }
      if hasHeld { caller.resume() }
    }
  }

  /// Waits until writes are not held.
  private func waitForRelease() async {
    await withCheckedContinuation { (caller: CheckedContinuation<Void, Never>) in
      let callers = state.withLock { state -> [CheckedContinuation<Void, Never>] in
        guard state.isHeld else { return [caller] }
        state.held.append(caller)
        defer { state.waiters = [] }
        return state.waiters
      }
      for caller in callers { caller.resume() }
    }
  }

  private struct Session: MonitorSession {
    let storage: HeldStorage
    let session: any MonitorSession

    func commit(_ changes: [MonitorChange]) async throws(LocationError) {
      await storage.waitForRelease()
      try await session.commit(changes)
    }

    func replace(with monitor: StoredMonitor) async throws(LocationError) {
      await storage.waitForRelease()
      try await session.replace(with: monitor)
    }

    func close() async { await session.close() }
  }
}
