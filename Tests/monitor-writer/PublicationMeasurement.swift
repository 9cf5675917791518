import AsyncLocation
import FoundationEssentials
import Glibc
import LocationPublishing
import LocationStorage

/// Measures the file of a publication queue, with payloads of the size of OwnTracks' locations.
enum PublicationMeasurement {
  private static let clock = ContinuousClock()

  static func run(_ file: String) async throws {
    let storage = SQLitePublicationStorage(file: file)
    let (session, _) = try await storage.open(PublicationLimits())
    try await send(session, count: 5_000)
    try await append(session, count: 5_000, batch: 1)
    try await append(session, count: 5_000, batch: 100)
    var last: UInt64 = 0
    let read = try await clock.measure {
      while case let found = try await session.publications(after: last, count: 100, bytes: .max),
        let end = found.last?.number
      {
        last = end
      }
    }
    MonitorWriter.report("10000 read in batches of 100: \(read)")
    try await remove(session, 5_001...10_000, batch: 1)
    try await remove(session, 10_001...15_000, batch: 100)
    try await append(session, count: 100_000, batch: 100)
    // Each append beyond the limit drops the oldest publication.
    try await append(session, count: 5_000, batch: 1)
    await session.close()
    let begin = clock.now
    let (reopened, stored) = try await storage.open(PublicationLimits())
    MonitorWriter.report(
      "open with \(stored.backlog.count), \(stored.backlog.bytes) bytes: \(clock.now - begin)")
    let removal = try await clock.measure { try await reopened.removeAll(then: []) }
    MonitorWriter.report("remove all: \(removal)")
    await reopened.close()
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    MonitorWriter.report("at most \(usage.ru_maxrss) KiB resident")
  }

  private static func append(
    _ session: any PublicationSession, count: Int, batch: Int
  ) async throws {
    let publications = publications(batch)
    try await report("\(count) appended in batches of \(batch)", count: count) {
      for _ in 0..<count / batch { _ = try await session.append(publications, accuracy: .full) }
    }
  }

  private static func remove(
    _ session: any PublicationSession, _ numbers: ClosedRange<UInt64>, batch: UInt64
  ) async throws {
    try await report("\(numbers.count) removed in batches of \(batch)", count: numbers.count) {
      for begin in stride(from: numbers.lowerBound, through: numbers.upperBound, by: Int(batch)) {
        try await session.remove(Array(begin..<begin + batch))
      }
    }
  }

  /// Appends each publication and removes it, as with an available broker.
  private static func send(_ session: any PublicationSession, count: Int) async throws {
    let publications = publications(1)
    try await report("\(count) appended and removed one by one", count: count) {
      for _ in 0..<count {
        let change = try await session.append(publications, accuracy: .full)
        try await session.remove(Array(change.numbers))
      }
    }
  }

  private static func publications(_ count: Int) -> [PendingPublication] {
    let payload = [UInt8](String(repeating: "\"lat\":47.14102,", count: 9).utf8)
    return (0..<count).map { _ in
      PendingPublication(topic: "owntracks/fleet/car", payload: payload, date: Date())
    }
  }

  private static func report(
    _ name: String, count: Int, _ body: () async throws -> Void
  ) async throws {
    let before = bytesWritten()
    let elapsed = try await clock.measure(body)
    let bytes = (bytesWritten() - before) / count
    MonitorWriter.report("\(name): \(elapsed), \(elapsed / count) and \(bytes) bytes written each")
  }

  /// The bytes that this process has written so far, as Linux counts them; 0 if it does not.
  private static func bytesWritten() -> Int {
    guard let text = try? String(contentsOfFile: "/proc/self/io", encoding: .utf8),
      let line = text.split(separator: "\n").first(where: { $0.hasPrefix("wchar: ") })
    else { return 0 }
    return Int(line.dropFirst(7)) ?? 0
  }
}
