import MockBackend
import TestSupport
import Testing

@testable import AsyncLocation
@testable import async_location_example

@Suite(.inTurn) struct PlaceTests {
  private static let point = Result { try Coordinate(latitude: 47.14, longitude: 9.52) }

  private static func vaduz() throws -> Placemark {
    var placemark = Placemark(coordinate: try point.get())
    (placemark.name, placemark.locality, placemark.country) = ("Vaduz", "Vaduz", "Liechtenstein")
    (placemark.isoCountryCode, placemark.population) = ("LI", 5_197)
    placemark.attribution = "GeoNames, CC BY 4.0"
    return placemark
  }

  private static func bench(
    _ shape: Presentation.Shape = .lines, _ backend: MockBackend = MockBackend(),
    answer: @escaping @Sendable (MockGeocoder.Request) -> MockGeocoder.Answer
  ) -> Bench {
    Bench(backend, shape: shape, geocoder: MockGeocoder(answer: answer))
  }

  // MARK: place

  @Test func aPointPrintsTheNearestPlace() async throws {
    let (place, point) = (try Self.vaduz(), try Self.point.get())
    let bench = Self.bench { request in
      #expect(request == .reverseGeocode(point, locale: "de"))
      return .placemarks(place, place)
    }
    #expect(try await bench.run("place 47.14 9.52 --locale de") == .done)
    #expect(
      await bench.output.lines == [
        " 47.14000    9.52000        0      5197 LI Vaduz, Liechtenstein"
      ])
    #expect(await bench.errors.lines.last?.hasSuffix("data: GeoNames, CC BY 4.0") == true)
  }

  @Test(arguments: ["47°8'24\"N 9°31'12\"E", "47.14N, 9.52E"])
  func degreesWithLettersAreAPoint(_ words: String) async throws {
    let (place, point) = (try Self.vaduz(), try Self.point.get())
    let bench = Self.bench { request in
      #expect(request == .reverseGeocode(point, locale: nil))
      return .placemarks(place)
    }
    #expect(try await bench.run("place \(words)") == .done)
  }

  @Test func aNamePrintsPlacesUpToTheLimit() async throws {
    let place = try Self.vaduz()
    let bench = Self.bench(.json) { request in
      #expect(request == .geocode("Va duz, LI", near: nil, locale: nil))
      return .placemarks(place, place, place)
    }
    #expect(try await bench.run("place Va duz, LI --limit 2 --format json") == .done)
    #expect(await bench.output.lines == [try JSONLine.line(place), try JSONLine.line(place)])
    #expect(await bench.errors.text.isEmpty, "the attribution is a member")
  }

  @Test func aPartialResultIsPrintedAndFails() async throws {
    let place = try Self.vaduz()
    let bench = Self.bench { _ in .error(.geocodePartialResult([place], "Far at sea.")) }
    #expect(try await bench.run("place 47.14 9.52") == .failed)
    #expect(await bench.output.lines.count == 1)
    #expect(await bench.errors.lines.last == "async-location-example: Far at sea.")
  }

  static let failures: [(LocationError.Code, ExitCode)] = [
    (.geocodeFoundNoResult, .failed), (.network, .failed), (.rateLimited, .failed),
    (.timedOut, .timedOut), (.invalidValue, .usage),
  ]

  @Test(arguments: failures)
  func aFailureIsAStatus(_ code: LocationError.Code, _ status: ExitCode) async throws {
    let bench = Self.bench { _ in .error(LocationError(code, "Why.")) }
    #expect(try await bench.run("place a") == status)
    #expect(await bench.output.text.isEmpty)
    #expect(await bench.errors.text == "async-location-example: Why.\n")
  }

  @Test("F41 text of a geocoder is escaped")
  func geocoderTextIsEscaped() async throws {
    var place = try Self.vaduz()
    let hostile = "a\u{1B}[2J\u{202E}\"\n"
    (place.name, place.isoCountryCode, place.attribution) = (hostile, "\u{9B}1", hostile)
    let answer = place
    for line in ["place a", "watch --places --count 1"] {
      let bench = Self.bench(
        .lines, try MockBackend(script: [.locations(try Samples.location()), .end])
      ) { _ in .placemarks(answer) }
      #expect(try await bench.run(line) == .done)
      let text = await bench.output.text + bench.errors.text
      #expect(text.contains("a\\u001b[2J"), "\(text)")
      #expect(text.unicodeScalars.allSatisfy { $0 == "\n" || (0x20..<0x7F).contains($0.value) })
    }
  }

  // MARK: watch --places

  /// Runs `watch --places` for two locations, and returns its lines and its messages.
  ///
  /// - Parameter between: Called after the first line, which waits for its place.
  private static func watchedPlaces(
    between: (MockBackend) async throws -> Void = { _ in }
  ) async throws -> (lines: [String], errors: String) {
    let geocoder = MockGeocoder()
    let backend = MockBackend()
    let bench = Bench(backend, geocoder: geocoder)
    let run = Task { try await bench.run("watch --places --count 2") }
    await backend.waitUntilRunning()
    try backend.emit(.location(try Samples.location()))
    await geocoder.waitForRequests()
    #expect(await bench.output.text.isEmpty)
    geocoder.answer(try vaduz())
    await bench.output.wait(for: "Vaduz")
    try await between(backend)
    try backend.emit(.location(try Samples.location(latitude: 48.2)))
    #expect(try await run.value == .done)
    let lines = await bench.output.lines
    #expect(lines.count == 2)
    return (lines, await bench.errors.text)
  }

  @Test func theFirstLineWaitsForItsPlace() async throws {
    let (lines, errors) = try await Self.watchedPlaces()
    // The distance is from each line's location, whichever location the request was for.
    for (line, distance) in zip(lines, ["190 km", "194 km"]) {
      #expect(line.hasSuffix("\"Vaduz, Liechtenstein (\(distance))\" /dev/ttyACM0"), "\(line)")
    }
    #expect(errors.contains("places: GeoNames, CC BY 4.0"))
  }

  @Test("F58 no exact place is shown after a reduction", arguments: [false, true])
  func noExactPlaceIsShownAfterAReduction(isFullAgain: Bool) async throws {
    let (lines, _) = try await Self.watchedPlaces { backend in
      await backend.waitForReaders(of: .authorizationUpdates)
      backend.setAuthorization(AuthorizationDecision(.whenInUse, accuracy: .reduced))
      try await backend.settle()
      guard isFullAgain else { return }
      backend.setAuthorization(AuthorizationDecision(.whenInUse))
      try await backend.settle()
      await backend.waitUntilRunning()
    }
    #expect(lines.last?.contains("Vaduz") == false)
  }

  @Test func aTableForgetsAPlaceBesideAReducedLocation() throws {
    var state = WatchState(source: "gpsd")
    let exact = try Samples.location()
    var reduced = exact
    reduced.isReduced = true
    state.record(reduced, at: .zero)
    state.record(PlacemarkUpdate(location: exact, placemarks: [try Self.vaduz()]))
    state.record(Authorization(status: .authorizedAlways, accuracy: .reduced))
    state.record(Authorization(status: .authorizedAlways))
    state.record(exact, at: .zero)
    #expect(state.place == nil)
  }

  @Test(arguments: [
    Authorization(status: .denied), Authorization(status: .authorizedAlways, accuracy: .reduced),
    nil,
  ])
  func tableForgetsWithdrawnData(authorization: Authorization?) throws {
    var state = WatchState(source: "gpsd")
    let location = try Samples.location()
    state.record(location, at: .zero)
    state.record(PlacemarkUpdate(location: location, placemarks: [try Self.vaduz()]))
    state.record(try Samples.sky(4))
    #expect(state.place != nil)
    #expect(state.sky != nil)
    state.record(LocationUpdate(diagnostics: .locationUnavailable))
    #expect(state.location != nil)
    if let authorization {
      state.record(authorization)
    } else {
      state.record(LocationUpdate(diagnostics: .insufficientlyInUse))
    }
    #expect(state.location == nil)
    #expect(state.place == nil)
    #expect(state.sky == nil)
  }

  @Test func geocoderFailureIsReportedOnce() async throws {
    let bench = Self.bench(
      .lines,
      try MockBackend(script: [
        .locations(try Samples.location()), .locations(try Samples.location(latitude: 49)), .end,
      ])
    ) { _ in .error(LocationError(.network, "The server does not answer.")) }
    #expect(try await bench.run("watch --places") == .done)
    #expect(await bench.output.lines.allSatisfy { $0.hasSuffix("3D  9 plausible - /dev/ttyACM0") })
    let errorLines = await bench.errors.lines.filter { $0.contains("does not answer") }
    #expect(errorLines == ["async-location-example: no place: The server does not answer."])
  }

  @Test func jsonHasThePlaceAsAMember() async throws {
    let place = try Self.vaduz()
    let bench = Self.bench(
      .json, try MockBackend(script: [.locations(try Samples.location()), .end])
    ) { _ in .placemarks(place) }
    #expect(try await bench.run("watch --places --format json") == .done)
    var location = try Samples.location()
    location.integrity = .plausible
    let shown = place.measured(from: location.coordinate)
    #expect(
      await bench.output.lines == [
        try JSONLine.line(LocatedPlace(location: location, placemark: shown))
      ])
    #expect(await bench.output.text.contains("\"placemark\":{"))
  }

  @Test func withoutPlacesNothingIsAsked() async throws {
    let bench = Bench(try MockBackend(script: [.locations(try Samples.location()), .end]))
    #expect(try await bench.run("watch") == .done)
    #expect(await bench.output.lines == [try Samples.line(Samples.location(), .plausible)])
  }

  @Test func aSourceWithoutALocationEndsTheWait() async throws {
    let bench = Bench(try MockBackend(script: [.end]), geocoder: MockGeocoder())
    #expect(try await bench.run("watch --places") == .done)
  }

  @Test func theTableShowsThePlace() throws {
    var state = WatchState(source: "mock")
    let location = try Samples.location()
    state.record(location, at: .zero)
    state.record(
      PlacemarkUpdate(
        location: location, placemarks: [try Self.vaduz().measured(from: location.coordinate)]))
    func rows() -> [String] {
      WatchTable(glyphs: .ascii).lines(state, now: .zero).map { $0.text(color: false) }
    }
    #expect(rows().contains("Place       Vaduz, Liechtenstein (190 km)"))
    #expect(rows().contains("            GeoNames, CC BY 4.0"))
    let error = LocationError.geocodePartialResult([try Self.vaduz()], "Far at\u{1B} sea.")
    state.record(
      PlacemarkUpdate(location: location, placemarks: error.partialPlacemarks, error: error))
    #expect(rows().contains("Place       Far at\\u001b sea."))
  }

  // MARK: Text

  @Test(arguments: [(0.0, "0 m"), (999.4, "999 m"), (1_240, "1.2 km"), (575_901, "576 km")])
  func distancesAreFormatted(_ metres: Double, _ text: String) {
    #expect(PlaceText.distance(metres) == text)
  }

  @Test func streetsAndNumbersAreOneName() throws {
    var place = try Self.vaduz()
    (place.thoroughfare, place.subThoroughfare, place.administrativeArea) = ("Road", "5", "Vaduz")
    #expect(PlaceText.names(place) == "Vaduz, Road 5, Liechtenstein")
    place.thoroughfare = nil
    #expect(PlaceText.names(place) == "Vaduz, Liechtenstein")
    #expect(PlaceText.names(Placemark(coordinate: try Self.point.get())) == nil)
  }
}
