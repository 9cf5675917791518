import AsyncLocation
import GPSDBackend
import LocationRecording
import MockBackend
import TestSupport
import Testing

/// Records and replays the locations of a real gpsd.
@Suite(.serialized, .needsGPSD, .inTurn)
struct RealRecordingTests {
  /// The format is also that of the lines which `watch --format json` prints.
  @Test func aReplayDeliversTheSameLocations() async throws {
    let gpsd = try RealGPSD()
    let manager = LocationManager(backend: GPSDBackend(.local(gpsd.port)))
    let updates = manager.updates
    let recorded = Task { try await Self.first(20, of: updates) }
    for await state in manager.connectionStates
    where state.phase == .connected && state.receivers.contains(where: { $0.name == gpsd.device }) {
      gpsd.feed.start()
      break
    }
    let locations = try await recorded.value
    gpsd.feed.pause()
    await manager.shutdown()

    let text = Track(locations).encoded(as: .locationJSON)
    let recording = try Recording(text)
    #expect(recording.skipped.isEmpty)
    // System clock: it paces a replay, whose end the test awaits.
    let backend = try MockBackend.replay(recording.events, rate: 1_000, clock: .continuous)
    let replay = LocationManager(backend: backend)
    let replayed = try await Self.first(21, of: replay.updates)
    #expect(replayed.allSatisfy { $0.sourceInformation?.isSimulated == true })
    #expect(replayed.allSatisfy { $0.sourceInformation?.device == gpsd.device })
    let (expected, found) = (try Self.bare(locations), try Self.bare(replayed))
    #expect(found.count == expected.count)
    for (location, expected) in zip(found, expected) { #expect(location == expected) }
  }

  private static func first(
    _ count: Int, of updates: some AsyncSequence<Location, any Error> & Sendable
  ) async throws -> [Location] {
    var locations: [Location] = []
    for try await location in updates {
      locations.append(location)
      if locations.count == count { break }
    }
    return locations
  }

  /// The locations without their sources. The integrity is not compared: a manager assesses a replay
  /// anew, and the recording lacks the locations that a slow reader lost.
  private static func bare(_ locations: [Location]) throws -> [Location] {
    try locations.map { location in try location.with { $0.sourceInformation = nil } }
  }
}
