import FoundationEssentials
import MockBackend
import TestSupport
import Testing

@testable import AsyncLocation

@Suite(.inTurn) struct CopyingTests {
  @Test func aCopyWithoutChangesIsEqual() throws {
    var random = SplitMix64(seed: 3)
    for _ in 0..<1000 {
      let location = try random.location()
      #expect(try location.with { _ in } == location)
      let heading = try random.heading()
      #expect(try heading.with { _ in } == heading)
    }
  }

  @Test func aCopyKeepsOtherMembers() throws {
    let time = Date(timeIntervalSinceReferenceDate: 5)
    let location = try Location(
      latitude: 1, longitude: 2, timestamp: time, altitude: 3, horizontalAccuracy: 4, course: 90)
    let copy = try location.with {
      $0.altitude = nil
      $0.speed = 3
      $0.course = 360
    }
    #expect(
      try copy
        == Location(
          latitude: 1, longitude: 2, timestamp: time, horizontalAccuracy: 4, speed: 3, course: 0))
    let elsewhere = try Coordinate(latitude: 9, longitude: 8)
    let moved = try location.with { $0.coordinate = elsewhere }
    #expect(moved.latitude == 9)
    #expect(moved.altitude == 3)
  }

  @Test func outOfRangeValuesAreRefused() throws {
    let location = try Location(latitude: 1, longitude: 2)
    let error = #expect(throws: LocationError.self) { try location.with { $0.speed = -1 } }
    #expect(error?.code == .invalidValue)
    #expect(error?.message.contains("speed") == true)
    #expect(throws: LocationError.self) { try location.with { $0.altitude = .nan } }
    let heading = try Heading(trueHeading: 1, timestamp: Date(), source: .compass)
    #expect(throws: LocationError.self) { try heading.with { $0.trueHeading = nil } }
  }

  @Test func aCopyHasTheAgeOfItsOriginal() throws {
    var location = try Location(latitude: 1, longitude: 2)
    #expect(try location.with { $0.speed = 1 }.age == nil)
    location.arrival = Arrival(timeline: Timeline(.continuous), instant: .seconds(-60))
    let copy = try location.with { $0.timestamp += 3600 }
    #expect(try #require(copy.age) >= .seconds(60))
  }
}
