import AsyncLocation
import FoundationEssentials
import TestSupport
import Testing

@testable import MockBackend

@Suite(.inTurn)
struct MockGeocoderTests {
  private let harbour: Coordinate
  private let town: Placemark

  init() throws {
    harbour = try Coordinate(latitude: 60.16, longitude: 24.95)
    var town = Placemark(coordinate: try Coordinate(latitude: 60.17, longitude: 24.94))
    town.name = "Helsinki"
    self.town = town
  }

  @Test func theTestAnswersWaitingRequests() async throws {
    let geocoder = MockGeocoder()
    #expect(!geocoder.answer(town))
    let first = Task { try await geocoder.reverseGeocode(harbour, locale: "fi") }
    await geocoder.waitForRequests()
    let second = Task { try await geocoder.geocode("Helsinki") }
    await geocoder.waitForRequests(2)
    let requests: [MockGeocoder.Request] = [
      .reverseGeocode(harbour, locale: "fi"), .geocode("Helsinki", near: nil, locale: nil),
    ]
    #expect(geocoder.requests == requests)
    #expect(geocoder.pendingRequests == requests)
    #expect(!geocoder.answer(town, to: .geocode("Turku", near: nil, locale: nil)))
    #expect(geocoder.answer(town, to: requests[1]))
    #expect(try await second.value == [town])
    #expect(geocoder.fail(LocationError(.network, "Down.")))
    await #expect(throws: LocationError(.network, "Down.")) { try await first.value }
    #expect(geocoder.pendingRequests.isEmpty)
  }

  @Test func distancesAreMeasured() async throws {
    let geocoder = MockGeocoder { [town] _ in .placemarks(town) }
    #expect(try await geocoder.reverseGeocode(harbour) == [town.measured(from: harbour)])
    #expect(try await geocoder.geocode("Helsinki", near: harbour)[0].distance != nil)
    #expect(try await geocoder.geocode("Helsinki")[0].distance == nil)
  }

  @Test func anEmptyAnswerThrowsNoResult() async throws {
    let geocoder = MockGeocoder { _ in .placemarks() }
    let error = await #expect(throws: LocationError.self) { try await geocoder.geocode("Atlantis") }
    #expect(error?.code == .geocodeFoundNoResult)
  }

  @Test func answersAreDelayedOnTheClock() async throws {
    let clock = ManualClock()
    let geocoder = MockGeocoder(clock: clock) { [town] _ in .placemarks(town, after: .seconds(3)) }
    let caller = Task { try await geocoder.geocode("Helsinki") }
    await clock.waitForSleepers()
    #expect(clock.nextDeadline == ManualClock.Instant(offset: .seconds(3)))
    clock.advance(by: .seconds(3))
    #expect(try await caller.value == [town])
  }

  @Test func cancellationsAreLogged() async throws {
    let clock = ManualClock()
    for geocoder in [
      MockGeocoder(), MockGeocoder(clock: clock) { _ in .placemarks(after: .seconds(1)) },
    ] {
      let caller = Task { try await geocoder.reverseGeocode(harbour) }
      await geocoder.waitForRequests()
      caller.cancel()
      await #expect(throws: CancellationError.self) { try await caller.value }
      let request = MockGeocoder.Request.reverseGeocode(harbour, locale: nil)
      #expect(geocoder.calls == [.requested(request), .cancelled(request)])
      #expect(geocoder.pendingRequests.isEmpty)
    }
  }

  @Test func unsuppliedRequestsAreReported() async throws {
    let reports = Journal<String>()
    let geocoder = MockGeocoder.failing {
      reports.append($0)
    } answer: { [town] request in
      if case .geocode = request { .placemarks(town, after: .seconds(1)) } else { nil }
    }
    let unexpected = await #expect(throws: LocationError.self) {
      try await geocoder.reverseGeocode(harbour)
    }
    #expect(unexpected?.code == .unsupported)
    let withoutClock = await #expect(throws: LocationError.self) {
      try await geocoder.geocode("Helsinki")
    }
    #expect(withoutClock?.code == .unsupported)
    #expect(reports.entries.count == 2)
    #expect(reports.entries[0].contains("'reverseGeocode'"))
    #expect(reports.entries[0].contains("answer"))
    #expect(reports.entries[1].contains("clock"))
    #expect(!reports.entries.joined().contains("60.1"), "F42")
  }
}
