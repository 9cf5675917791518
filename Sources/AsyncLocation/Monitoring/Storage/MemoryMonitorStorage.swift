/// Stores monitors in memory. A monitor that is closed can be opened again from the same storage.
public final class MemoryMonitorStorage: MonitorStorage {
  private struct Entry: Sendable {
    var content = MonitorContent()
    var isOpen = false
  }

  private let entries = Locked([String: Entry]())

  /// Creates an empty storage.
  public init() {}

  public func open(
    _ name: String
  ) async throws(LocationError) -> (any MonitorSession, StoredMonitor) {
    let stored = entries.withLock { entries -> StoredMonitor? in
      guard entries[name]?.isOpen != true else { return nil }
      entries[name, default: Entry()].isOpen = true
      return entries[name]?.content.stored
    }
    guard let stored else { throw .monitorInUse(name) }
    return (Session(name: name, storage: self), stored)
  }

  /// The number of the last event that a monitor stored; 0 for none. For tests.
  package func lastNumber(_ name: String) -> UInt64 {
    entries.withLock { $0[name]?.content.lastNumber ?? 0 }
  }

  /// Whether an event of a monitor is stored with its location. For tests.
  package func keepsLocations(_ name: String) -> Bool {
    entries.withLock {
      $0[name]?.content.stored.events.contains { $0.event.location != nil } ?? false
    }
  }

  private final class Session: MonitorSession {
    private let name: String
    private let storage: MemoryMonitorStorage
    private let isClosed = Locked(false)

    init(name: String, storage: MemoryMonitorStorage) {
      (self.name, self.storage) = (name, storage)
    }

    deinit { closeOnce() }

    func commit(_ changes: [MonitorChange]) async throws(LocationError) {
      storage.entries.withLock { $0[name]?.content.apply(changes) }
    }

    func replace(with monitor: StoredMonitor) async throws(LocationError) {
      let content = MonitorContent(monitor)
      storage.entries.withLock { $0[name]?.content = content }
    }

    func close() async { closeOnce() }

    private func closeOnce() {
      let wasClosed = isClosed.withLock { isClosed in
        defer { isClosed = true }
        return isClosed
      }
      guard !wasClosed else { return }
      storage.entries.withLock { $0[name]?.isOpen = false }
    }
  }
}

extension LocationError {
  /// The error for a monitor that is already open.
  public static func monitorInUse(_ name: String) -> Self {
    Self(
      .monitorInUse,
      "The monitor \"\(String(printable: name))\" is already open; close it first, or use another "
        + "name.")
  }
}
