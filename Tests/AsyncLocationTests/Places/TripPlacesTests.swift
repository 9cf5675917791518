import AsyncLocation
import FoundationEssentials
import TestSupport
import Testing

/// The places of a trip, from a geocoder that answers by latitude.
@Suite(.inTurn)
struct TripPlacesTests {
  private struct Places: Geocoder {
    let asked = Locked<[Double]>([])
    let answer: @Sendable (Double) throws -> [Placemark]

    func reverseGeocode(
      _ coordinate: Coordinate, locale: GeocodingLocale?
    ) async throws -> [Placemark] {
      asked.withLock { $0.append(coordinate.latitude) }
      return try answer(coordinate.latitude)
    }

    func geocode(
      _ name: String, near: Coordinate?, locale: GeocodingLocale?
    ) async throws -> [Placemark] { [] }
  }

  private static func place(_ name: String) throws -> Placemark {
    try Placemark(coordinate: Coordinate(latitude: 0, longitude: 0), name: name)
  }

  private static func trip(isEnded: Bool = true, stops: Int = 2) throws -> Trip {
    func coordinate(_ latitude: Int) throws -> Coordinate {
      try Coordinate(latitude: Double(latitude), longitude: 8)
    }
    let start = Date(timeIntervalSinceReferenceDate: 0)
    return try Trip(
      start: start, end: isEnded ? start + 3_600 : nil, startCoordinate: coordinate(1),
      endCoordinate: isEnded ? coordinate(2) : nil, distance: 1_000,
      movingTime: isEnded ? .seconds(600) : nil, maximumSpeed: nil, locationCount: 10,
      stops: (0..<stops).map {
        try Trip.Stop(coordinate: coordinate(10 + $0), start: start + 60, end: start + 120)
      })
  }

  @Test("each point is asked for once, in the order of the trip")
  func order() async throws {
    let geocoder = Places { [try Self.place("\($0)"), try Self.place("second")] }
    let places = try await geocoder.places(of: Self.trip())
    #expect(geocoder.asked.withLock(\.self) == [1, 10, 11, 2])
    #expect(places.start?.name == "1.0")
    #expect(places.stops.map { $0?.name } == ["10.0", "11.0"])
    #expect(places.end?.name == "2.0")
  }

  @Test("a trip that lasts has no place of arrival")
  func lasting() async throws {
    let geocoder = Places { [try Self.place("\($0)")] }
    let places = try await geocoder.places(of: Self.trip(isEnded: false, stops: 0))
    #expect(geocoder.asked.withLock(\.self) == [1])
    #expect(places == TripPlaces(start: try Self.place("1.0"), end: nil))
  }

  @Test("a point without a place has none, and a partial result is used")
  func withoutPlace() async throws {
    let geocoder = Places { latitude in
      switch latitude {
      case 1: throw LocationError(.geocodeFoundNoResult, "nothing")
      case 10: throw LocationError.geocodePartialResult([try Self.place("far")], "at sea")
      case 11: return []
      default: return [try Self.place("\(latitude)")]
      }
    }
    let places = try await geocoder.places(of: Self.trip())
    #expect(places.start == nil)
    #expect(places.stops.map { $0?.name } == ["far", nil])
    #expect(places.end?.name == "2.0")
  }

  @Test("any other error is thrown, and nothing more is asked for")
  func failure() async throws {
    let geocoder = Places { latitude in
      guard latitude < 10 else { throw LocationError(.network, "unreachable") }
      return [try Self.place("\(latitude)")]
    }
    let error = await #expect(throws: LocationError.self) {
      try await geocoder.places(of: Self.trip())
    }
    #expect(error?.code == .network)
    #expect(geocoder.asked.withLock(\.self) == [1, 10])
  }

  @Test("a cancelled task asks for nothing more")
  func cancellation() async throws {
    let geocoder = Places { latitude in
      if latitude == 1 { withUnsafeCurrentTask { $0?.cancel() } }
      try Task.checkCancellation()
      return [try Self.place("\(latitude)")]
    }
    let task = Task { try await geocoder.places(of: Self.trip()) }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(geocoder.asked.withLock(\.self) == [1])
  }
}
