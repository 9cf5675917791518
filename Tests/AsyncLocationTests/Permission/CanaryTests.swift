import AsyncLocation
import FoundationEssentials
import MockBackend
import TestSupport
import Testing

/// Text that may be logged contains no coordinate.
@Suite("F42 no coordinates in logs", .inTurn)
struct CanaryTests {
  private static let latitude = 12.3456789
  private static let longitude = 98.7654321
  private static let traces = ["12.345", "98.765"]

  private static func canary() throws -> Location {
    try Location(
      latitude: latitude, longitude: longitude,
      timestamp: Date(timeIntervalSince1970: 1_800_000_000),
      horizontalAccuracy: 500)
  }

  private static func expectNoTrace(
    of value: Any, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    var texts = ["\(value)", String(reflecting: value)]
    dump(value, to: &texts[0])
    for text in texts {
      #expect(!traces.contains(where: text.contains), "\(text)", sourceLocation: sourceLocation)
    }
  }

  /// Errors and other printed values of a manager that has a last location.
  @Test func errorsContainNoCoordinates() async throws {
    let clock = ManualClock()
    let backend = MockBackend(clock: clock)
    let manager = LocationManager(backend: backend, clock: clock)
    let (updates, live) = (manager.updates, manager.liveUpdates)
    let call = Task.immediate {
      try await manager.currentLocation(desiredAccuracy: .meters(1), timeout: .seconds(3))
    }
    await clock.waitForSleepers()
    await backend.waitUntilRunning()
    try backend.emit(.location(try Self.canary()))
    Self.expectNoTrace(of: await manager.statistics)
    Self.expectNoTrace(of: await manager.authorization())
    backend.setAuthorization(.authorizedWhenInUse.limited(to: .reduced))
    clock.advance(by: .seconds(3))
    let timedOut = await call.result
    if case .failure(let error) = timedOut { Self.expectNoTrace(of: error) }
    #expect(throws: LocationError.self) { try timedOut.get() }
    backend.setAuthorization(.denied.withReason("Not today."))
    let denied = try #require(await updates.all().error)
    Self.expectNoTrace(of: denied)
    Self.expectNoTrace(of: backend.calls)
    await #expect {
      try await manager.requestTemporaryFullAccuracyAuthorization(purposeKey: "docking")
    } throws: { error in
      Self.expectNoTrace(of: error)
      return true
    }
    await manager.shutdown()
    for update in await live.all().elements { Self.expectNoTrace(of: update.diagnostics) }
    await #expect {
      try await manager.currentLocation()
    } throws: { error in
      Self.expectNoTrace(of: error)
      return true
    }
  }

  /// Errors of geocoders, including partial results.
  @Test func errorsOfGeocodersContainNoCoordinates() async throws {
    let point = try Self.canary().coordinate
    let errors = [
      LocationError.geocodePartialResult([Placemark(coordinate: point)], "Far."),
      LocationError(.geocodeFoundNoResult, "None."), LocationError(.network, "Down."),
    ]
    for error in errors {
      let server = MockGeocoder { _ in .error(error) }
      let cache = CachingGeocoder(server)
      for geocoder in [cache, FallbackGeocoder(cache, server)] as [any Geocoder] {
        let found = await #expect(throws: LocationError.self) {
          try await geocoder.reverseGeocode(point)
        }
        Self.expectNoTrace(of: try #require(found))
      }
      Self.expectNoTrace(of: cache.statistics)
    }
  }

  /// Refusal messages do not contain the refused values.
  @Test func errorsDoNotContainRefusedCoordinates() throws {
    for (latitude, longitude) in [(Self.longitude, Self.latitude), (Self.latitude, 198.7654321)] {
      let error = #expect(throws: LocationError.self) {
        try Coordinate(latitude: latitude, longitude: longitude)
      }
      let text = try #require(error).description
      #expect(!Self.traces.contains(where: text.contains), "\(text)")
    }
    let json = #"{"latitude":98.7654321,"longitude":12.3456789,"timestamp":"2026-05-04T03:02:01Z"}"#
    let error = #expect(throws: (any Error).self) {
      try JSONDecoder().decode(Location.self, from: Data(json.utf8))
    }
    Self.expectNoTrace(of: try #require(error))
  }

  @Test func aPrintedKeyShowsNoByte() throws {
    let key = try ReducedAccuracyKey(bytes: Array(repeating: 0xAB, count: 32))
    for text in ["\(key)", String(reflecting: key)] {
      #expect(!text.contains("171"))
      #expect(!text.lowercased().contains("ab, ab"))
    }
    var dumped = ""
    dump(key, to: &dumped)
    #expect(!dumped.contains("171"))
  }
}
