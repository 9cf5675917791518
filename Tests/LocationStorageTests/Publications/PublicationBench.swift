import AsyncLocation
import Foundation
import MockBackend
import Testing

@testable import LocationStorage

/// A storage of publications whose clocks the test controls.
final class PublicationBench: Sendable {
  enum Kind: String, CaseIterable, Sendable { case memory, file }

  /// The system's clock when the test begins.
  static let start = Date(timeIntervalSince1970: 1_800_000_000)

  let clock = ManualClock()
  let folder: StorageFolder
  let storage: any PublicationStorage
  private let date: Mutable

  /// - Parameter isInMemory: Whether the folder is in memory if possible, for tests with many
  ///   files.
  init(_ kind: Kind = .file, isInMemory: Bool = true) throws {
    folder = try StorageFolder(isInMemory: isInMemory)
    let date = Mutable()
    self.date = date
    let time = PublicationTime(clock: clock) { date.value.withLock { $0 } }
    storage =
      switch kind {
      case .memory: MemoryPublicationStorage(time: time)
      case .file: SQLitePublicationStorage(file: folder("q.sqlite"), time: time)
      }
  }

  private final class Mutable: Sendable {
    let value = Locked(PublicationBench.start)
  }

  var path: String { folder("q.sqlite") }

  /// Sets the system's clock.
  func setDate(_ seconds: Double) { date.value.withLock { $0 = Self.start + seconds } }

  func open(
    _ limits: PublicationLimits = PublicationLimits()
  ) async throws(LocationError) -> (any PublicationSession, StoredPublications) {
    try await storage.open(limits)
  }

  /// Opens the storage, reads everything and closes it.
  func content() async throws(LocationError) -> (StoredPublications, [StoredPublication]) {
    let (session, stored) = try await open()
    let all = try await session.publications(after: 0, count: .max, bytes: .max)
    await session.close()
    return (stored, all)
  }
}

/// A publication whose payload is a text.
func publication(
  _ text: String, at seconds: Double = 0, topic: String = "owntracks/fleet/car",
  isRetained: Bool = false
) -> PendingPublication {
  PendingPublication(
    topic: topic, payload: [UInt8](text.utf8), isRetained: isRetained,
    date: PublicationBench.start + seconds)
}

/// A publication of a number of bytes, one of which is the topic.
func publication(bytes: Int, at seconds: Double = 0) -> PendingPublication {
  PendingPublication(
    topic: "t", payload: [UInt8](repeating: 7, count: bytes - 1),
    date: PublicationBench.start + seconds)
}

extension PublicationSession {
  /// Appends publications of full accuracy.
  func append(_ publications: [PendingPublication]) async throws(LocationError) -> PublicationChange
  {
    try await append(publications, accuracy: .full)
  }

  /// Deletes everything.
  func removeAll() async throws(LocationError) { try await removeAll(then: []) }

  /// The numbers of all waiting publications.
  func numbers() async throws(LocationError) -> [UInt64] {
    try await publications(after: 0, count: .max, bytes: .max).map(\.number)
  }
}
