@testable import AsyncLocation

/// A memory storage that records its calls, and lets a test act during them.
final class TracedStorage: MonitorStorage {
  private struct State: Sendable {
    var trace: [String] = []
    var withheldNumbers: [UInt64] = []
    var actions: [(call: String, act: @Sendable () async -> Void)] = []
  }

  let base = MemoryMonitorStorage()
  private let state = Locked(State())

  /// The calls so far. A write that contains a location is marked.
  var trace: [String] { state.withLock(\.trace) }

  /// The last event number of each withdrawal of which the storage was notified.
  var withheldNumbers: [UInt64] { state.withLock(\.withheldNumbers) }

  func mark(_ text: String) { state.withLock { $0.trace.append(text) } }

  /// Runs an action during the next call with this name, after the earlier actions have run.
  func during(_ call: String, _ act: @escaping @Sendable () async -> Void) {
    state.withLock { $0.actions.append((call, act)) }
  }

  private func called(_ call: String, _ locations: [Location?] = []) async {
    let hasLocation = locations.contains { $0 != nil }
    let act = state.withLock { state -> (@Sendable () async -> Void)? in
      state.trace.append(hasLocation ? "\(call) a place" : call)
      guard state.actions.first?.call == call else { return nil }
      return state.actions.removeFirst().act
    }
    await act?()
  }

  func open(
    _ name: String
  ) async throws(LocationError) -> (any MonitorSession, StoredMonitor) {
    let (session, stored) = try await base.open(name)
    return (Session(session: session, storage: self), stored)
  }

  private struct Session: MonitorSession {
    let session: any MonitorSession
    let storage: TracedStorage

    func commit(_ changes: [MonitorChange]) async throws(LocationError) {
      let locations = changes.map { change -> Location? in
        guard case .event(let event) = change else { return nil }
        return event.location
      }
      await storage.called("commit", locations)
      try await session.commit(changes)
    }

    func replace(with monitor: StoredMonitor) async throws(LocationError) {
      await storage.called("replace", monitor.events.map(\.event.location))
      try await session.replace(with: monitor)
    }

    func withhold(through number: UInt64) async {
      storage.state.withLock { $0.withheldNumbers.append(number) }
      await storage.called("withhold")
    }

    func deleteRemains() async { await storage.called("delete") }

    func close() async { await session.close() }
  }
}
