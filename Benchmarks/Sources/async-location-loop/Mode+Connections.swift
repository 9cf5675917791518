import AsyncLocation
import GPSDBackend
import Glibc
import Synchronization
import Tally

/// Modes with many connections in one process.
extension Mode {
  func connect(_ count: Int, _ port: Int) async throws -> String {
    try await many(count) { fixed in
      let manager = makeManager(port)
      for try await _ in manager.updates(UpdateOptions()) { fixed() }
    }
  }

  func run(_ count: Int, _ port: Int) async throws -> String {
    try await many(count) { fixed in
      try await makeBackend(port).run(BackendDemand(kinds: .locations)) { events in
        for case .location in events { fixed() }
      }
    }
  }

  /// Runs `count` clients concurrently. Measures memory and threads when each has received some
  /// fixes.
  private func many(
    _ count: Int,
    _ client: @escaping @Sendable (_ fixed: @escaping @Sendable () -> Void) async throws -> Void
  ) async throws -> String {
    raiseFileLimit()
    let census = Census(count)
    tally_begin()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<count {
        group.addTask { try await untilLost { try await client { census.count() } } }
        if index == 0 { await census.begin() }
      }
      try await group.waitForAll()
    }
    return census.finish()
  }
}

private func raiseFileLimit() {
  var limit = rlimit()
  getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  limit.rlim_cur = limit.rlim_max
  setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
}

/// Counts the fixes of all clients. When each has received about four, it measures the process and
/// restarts the clocks.
private final class Census: Sendable {
  private let settled: Int
  private let clients: Int
  private let before = Atomic<Int64>(0)
  private let first = AsyncStream.makeStream(of: Void.self)
  private let fixes = Atomic(0)
  private let found = Mutex("")

  init(_ clients: Int) { (self.clients, settled) = (clients, 4 * clients) }

  /// Waits for the first fix of the first client, so that one-time allocations are done.
  func begin() async {
    for await _ in first.stream { break }
    before.store(tally_resident(), ordering: .relaxed)
  }

  func count() {
    let number = fixes.add(1, ordering: .relaxed).newValue
    if number == 1 { first.continuation.finish() }
    guard number == settled else { return }
    let grown = tally_resident() - before.load(ordering: .relaxed)
    let each = grown / Int64(max(1, clients - 1))
    let threads = "threads \(tally_threads("")) ours \(tally_threads("gpsd-"))"
    found.withLock { $0 = " each \(each) \(threads)" }
    tally_restart()
  }

  /// Adds the fixes since the measurement to the tally and returns the measurements.
  func finish() -> String {
    tally_merge(UInt64(max(0, fixes.load(ordering: .relaxed) - settled)), 0)
    return found.withLock { $0 }
  }
}
