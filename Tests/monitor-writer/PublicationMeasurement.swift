import AsyncLocation
import FoundationEssentials
import Glibc
import LocationStorage

/// Measures the file of a publication queue, with payloads of the size of OwnTracks' locations.
enum PublicationMeasurement {
  private static let clock = ContinuousClock()

  static func run(_ file: String) async throws {
    let storage = SQLitePublicationStorage(file: file)
    let (session, _) = try await storage.open(PublicationLimits())
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
    try await remove(session, 1...5_000, batch: 1)
    try await remove(session, 5_001...10_000, batch: 100)
    try await append(session, count: 100_000, batch: 100)
    // Beyond the limit: each drops the oldest one.
    try await append(session, count: 5_000, batch: 1)
    await session.close()
    let begin = clock.now
    let (again, stored) = try await storage.open(PublicationLimits())
    MonitorWriter.report(
      "open with \(stored.backlog.count), \(stored.backlog.bytes) bytes: \(clock.now - begin)")
    let removal = try await clock.measure { try await again.removeAll(then: []) }
    MonitorWriter.report("remove all: \(removal)")
    await again.close()
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    MonitorWriter.report("at most \(usage.ru_maxrss) KiB resident")
  }

  private static func append(
    _ session: any PublicationSession, count: Int, batch: Int
  ) async throws {
    let payload = [UInt8](String(repeating: "\"lat\":47.14102,", count: 14).utf8)
    let publications = (0..<batch).map { _ in
      PendingPublication(topic: "owntracks/fleet/car", payload: payload, date: Date())
    }
    let elapsed = try await clock.measure {
      for _ in 0..<count / batch { _ = try await session.append(publications, accuracy: .full) }
    }
    MonitorWriter.report(
      "\(count) appended in batches of \(batch): \(elapsed), \(elapsed / count) each")
  }

  private static func remove(
    _ session: any PublicationSession, _ numbers: ClosedRange<UInt64>, batch: UInt64
  ) async throws {
    let elapsed = try await clock.measure {
      for begin in stride(from: numbers.lowerBound, through: numbers.upperBound, by: Int(batch)) {
        try await session.remove(Array(begin..<begin + batch))
      }
    }
    MonitorWriter.report(
      "\(numbers.count) removed in batches of \(batch): \(elapsed), \(elapsed / numbers.count) each"
    )
  }
}
