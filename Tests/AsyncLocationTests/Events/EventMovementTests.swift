import FoundationEssentials
import MockBackend
import TestSupport
import Testing

@testable import AsyncLocation

/// Compares the visits and significant changes of events with those of the streams.
@Suite(.inTurn) struct EventMovementTests {
  private struct Movement: Sendable {
    var visits: [Visit] = []
    var changes: [Location] = []
  }

  /// Returns when no buffer contains an unread element.
  private func waitUntilRead(_ manager: LocationManager) async {
    let inspector = Inspector(manager)
    while let inspection = inspector.inspect(), inspection.longestQueue > 0 { await Task.yield() }
  }

  @Test("F58 events and streams decide alike, across a withdrawal", arguments: 1...8)
  func eventsAndStreamsAgree(seed: UInt64) async throws {
    let bench = ManagerBench(authorization: .answering(AuthorizationDecision(.whenInUse)))
    let manager = bench.manager
    let (visits, changes) = (manager.visits, manager.significantLocationChanges)
    let events = manager.events(
      EventOptions(
        services: [.visits, .significantLocationChanges], reportsConnection: false))
    async let visitsRead = visits.all().elements
    async let changesRead = changes.all().elements
    async let eventsRead = events.all().elements
    var random = SplitMix64(seed: seed)
    var track = Track().then()
    for part in 1...6 {
      let earlier = part == 1 ? Track() : track
      let speed = Double.random(in: 5...25, using: &random)
      // Locations 30 s apart: each is evaluated by both services, and the buffers hold all of them.
      track = track.stay(.random(in: 60...900, using: &random).rounded(), every: 30)
        .path(for: .random(in: 60...900, using: &random).rounded(), every: 30) {
          (speed * $0, 0)
        }
      try await bench.feed(track, after: earlier)
      await waitUntilRead(manager)
      if part == 3 {
        await manager.setInUse(false)
        await manager.setInUse(true)
        await manager.until { $0.backendRuns == 2 }
      }
    }
    await manager.shutdown()
    let ofStreams = Movement(visits: await visitsRead, changes: await changesRead)
    let ofEvents = await eventsRead.reduce(into: Movement()) { movement, event in
      switch event {
      case .didVisit(let visit): movement.visits.append(visit)
      case .didUpdateLocations(let locations): movement.changes += locations
      default: break
      }
    }
    #expect(ofStreams.visits == ofEvents.visits)
    #expect(ofStreams.changes == ofEvents.changes)
    #expect(ofEvents.changes.count > 3)
  }
}
