import AsyncLocation
import FoundationEssentials
import MockBackend
import OwnTracks
import TestSupport
import Testing

@testable import MQTTBackend

/// The publisher observes a withdrawal only after permission has been granted again.
@Suite(.inTurn) struct MissedWithdrawalTests {
  @Test("does not deliver stored locations after permission lapses, is denied and granted again")
  func lapsed() async throws {
    var deliveredCount = 0
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
      // A location that outlived the denial would be sent during these yields.
      for _ in 0..<2_000 { await Task.yield() }
      run.cancel()
      _ = await run.result
      if channel.received.withLock({ $0.contains { !$0.payload.isEmpty } }) { deliveredCount += 1 }
    }
    #expect(deliveredCount == 0, "of \(rounds)")
  }
}
