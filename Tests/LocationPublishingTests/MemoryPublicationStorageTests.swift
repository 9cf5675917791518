import AsyncLocation
import FoundationEssentials
import LocationPublishing
import TestSupport
import Testing

@Suite(.inTurn)
struct MemoryPublicationStorageTests {
  private let publication = PendingPublication(
    topic: "owntracks/fleet/car", payload: [1], date: Date(timeIntervalSince1970: 1_800_000_000))

  @Test("F50 a storage is open once, and keeps its backlog for the next session")
  func sessions() async throws {
    let storage = MemoryPublicationStorage()
    let (session, stored) = try await storage.open(PublicationLimits())
    #expect(stored == StoredPublications())
    _ = try await session.append([publication], accuracy: .reduced)
    let refused = await #expect(throws: LocationError.self) {
      _ = try await storage.open(PublicationLimits())
    }
    #expect(refused?.code == .storageUnavailable)
    await session.close()
    let (secondSession, storedAfterReopening) = try await storage.open(PublicationLimits())
    #expect(
      storedAfterReopening.backlog == PublicationBacklog(count: 1, bytes: publication.byteCount))
    #expect(storedAfterReopening.lastNumber == 1)
    #expect(storedAfterReopening.accuracy == .reduced)
    let waiting = try await secondSession.publications(after: 0, count: 9, bytes: 99)
    #expect(waiting == [StoredPublication(number: 1, publication)])
    await secondSession.close()
  }

  @Test("a session that is closed refuses a call, and closes no later session")
  func closedSession() async throws {
    let storage = MemoryPublicationStorage()
    let (first, _) = try await storage.open(PublicationLimits())
    await first.close()
    let (second, _) = try await storage.open(PublicationLimits())
    await first.close()
    let refused = await #expect(throws: LocationError.self) { try await first.remove([1]) }
    #expect(refused?.code == .storageUnavailable)
    let inUse = await #expect(throws: LocationError.self) {
      _ = try await storage.open(PublicationLimits())
    }
    #expect(inUse?.code == .storageUnavailable)
    await second.close()
  }

  @Test("each storage has a name of its own")
  func identity() {
    let storages = (0..<3).map { _ in MemoryPublicationStorage() }
    #expect(Set(storages.map(\.identity)).count == 3)
    #expect(!storages.map(\.identity).contains(nil))
  }
}
