import FoundationEssentials
import TestSupport
import Testing

@testable import AsyncLocation

/// The values of visits, pauses and their options, and the marker of reduced locations.
@Suite(.inTurn) struct MovementValueTests {
  private static let time = Date(timeIntervalSinceReferenceDate: 799_556_521.25)

  @Test func visitsEncodeToFlatJSON() throws {
    try JSONTests.expect(
      Visit(coordinate: Coordinate(latitude: 1.5, longitude: 2)), #"{"latitude":1.5,"longitude":2}"#
    )
    try JSONTests.expect(
      Visit(
        coordinate: Coordinate(latitude: 1.5, longitude: 2), horizontalAccuracy: 5,
        arrival: Self.time, departure: Self.time.addingTimeInterval(60)),
      """
      {"arrival":"2026-05-04T03:02:01.250Z","departure":"2026-05-04T03:03:01.250Z",\
      "horizontalAccuracy":5,"latitude":1.5,"longitude":2}
      """)
    #expect(throws: DecodingError.self) {
      try JSONTests.decode(
        Visit.self, #"{"latitude":1.5,"longitude":2,"horizontalAccuracy":-1}"#)
    }
  }

  @Test func visitsAreValidated() throws {
    let place = try Coordinate(latitude: 1, longitude: 2)
    for accuracy in [-1, .nan, .infinity] as [Double] {
      #expect(throws: LocationError.self) {
        try Visit(coordinate: place, horizontalAccuracy: accuracy)
      }
    }
    for date in [Timestamp.range.lowerBound - 1, Timestamp.range.upperBound] {
      #expect(throws: LocationError.self) { try Visit(coordinate: place, arrival: date) }
      #expect(throws: LocationError.self) { try Visit(coordinate: place, departure: date) }
    }
  }

  @Test func optionsAndEventsAreStored() throws {
    try JSONTests.expect(
      VisitOptions(minimumStay: .milliseconds(1_500), device: "a"),
      """
      {"departureConfirmation":30,"device":"a","jumpConfirmation":300,"maximumGap":900,\
      "minimumStay":1.5,"radius":100}
      """)
    #expect(try JSONTests.decode(VisitOptions.self, "{}") == VisitOptions())
    try JSONTests.expect(
      PauseEvent(isPaused: true, activityType: .fitness),
      #"{"activityType":"fitness","isPaused":true}"#)
    #expect(
      try JSONTests.decode(
        PauseEvent.self, #"{"activityType":"diving","device":"a","isPaused":false}"#)
        == PauseEvent(isPaused: false, device: "a"))
    #expect(
      try JSONTests.decode(UpdateOptions.self, #"{"activityType":"diving"}"#).activityType == .other
    )
  }

  @Test func valuesPrintTheirMembers() throws {
    #expect(
      "\(try Visit(coordinate: Coordinate(latitude: 1, longitude: 2), arrival: Self.time))"
        == "Visit(latitude: 1.0°, longitude: 2.0°, arrival: 2026-05-04T03:02:01.250Z)")
    #expect(
      "\(PauseEvent(isPaused: false, device: "a"))"
        == "PauseEvent(isPaused: false, activityType: other, device: \"a\")")
    #expect(
      "\(VisitOptions())".hasPrefix("VisitOptions(minimumStay: 300.0 seconds, radius: 100.0 m"))
  }

  /// The marker is not part of a location's value: it is neither compared, hashed nor stored.
  @Test func theReducedMarkerIsNotPartOfTheValue() throws {
    let location = Sample.location(1)
    var reduced = location
    reduced.isReduced = true
    #expect(!location.isReduced)
    #expect(location == reduced)
    #expect(location.hashValue == reduced.hashValue)
    #expect(try JSONTests.encode(location) == JSONTests.encode(reduced))
    #expect(try JSONTests.decode(Location.self, JSONTests.encode(reduced)).isReduced == false)
    #expect(try reduced.with { $0.speed = 1 }.isReduced)
    #expect("\(location)" == "\(reduced)")
  }
}
