import FoundationEssentials
import TestSupport
import Testing

@testable import AsyncLocation

@Suite(.inTurn) struct EqualityTests {
  static let time = Date(timeIntervalSinceReferenceDate: 1)

  /// Returns locations, each of which differs from the first in one member.
  static func locations() throws -> [Location] {
    func make(
      latitude: Double = 1, longitude: Double = 2, timestamp: Date = time,
      altitude: Double? = 3, ellipsoidalAltitude: Double? = 4, horizontalAccuracy: Double? = 5,
      verticalAccuracy: Double? = 6, speed: Double? = 7, speedAccuracy: Double? = 8,
      course: Double? = 9, courseAccuracy: Double? = 10, climb: Double? = 11, floor: Int? = 12,
      sourceInformation: SourceInformation? = SourceInformation(),
      gnss: GNSSFix.Mode? = .twoDimensional
    ) throws -> Location {
      try Location(
        latitude: latitude, longitude: longitude, timestamp: timestamp, altitude: altitude,
        ellipsoidalAltitude: ellipsoidalAltitude, horizontalAccuracy: horizontalAccuracy,
        verticalAccuracy: verticalAccuracy, speed: speed, speedAccuracy: speedAccuracy,
        course: course, courseAccuracy: courseAccuracy, climb: climb, floor: floor,
        sourceInformation: sourceInformation, gnss: gnss.map { try GNSSFix(mode: $0) })
    }
    return try [
      make(), make(latitude: 0), make(longitude: 0),
      make(timestamp: Date(timeIntervalSinceReferenceDate: 2)), make(altitude: nil),
      make(ellipsoidalAltitude: nil), make(horizontalAccuracy: nil), make(verticalAccuracy: nil),
      make(speed: nil), make(speedAccuracy: nil), make(course: nil), make(courseAccuracy: nil),
      make(climb: nil), make(floor: nil), make(sourceInformation: nil), make(gnss: nil),
      make(gnss: .threeDimensional), make(altitude: 0), make(altitude: 3.5),
    ]
  }

  @Test func locationsDifferInEveryMember() throws {
    let first = try Self.locations()
    let second = try Self.locations()
    for (i, left) in first.enumerated() {
      for (j, right) in second.enumerated() { #expect((left == right) == (i == j), "\(i) \(j)") }
      #expect(left.hashValue == second[i].hashValue)
    }
    #expect(Set(first + second).count == first.count)
  }

  @Test func equalityIgnoresAge() throws {
    let location = try Location(latitude: 1, longitude: 2, timestamp: Self.time)
    var arrived = location
    arrived.arrival = Arrival(timeline: Timeline(.continuous), instant: .zero)
    #expect(location.age == nil)
    #expect(arrived.age != nil)
    #expect(arrived == location)
    #expect(arrived.hashValue == location.hashValue)
  }

  @Test func negativeZeroEqualsZero() throws {
    let positive = try Coordinate(latitude: 0, longitude: 0)
    let negative = try Coordinate(latitude: -0.0, longitude: -0.0)
    #expect(positive == negative)
    #expect(positive.hashValue == negative.hashValue)
    let still = try Location(coordinate: positive, timestamp: Self.time, speed: 0, course: 0)
    let turned = try Location(coordinate: negative, timestamp: Self.time, speed: -0.0, course: 360)
    #expect(still == turned)
    #expect(still.hashValue == turned.hashValue)
    #expect(
      try Heading(trueHeading: 360, timestamp: Self.time, source: .compass)
        == Heading(trueHeading: -0.0, timestamp: Self.time, source: .compass))
  }

  @Test func usedSatellitesKeepTheirOrder() throws {
    let view = try SatelliteView(
      satellites: [3, 1, 2].map { try Satellite(prn: $0, isUsed: $0 != 1) })
    #expect(view.used.map(\.prn) == [3, 2])
  }

  @Test func errorsCompareByCodeAndMessage() {
    let error = LocationError(.timedOut, "late", cause: CancellationError())
    #expect(error == LocationError(.timedOut, "late"))
    #expect(error.hashValue == LocationError(.timedOut, "late").hashValue)
    #expect(error != LocationError(.timedOut, "later"))
    #expect(error != LocationError(.connectionLost, "late"))
    #expect(error.description == "timedOut: late")
  }

  static let codes: [(LocationError.Code, String, Bool)] = [
    (.locationUnknown, "locationUnknown", true), (.denied, "denied", false),
    (.restricted, "restricted", false), (.timedOut, "timedOut", true),
    (.backendUnavailable, "backendUnavailable", true), (.notGPSD, "notGPSD", false),
    (.connectionLost, "connectionLost", true), (.deviceUnknown, "deviceUnknown", false),
    (.unsupported, "unsupported", false), (.invalidValue, "invalidValue", false),
    (.shutDown, "shutDown", false), (.promptDeclined, "promptDeclined", false),
    (.locationServicesDisabled, "locationServicesDisabled", false),
    (.geocodeFoundNoResult, "geocodeFoundNoResult", false),
    (.geocodeFoundPartialResult, "geocodeFoundPartialResult", false),
    (.geocodeCanceled, "geocodeCanceled", true), (.network, "network", true),
    (.rateLimited, "rateLimited", true), (.geocoderUnavailable, "geocoderUnavailable", false),
  ]

  @Test func codesHaveNamesAndTransience() {
    for (code, name, isTransient) in Self.codes {
      #expect(code.description == name)
      #expect(LocationError(code, "").isTransient == isTransient)
    }
    #expect(Set(Self.codes.map(\.0)).count == Self.codes.count)
  }
}
