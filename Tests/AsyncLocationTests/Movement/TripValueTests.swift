import FoundationEssentials
import TestSupport
import Testing

@testable import AsyncLocation

@Suite(.inTurn) struct TripValueTests {
  private static let time = Date(timeIntervalSinceReferenceDate: 799_556_521.25)

  private static func trip(end: Date? = nil, stops: [Trip.Stop] = []) throws -> Trip {
    try Trip(
      start: time, end: end, startCoordinate: Coordinate(latitude: 1.5, longitude: 2),
      endCoordinate: end == nil ? nil : Coordinate(latitude: 1.75, longitude: 2.5),
      distance: 1_200.5, movingTime: end == nil ? nil : .seconds(50),
      maximumSpeed: 20, locationCount: 7, stops: stops)
  }

  @Test func tripsEncodeToFlatJSON() throws {
    try JSONTests.expect(
      Self.trip(),
      """
      {"distance":1200.5,"locationCount":7,"maximumSpeed":20,"start":"2026-05-04T03:02:01.250Z",\
      "startLatitude":1.5,"startLongitude":2}
      """)
    let stop = try Trip.Stop(
      coordinate: Coordinate(latitude: 1, longitude: 2), start: Self.time, end: Self.time + 10)
    try JSONTests.expect(
      Self.trip(end: Self.time + 60, stops: [stop]),
      """
      {"distance":1200.5,"end":"2026-05-04T03:03:01.250Z","endLatitude":1.75,"endLongitude":2.5,\
      "locationCount":7,"maximumSpeed":20,"movingTime":50,"start":"2026-05-04T03:02:01.250Z",\
      "startLatitude":1.5,"startLongitude":2,"stops":[{"end":"2026-05-04T03:02:11.250Z",\
      "latitude":1,"longitude":2,"start":"2026-05-04T03:02:01.250Z"}]}
      """)
    #expect(throws: DecodingError.self) {
      try JSONTests.decode(
        Trip.self,
        #"{"start":"2026-05-04T03:02:01Z","startLatitude":1,"startLongitude":2,"distance":-1,"#
          + #""locationCount":1}"#)
    }
  }

  @Test func tripsAreValidated() throws {
    let place = try Coordinate(latitude: 1, longitude: 2)
    func create(
      start: Date = Self.time, end: Date? = nil, distance: Double = 1, movingTime: Duration? = nil,
      speed: Double? = nil, count: Int = 1, stops: Int = 0
    ) throws -> Trip {
      try Trip(
        start: start, end: end, startCoordinate: place, distance: distance, movingTime: movingTime,
        maximumSpeed: speed, locationCount: count,
        stops: Array(
          repeating: Trip.Stop(coordinate: place, start: Self.time, end: Self.time), count: stops))
    }
    #expect(throws: Never.self) { try create(end: Self.time, stops: Trip.maximumStopCount) }
    for number in [-1, .nan, .infinity] as [Double] {
      #expect(throws: LocationError.self) { try create(distance: number) }
      #expect(throws: LocationError.self) { try create(speed: number) }
    }
    #expect(throws: LocationError.self) { try create(start: Timestamp.range.upperBound) }
    #expect(throws: LocationError.self) { try create(end: Self.time - 1) }
    #expect(throws: LocationError.self) { try create(movingTime: .seconds(-1)) }
    #expect(throws: LocationError.self) { try create(count: -1) }
    #expect(throws: LocationError.self) { try create(stops: Trip.maximumStopCount + 1) }
    #expect(throws: LocationError.self) {
      try Trip.Stop(coordinate: place, start: Self.time, end: Self.time - 1)
    }
  }

  @Test func optionsAreStored() throws {
    try JSONTests.expect(
      TripOptions(minimumRest: .milliseconds(1_500), device: "a"),
      """
      {"device":"a","jumpConfirmation":300,"maximumGap":14400,"minimumDistance":300,\
      "minimumRest":1.5,"minimumStop":60,"radius":75}
      """)
    #expect(try JSONTests.decode(TripOptions.self, "{}") == TripOptions())
  }

  @Test func valuesPrintTheirMembers() throws {
    #expect(
      "\(try Self.trip())".hasPrefix("Trip(start: 2026-05-04T03:02:01.250Z, startCoordinate: "))
    #expect("\(TripOptions())".hasPrefix("TripOptions(minimumRest: 600.0 seconds, radius: 75.0 m"))
  }

  @Test func theDurationIsKnownAtTheEnd() throws {
    #expect(try Self.trip().duration == nil)
    #expect(try Self.trip(end: Self.time + 60).duration == .seconds(60))
  }
}
