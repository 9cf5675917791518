import AsyncLocation
import MockBackend
import TestSupport
import Testing

@testable import LocationStorage

/// An identifier with an accent has two encodings in Unicode, which are equal as Swift strings. A
/// storage compares bytes.
@Suite(.inTurn) struct SpellingTests {
  private static let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")

  private static func circle(_ latitude: Double) throws -> Condition {
    try .circle(center: Coordinate(latitude: latitude, longitude: 8), radius: 100)
  }

  @Test func equivalentSpellingsAreDifferentIdentifiers() async throws {
    let folder = try StorageFolder()
    let storage = folder.storage
    let (here, there) = (try Self.circle(47), try Self.circle(60))
    let manager = LocationManager(backend: MockBackend(), clock: ManualClock())
    var monitor = try await Monitor("m", manager: manager, storage: storage)
    try await monitor.add(here, identifier: Self.composed)
    try await monitor.add(there, identifier: Self.decomposed)
    for isRestarted in [false, true] {
      if isRestarted {
        await monitor.close()
        monitor = try await Monitor("m", manager: manager, storage: storage)
      }
      #expect(await monitor.record(for: Self.composed)?.condition == here)
      #expect(await monitor.record(for: Self.decomposed)?.condition == there)
    }
    await monitor.remove(Self.decomposed)
    await monitor.close()
    monitor = try await Monitor("m", manager: manager, storage: storage)
    #expect(await monitor.record(for: Self.composed)?.condition == here)
    #expect(await monitor.record(for: Self.decomposed) == nil)
    await monitor.close()
    await manager.shutdown()
  }
}
