import AsyncLocation
import FoundationEssentials
import LocationPublishing
import LocationStorage
import MockBackend

/// Fills and empties the file of a publication queue. The last number determines its actions, so
/// each process continues the work of the previous one.
enum PublicationWriter {
  /// Appends and removes publications. Prints the last number of each append that returned, and a
  /// line before and after each removal.
  ///
  /// - Parameter count: The call returns once the last number is at least this one.
  static func write(to file: String, count: UInt64) async throws {
    let (session, stored) = try await SQLitePublicationStorage(file: file).open(
      PublicationLimits())
    var last = stored.lastNumber
    MonitorWriter.report("open \(last)")
    while last < count {
      let added = batch(after: last)
      _ = try await session.append(added.map(publication), accuracy: .full)
      last = added.upperBound
      MonitorWriter.report("added \(last)")
      guard let removed = removal(after: last) else { continue }
      MonitorWriter.report("removing \(removed)")
      if removed == last {
        try await session.removeAll(then: [])
      } else {
        let waiting = try await session.publications(after: 0, count: .max, bytes: .max)
        try await session.remove(waiting.map(\.number).filter { $0 <= removed })
      }
      MonitorWriter.report("removed \(removed)")
    }
    await session.close()
    MonitorWriter.report("closed")
  }

  /// Appends a retained message, and deletes everything with the removal of that message.
  static func writeRemoval(to file: String) async throws {
    let (session, _) = try await SQLitePublicationStorage(file: file).open(PublicationLimits())
    let date = Date(timeIntervalSinceReferenceDate: 800_000_000)
    _ = try await session.append(
      [PendingPublication(topic: removedTopic, payload: [1], isRetained: true, date: date)],
      accuracy: .full)
    MonitorWriter.report("removing")
    _ = try await session.removeAll(
      then: [PendingPublication(topic: removedTopic, payload: [], isRetained: true, date: date)])
    MonitorWriter.report("removed")
    await session.close()
    MonitorWriter.report("closed")
  }

  static var removedTopic: String { "owntracks/jane/tender" }

  /// The numbers of the append that follows a number.
  static func batch(after last: UInt64) -> ClosedRange<UInt64> { last + 1...last + 1 + last % 4 }

  /// The number up to which publications are removed after an append; nil for no removal. If it is
  /// the last one, all are removed.
  private static func removal(after last: UInt64) -> UInt64? {
    switch last % 7 {
    case 0: last
    case 2, 5: last / 2
    default: nil
    }
  }

  /// The publication of a number. Some have more bytes than a page.
  static func publication(_ number: UInt64) -> PendingPublication {
    let text = String(repeating: "position \(number) ", count: 1 + Int(number % 9) * 60)
    return PendingPublication(
      topic: "owntracks/fleet/\(number % 3)", payload: [UInt8](text.utf8),
      isRetained: number % 2 == 0,
      date: Date(timeIntervalSinceReferenceDate: 800_000_000 + Double(number) / 8))
  }

  /// Prints how often each call synchronized a file to the disk.
  static func countSyncs(_ file: String) async throws {
    SyncCount.install()
    let clock = ManualClock()
    let storage = SQLitePublicationStorage(file: file, time: PublicationTime(clock: clock))
    let (session, _) = try await storage.open(PublicationLimits())
    // The first append begins the log, which is synchronized then.
    _ = try await session.append([publication(1)], accuracy: .full)
    let calls: [(String, Duration, () async throws -> Void)] = [
      (
        "append after 999 ms", .milliseconds(999),
        { _ = try await session.append([publication(2)], accuracy: .full) }
      ),
      (
        "append after 1 s", .milliseconds(1),
        { _ = try await session.append([publication(3)], accuracy: .full) }
      ),
      (
        "append after 1 s", .zero,
        { _ = try await session.append([publication(4)], accuracy: .full) }
      ),
      (
        "append after 3 s", .seconds(2),
        { _ = try await session.append([publication(5)], accuracy: .full) }
      ),
      ("remove after 5 s", .seconds(2), { try await session.remove([1, 2]) }),
    ]
    for (name, pause, call) in calls {
      clock.advance(by: pause)
      let before = SyncCount.count
      try await call()
      MonitorWriter.report("\(name): \(SyncCount.count - before)")
    }
    await session.close()
  }
}
