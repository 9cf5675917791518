import AsyncLocation
import Foundation
import MockBackend
import TestSupport
import Testing

@testable import NominatimGeocoder

/// The geocoder with a correct local server.
@Suite(.inTurn) struct NominatimGeocoderTests {
  private static let good = LocalServer.answer(Answers.vaduz)

  @Test func reverseAsksAndReadsTheAnswer() async throws {
    let server = LocalServer(answer: Self.good)
    let geocoder = try NominatimGeocoder(
      server, .init(application: "HarbourMap/2.1 (maps@example.org)"))
    let places = try await geocoder.reverseGeocode(
      Answers.point, locale: GeocodingLocale(languages: ["de-AT", "fr"]))
    #expect(places.map(\.name) == ["Vaduz"])
    #expect(abs((places[0].distance ?? 0) - 235) < 5)
    let request = try #require(server.requests.first)
    #expect(request.path == "/reverse")
    #expect(
      request.query == [
        "format": "jsonv2", "addressdetails": "1", "extratags": "1", "lat": "47.1410000",
        "lon": "9.5210000",
      ])
    #expect(request.headers["user-agent"] == "HarbourMap/2.1 (maps@example.org)")
    #expect(request.headers["accept-language"] == "de-AT, fr")
    #expect(request.headers["cookie"] == nil)
  }

  /// Permission may be withdrawn during the look-up of the server's address, or between two
  /// attempts.
  @Test func nothingIsSentAfterAWithdrawal() async throws {
    let server = LocalServer(answer: Self.good)
    let geocoder = try NominatimGeocoder(server)
    await #expect(throws: LocationError.self) {
      try await GeocodingPermission.$current.withValue(GeocodingPermission { false }) {
        try await geocoder.reverseGeocode(Answers.point)
      }
    }
    #expect(server.requests.isEmpty)
  }

  @Test func searchAsksAndReadsTheAnswer() async throws {
    let server = LocalServer(answer: LocalServer.answer("[\(Answers.vaduz)]"))
    let geocoder = try NominatimGeocoder(server, .init(limit: 3))
    let places = try await geocoder.geocode("Vaduz", near: Answers.point)
    #expect(places.map(\.name) == ["Vaduz"])
    #expect(places[0].distance != nil)
    let request = try #require(server.requests.first)
    #expect(request.path == "/search")
    #expect(request.query["q"] == "Vaduz")
    #expect(request.query["limit"] == "3")
    #expect(request.query["viewbox"]?.hasSuffix(",47.5910000") == true)
    #expect(request.headers["accept-language"] == "*")
  }

  @Test func photonRequestsHaveTheirFormat() async throws {
    let server = LocalServer(answer: LocalServer.answer(#"{"features":[]}"#))
    let geocoder = try NominatimGeocoder(server, .init(service: .photon))
    await #expect { try await geocoder.reverseGeocode(Answers.point, locale: "de") } throws: {
      ($0 as? LocationError)?.code == .geocodeFoundNoResult
    }
    await #expect { try await geocoder.geocode("Vaduz", near: Answers.point) } throws: {
      ($0 as? LocationError)?.code == .geocodeFoundNoResult
    }
    #expect(server.requests.map(\.path) == ["/reverse", "/api"])
    #expect(
      server.requests[0].query == ["lat": "47.1410000", "lon": "9.5210000", "limit": "10"])
    #expect(server.requests[0].headers["accept-language"] == "de")
    #expect(
      server.requests[1].query == [
        "q": "Vaduz", "lat": "47.1410000", "lon": "9.5210000", "limit": "10",
      ])
  }

  @Test(arguments: [Answers.nothing, "{\"error\":\"Unable to geocode\"}\n"])
  func anEmptyAnswerThrowsNoResult(_ body: String) async throws {
    let server = LocalServer(answer: LocalServer.answer(body))
    let error = await error(of: try NominatimGeocoder(server)) as? LocationError
    #expect(error?.code == .geocodeFoundNoResult)
  }

  @Test func requestsKeepTheBasePath() async throws {
    let server = LocalServer(answer: Self.good)
    let geocoder = try NominatimGeocoder(
      server: server.address + "/nominatim/v1/", clock: ManualClock())
    _ = try await geocoder.reverseGeocode(Answers.point)
    #expect(server.requests.map(\.path) == ["/nominatim/v1/reverse"])
  }

  @Test func aRedirectToTheSameServerIsFollowed() async throws {
    let server = LocalServer { request in
      request.path == "/reverse"
        ? [.send(LocalServer.answer("", status: "308 Moved", headers: "Location: /v2/r?x=1\r\n"))]
        : [.send(Self.good)]
    }
    let geocoder = try NominatimGeocoder(server)
    #expect(try await geocoder.reverseGeocode(Answers.point).count == 1)
    #expect(server.requests.map(\.target).last == "/v2/r?x=1")
  }

  @Test func aRedirectLoopEnds() async throws {
    let server = LocalServer { request in
      [
        .send(
          LocalServer.answer("", status: "302 Found", headers: "Location: \(request.target)\r\n"))
      ]
    }
    let error = await error(of: try NominatimGeocoder(server)) as? LocationError
    #expect(error?.code == .network)
    #expect(server.requests.count == 1 + ExchangeStateMachine.redirectLimit)
  }

  @Test func recoveringServerIsAskedAgain() async throws {
    let answers = Locked(0)
    let server = LocalServer { _ in
      let number = answers.withLock { count in
        count += 1
        return count
      }
      return [
        .send(number < 3 ? LocalServer.answer("", status: "503 Service Unavailable") : Self.good)
      ]
    }
    let clock = ManualClock()
    let geocoder = try NominatimGeocoder(server, clock: clock)
    async let places = geocoder.reverseGeocode(Answers.point)
    for (attempt, delays) in [0.5...1.0, 1.0...2.0].enumerated() {
      await server.waitForRequests(attempt + 1)
      await clock.waitForSleepers(atLeast: 2)  // The deadline and the delay.
      let begin = clock.now
      clock.advanceToNextDeadline()
      #expect(delays.contains((clock.now.offset - begin.offset) / .seconds(1)))
    }
    #expect(try await places.count == 1)
    #expect(server.requests.count == 3)
  }

  @Test func retryAfterTimeIsRespected() async throws {
    let isRefusing = Locked(true)
    let server = LocalServer { _ in
      let answer = LocalServer.answer(
        "", status: "429 Too Many Requests", headers: "Retry-After: 60\r\n")
      return [.send(isRefusing.withLock { $0 } ? answer : Self.good)]
    }
    let clock = ManualClock()
    let geocoder = try NominatimGeocoder(server, clock: clock)
    for wait in ["60 s", "40 s", "20 s"] {
      let error = try #require(await error(of: geocoder) as? LocationError)
      #expect(error.code == .rateLimited)
      #expect(error.message.contains(wait), "\(error)")
      #expect(error.message.contains("refuses requests until 20"), "\(error)")
      isRefusing.withLock { $0 = false }
      #expect(server.requests.count == 1)
      clock.advance(by: .seconds(20))
    }
    #expect(try await geocoder.reverseGeocode(Answers.point).count == 1)
    #expect(server.requests.count == 2)
  }

  @Test func cancellationBeforeTheRequestSendsNothing() async throws {
    let server = LocalServer(answer: Self.good)
    let geocoder = try NominatimGeocoder(server)
    let caller = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await geocoder.reverseGeocode(Answers.point)
    }
    await #expect(throws: CancellationError.self) { try await caller.value }
    #expect(server.requests.isEmpty)
  }

  @Test func cancellationWhileWaitingForATurnEndsTheCall() async throws {
    let server = LocalServer(answer: Self.good)
    let clock = ManualClock()
    let geocoder = try NominatimGeocoder(
      server, .init(minimumInterval: .seconds(5)), clock: clock)
    _ = try await geocoder.reverseGeocode(Answers.point)
    let caller = Task { try await geocoder.reverseGeocode(Answers.point) }
    await clock.waitForSleepers(atLeast: 2)
    caller.cancel()
    await #expect(throws: CancellationError.self) { try await caller.value }
    #expect(server.requests.count == 1)
  }

  @Test func cancellationBetweenAttemptsEndsTheCall() async throws {
    let server = LocalServer(answer: LocalServer.answer("", status: "500 Oops"))
    let clock = ManualClock()
    let geocoder = try NominatimGeocoder(server, clock: clock)
    let caller = Task { try await geocoder.reverseGeocode(Answers.point) }
    await server.waitForRequests(1)
    await clock.waitForSleepers(atLeast: 2)
    caller.cancel()
    await #expect(throws: CancellationError.self) { try await caller.value }
    #expect(server.requests.count == 1)
  }

  @Test func manyCallersGetTheirAnswers() async throws {
    let server = LocalServer(answer: Self.good)
    let geocoder = try NominatimGeocoder(server)
    try await withThrowingTaskGroup { group in
      for number in 0..<100 {
        group.addTask {
          let caller = Task { try await geocoder.reverseGeocode(Answers.point).count }
          if number % 3 == 0 { caller.cancel() }
          do {
            let count = try await caller.value
            #expect(count == 1)
          } catch is CancellationError where number % 3 == 0 {}
        }
      }
      try await group.waitForAll()
    }
    #expect(server.requests.count >= 66)
  }

  @Test func connectionsAreBounded() async throws {
    let gate = MockGate()
    let server = LocalServer { _ in [.hold] }
    let geocoder = try NominatimGeocoder(server)
    let callers = (0..<50).map { index in
      Task {
        if index >= GeocodingService.connectionLimit { await gate.wait() }
        _ = try? await geocoder.geocode("Place \(index)")
      }
    }
    await server.waitForRequests(GeocodingService.connectionLimit)
    gate.open()
    // Each caller that leaves makes room for one connection. The server cannot count simultaneous
    // connections, since it detects an end later than the client.
    for leaving in 1...GeocodingService.connectionLimit {
      #expect(server.accepted == GeocodingService.connectionLimit + leaving - 1)
      callers[leaving - 1].cancel()
      await server.waitForRequests(GeocodingService.connectionLimit + leaving)
    }
    for caller in callers {
      caller.cancel()
      await caller.value
    }
  }

  // MARK: The public server

  private static let application = "HarbourMap/2.1 (maps@example.org)"

  private static func publicGeocoder(
    _ server: LocalServer, _ gate: RequestGate
  ) throws -> NominatimGeocoder {
    try NominatimGeocoder(
      publicServer: server.address, application: application, .init(), gate)
  }

  @Test func thePublicServerRequiresItsOwnInitializer() throws {
    for address in [
      "https://nominatim.openstreetmap.org", "http://NOMINATIM.OpenStreetMap.ORG/",
      "https://openstreetmap.org", "https://nominatim.openstreetmap.org.:443/x",
    ] {
      #expect { try NominatimGeocoder(server: address) } throws: {
        ($0 as? LocationError)?.code == .unsupported
      }
    }
    let geocoder = try NominatimGeocoder.openStreetMap(application: Self.application)
    #expect(geocoder.server == "https://nominatim.openstreetmap.org")
    #expect(!geocoder.allowsPeriodicUse)
    #expect(geocoder.configuration.minimumInterval == .seconds(1))
  }

  @Test(arguments: [
    "", "   ", "Map\r\nX: y", "Map\u{0}", "Kärtchen/1", "Map\u{7F}",
    String(repeating: "x", count: 201),
  ])
  func applicationsAreChecked(_ application: String) throws {
    #expect { try NominatimGeocoder.openStreetMap(application: application) } throws: {
      ($0 as? LocationError)?.code == .invalidValue
    }
    #expect {
      try NominatimGeocoder(
        server: "https://example.org", configuration: .init(application: application))
    } throws: { ($0 as? LocationError)?.code == .invalidValue }
  }

  @Test func geocodersOfThePublicServerShareOneRequestASecond() async throws {
    let server = LocalServer { request in
      [.send(LocalServer.answer(request.path == "/search" ? "[\(Answers.vaduz)]" : Answers.vaduz))]
    }
    let clock = ManualClock()
    let gate = RequestGate(interval: .seconds(1), Timeline(clock))
    let geocoders = try (0..<3).map { _ in try Self.publicGeocoder(server, gate) }
    let callers = geocoders.enumerated().map { number, geocoder in
      Task { try await geocoder.geocode("Place \(number)").count }
    }
    for count in 1...3 {
      await server.waitForRequests(count)
      #expect(server.requests.count == count)
      guard count < 3 else { break }
      // The sleepers are the deadlines of the callers, and the turns of the waiting ones.
      await clock.waitForSleepers(atLeast: 2 * (3 - count))
      clock.advance(by: .milliseconds(999))
      #expect(server.requests.count == count)
      clock.advance(by: .milliseconds(1))
    }
    for caller in callers { #expect(try await caller.value == 1) }
  }

  @Test func moreRequestsThanTheTimeoutAllowsAreRefused() async throws {
    let server = LocalServer { _ in [.hold] }
    let clock = ManualClock()
    let gate = RequestGate(interval: .seconds(1), Timeline(clock))
    let geocoder = try Self.publicGeocoder(server, gate)
    let callers = (0..<10).map { number in
      Task { try await geocoder.geocode("Place \(number)") }
    }
    // The deadlines of ten callers, and the turns of all but the first.
    await clock.waitForSleepers(atLeast: 19)
    await #expect { try await geocoder.geocode("One more") } throws: {
      ($0 as? LocationError)?.code == .rateLimited
    }
    for caller in callers { caller.cancel() }
    for caller in callers { _ = try? await caller.value }
  }

  @Test func answersOfThePublicServerAreKept() async throws {
    let server = LocalServer(answer: Self.good)
    let gate = RequestGate(interval: .seconds(1), Timeline(ManualClock()))
    let geocoder = try Self.publicGeocoder(server, gate)
    for _ in 0..<3 { #expect(try await geocoder.reverseGeocode(Answers.point).count == 1) }
    #expect(server.requests.count == 1)
  }

  @Test func thePublicServerRefusesPlacemarkStreams() async throws {
    let geocoder = try NominatimGeocoder.openStreetMap(application: Self.application)
    let privateServer = try NominatimGeocoder(server: "http://127.0.0.1:1")
    #expect(privateServer.allowsPeriodicUse)
    let offline = MockGeocoder()
    for wrapped: any Geocoder in [
      geocoder, CachingGeocoder(geocoder), FallbackGeocoder(offline, CachingGeocoder(geocoder)),
    ] {
      let manager = LocationManager(backend: MockBackend())
      await #expect {
        for try await _ in manager.placemarks(using: wrapped) {}
      } throws: { ($0 as? LocationError)?.code == .unsupported }
      await manager.shutdown()
    }
  }

  @MainActor @Test func thePublicServerStaysRefusedAfterAWithdrawal() async throws {
    let geocoder = try NominatimGeocoder.openStreetMap(application: Self.application)
    let backend = MockBackend()
    let manager = LocationManager(backend: backend)
    let state = LocationState()
    let following = Task { await state.follow(manager, placemarks: geocoder) }
    while !state.authorization.isAuthorized { await Task.yield() }
    backend.setAuthorization(.denied)
    while state.authorization.isAuthorized { await Task.yield() }
    #expect(state.placemarkError?.code == .unsupported)
    await manager.shutdown()
    await following.value
  }

  @MainActor @Test func thePublicServerRefusesStates() async throws {
    let geocoder = try NominatimGeocoder.openStreetMap(application: Self.application)
    let manager = LocationManager(backend: MockBackend())
    let state = LocationState()
    await manager.shutdown()
    await state.follow(manager, placemarks: geocoder)
    #expect(state.placemarkError?.code == .unsupported)
    #expect(state.error == nil)
  }
}
