import AsyncLocation
import FoundationEssentials
import MockBackend
import OwnTracks
import TestSupport
import Testing

@testable import MQTTBackend

/// A publisher reads of a withdrawal when permission is there again.
@Suite(.inTurn) struct PublisherWithoutNewsTests {
  @Test("Once lapses, is denied, and granted at once: what waited is deleted")
  func lapsed() async throws {
    var told = 0
    let rounds = 10
    for _ in 0..<rounds {
      let backend = MockBackend(authorization: .answering(.authorizedOnce))
      let manager = LocationManager(backend: backend, clock: ManualClock())
      let channel = WorkingChannel(isOpen: false)
      let publisher = LocationPublisher(
        manager, topic: try OwnTracksTopic(user: "jane", device: "boat"), over: channel,
        storage: MemoryPublicationStorage(), options: PublisherOptions(), clock: ManualClock())
      let run = Task { try await publisher.run() }
      await backend.waitUntilRunning()
      try backend.emit([.location(try PublisherBench.location(7))])
      while publisher.statistics.stored == 0 { await Task.yield() }
      try backend.end()
      for await authorization in manager.authorizationUpdates
      where authorization.status == .notDetermined { break }
      backend.setAuthorization(.denied)
      #expect(await manager.authorization().status == .denied)
      backend.setAuthorization(AuthorizationDecision(.always))
      for await authorization in manager.authorizationUpdates where authorization.isAuthorized {
        break
      }
      channel.open()
      for _ in 0..<2_000 { await Task.yield() }
      run.cancel()
      _ = await run.result
      if channel.received.withLock({ $0.contains { !$0.payload.isEmpty } }) { told += 1 }
    }
    #expect(told == 0, "of \(rounds)")
  }
}
