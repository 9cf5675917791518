import AsyncLocation
import FoundationEssentials
import MockBackend
import OwnTracks
import TestSupport
import Testing

@testable import MQTTBackend

/// A publisher whose permission changes while locations arrive, are stored, handed over and
/// acknowledged.
@Suite(.inTurn) struct DenialTests {
  @Test("F58 a denial at any moment leaves nothing behind")
  func nothingIsLeft() async throws {
    for round in 0..<Rounds.environment("ASYNC_LOCATION_DENIALS", otherwise: 100) {
      // System clock: the mock has no script that waits.
      let (backend, channel) = (MockBackend(clock: ContinuousClock()), WorkingChannel())
      let storage = MemoryPublicationStorage()
      let publisher = LocationPublisher(
        LocationManager(backend: backend, clock: ManualClock()),
        topic: try OwnTracksTopic(user: "jane", device: "boat"),
        over: channel, storage: storage, options: PublisherOptions(window: 3), clock: ManualClock())
      let run = Task { try await publisher.run() }
      await backend.waitUntilRunning()
      try backend.emit([.location(try PublisherBench.location(0))])
      let denial = Task.detached {
        for _ in 0..<round % 20 { await Task.yield() }
        backend.setAuthorization(.denied)
      }
      for second in 1..<20 {
        try? backend.emit([.location(try PublisherBench.location(second))])
        await Task.yield()
      }
      await denial.value
      await #expect(throws: LocationError.self) { try await run.value }
      let (session, stored) = try await storage.open(PublicationLimits())
      #expect(stored.backlog == PublicationBacklog(), "round \(round)")
      #expect(stored.accuracy == nil, "round \(round)")
      await session.close()
      let received = channel.received.withLock { $0.map(\.payload) }
      // Permission may have been withdrawn before anything was stored; then no removal is needed.
      let removals = received.count { $0.isEmpty }
      #expect(removals == 1 || removals == 0 && publisher.statistics.stored == 0, "round \(round)")
    }
  }

  /// The publisher may receive a location before or after the change of permission that precedes
  /// it.
  @Test("what is permitted is published, whichever comes first", arguments: [false, true])
  func permittedLocationsArePublished(_ isReducedLater: Bool) async throws {
    let reduced = AuthorizationDecision(.whenInUse, accuracy: .reduced)
    for round in 0..<Rounds.environment("ASYNC_LOCATION_DENIALS", otherwise: 100) {
      // System clock: the mock has no script that waits.
      let (backend, channel) = (MockBackend(clock: ContinuousClock()), WorkingChannel())
      if !isReducedLater { backend.setAuthorization(reduced) }
      let publisher = LocationPublisher(
        LocationManager(backend: backend, clock: ManualClock()),
        topic: try OwnTracksTopic(user: "jane", device: "boat"), over: channel,
        storage: MemoryPublicationStorage(), options: PublisherOptions(), clock: ManualClock())
      let run = Task { try await publisher.run() }
      await backend.waitUntilRunning()
      // Each location is in another time step, and the last one also in another cell.
      try backend.emit([.location(try PublisherBench.location(0))])
      if isReducedLater {
        for _ in 0..<round % 20 { await Task.yield() }
        backend.setAuthorization(reduced)
      }
      try backend.emit([.location(try PublisherBench.location(200_000))])
      try backend.end()
      try await run.value
      let statistics = publisher.statistics
      // The channel does not preserve order: a removal may arrive after the location that follows
      // it.
      let last = try #require(channel.received.withLock { $0.last { !$0.payload.isEmpty } })
      #expect(try OwnTracksMessage(json: last.payload).isReduced(at: 200_000), "round \(round)")
      if !isReducedLater {
        #expect(
          statistics.deleted == 0 && statistics.published == 2, "round \(round): \(statistics)")
      }
    }
  }
}

extension OwnTracksMessage {
  /// Whether the message is a location with reduced accuracy in the time step that contains a
  /// second.
  fileprivate func isReduced(at second: Int) throws -> Bool {
    guard case .location(let message) = self else { return false }
    let seconds = try PublisherBench.location(second).timestamp
      .timeIntervalSince(message.location.timestamp)
    return (0..<300).contains(seconds) && (message.location.horizontalAccuracy ?? 0) > 1_000
  }
}
