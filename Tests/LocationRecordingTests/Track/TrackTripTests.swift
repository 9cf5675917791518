import AsyncLocation
import FoundationEssentials
import LocationRecording
import TestSupport
import Testing

@Suite(.inTurn) struct TrackTripTests {
  /// A rest, a drive of 4 km north and another rest, each second.
  private static func locations(
    device: String? = nil, timeSource: SourceInformation.TimeSource = .receiver
  ) throws -> [Location] {
    try (0..<2_500).map { second in
      let metres = Double(min(max(0, second - 900), 400)) * 10
      return try Location(
        latitude: 50 + metres / 111_200, longitude: 9,
        timestamp: Date(timeIntervalSinceReferenceDate: 700_000_000 + Double(second)),
        horizontalAccuracy: 5,
        sourceInformation: SourceInformation(device: device, timeSource: timeSource))
    }
  }

  @Test func aTrackHasTrips() throws {
    let trips = Track(try Self.locations()).trips()
    try #require(trips.count == 1)
    #expect(abs(trips[0].distance - 4_000) < 50)
    #expect(trips[0].end != nil)
  }

  @Test func aTripThatTheTrackCutsHasNoEnd() throws {
    let trips = Track(try Self.locations().prefix(1_200)).trips()
    #expect(trips.map { $0.end == nil } == [true])
  }

  @Test func aTrackIsWhatTheMachineReads() throws {
    let locations = try Self.locations()
    var machine = TripStateMachine()
    let live = locations.compactMap { machine.located($0) }.filter { $0.end != nil }
    #expect(Track(locations).trips() == live)
  }

  @Test func onlyTheNamedReceiverCounts() throws {
    let track = Track(try Self.locations(device: "a"))
    #expect(track.trips(TripOptions(device: "a")).count == 1)
    #expect(track.trips(TripOptions(device: "b")).isEmpty)
  }

  @Test func timesThatAreMadeUpAreNoEvidence() throws {
    #expect(Track(try Self.locations(timeSource: .host)).trips().isEmpty)
  }
}
