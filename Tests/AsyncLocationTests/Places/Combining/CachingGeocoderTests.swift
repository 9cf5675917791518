import MockBackend
import TestSupport
import Testing

@testable import AsyncLocation

@Suite(.inTurn)
struct CachingGeocoderTests {
  private let clock = ManualClock()
  private let server = MockGeocoder()
  private let cache: CachingGeocoder
  private let vaduz = place("Vaduz", 47.141, 9.521)

  init() { cache = CachingGeocoder(server, clock: clock) }

  private func caller(_ latitude: Double = 47, _ longitude: Double = 9) -> Task<
    [Placemark], any Error
  > {
    Task.immediate { [cache] in try await cache.reverseGeocode(at(latitude, longitude)) }
  }

  @Test func distancesAreMeasuredFromEachCallersPoint() async throws {
    let first = caller(47, 9)
    await server.waitForRequests()
    server.answer(vaduz)
    #expect(try await first.value == [vaduz.measured(from: at(47, 9))])
    let second = try await cache.reverseGeocode(at(47.00009, 9))
    #expect(second == [vaduz.measured(from: at(47.00009, 9))])
    #expect(second[0].distance != (try await first.value)[0].distance)
    #expect(server.requests.count == 1)
  }

  @Test func callersShareARequest() async throws {
    let callers = [caller(10, 179.99999), caller(10, -179.99999), caller(10, 180)]
    await server.waitForRequests()
    server.answer(vaduz)
    for caller in callers { #expect(try await caller.value.map(\.name) == ["Vaduz"]) }
    #expect(server.requests.count == 1)
    #expect(cache.statistics.joined == 2)
  }

  @Test(.tags(.cancellation)) func cancellingOneCallerAffectsNoOther() async throws {
    let (first, second) = (caller(), caller())
    await server.waitForRequests()
    first.cancel()
    await #expect(throws: CancellationError.self) { try await first.value }
    #expect(server.pendingRequests.count == 1)
    server.answer(vaduz)
    #expect(try await second.value.count == 1)
    #expect(server.calls.count == 1, "the request was not cancelled")
  }

  @Test(.tags(.cancellation)) func cancellingTheLastCallerCancelsTheRequest() async throws {
    let (first, second) = (caller(), caller())
    await server.waitForRequests()
    for caller in [first, second] {
      caller.cancel()
      await #expect(throws: CancellationError.self) { try await caller.value }
    }
    await server.waitForCall(.cancelled(.reverseGeocode(at(47, 9), locale: nil)))
    let third = caller()
    await server.waitForRequests(2)
    server.answer(vaduz)
    #expect(try await third.value.count == 1)
  }

  @Test(.tags(.cancellation)) func aCancelledTaskSendsNoRequest() async {
    let task = Task.immediate { [cache] in
      withUnsafeCurrentTask { $0?.cancel() }
      return try await cache.geocode("Vaduz")
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(server.requests.isEmpty)
  }

  @Test func anEmptyResultIsCachedForAMinute() async throws {
    let first = caller()
    await server.waitForRequests()
    server.answer()
    await #expect(throws: LocationError.self) { try await first.value }
    clock.advance(by: .seconds(59))
    let error = await #expect(throws: LocationError.self) {
      try await cache.reverseGeocode(at(47, 9))
    }
    #expect(error?.code == .geocodeFoundNoResult)
    #expect(server.requests.count == 1)
    clock.advance(by: .seconds(1))
    let later = caller()
    await server.waitForRequests(2)
    server.answer(vaduz)
    #expect(try await later.value.count == 1)
  }

  @Test func aFailureReachesEveryCallerAndIsNotCached() async throws {
    let callers = [caller(), caller()]
    await server.waitForRequests()
    server.fail(LocationError(.rateLimited, "Too many."))
    for caller in callers {
      let error = await #expect(throws: LocationError.self) { try await caller.value }
      #expect(error?.code == .rateLimited)
    }
    let later = caller()
    await server.waitForRequests(2)
    server.answer(vaduz)
    #expect(try await later.value.count == 1)
    #expect(cache.statistics.failures == 1)
  }

  @Test func partialResultsHaveDistances() async throws {
    let first = caller()
    await server.waitForRequests()
    server.fail(.geocodePartialResult([vaduz], "Far away."))
    let error = await #expect(throws: LocationError.self) { try await first.value }
    #expect(error?.partialPlacemarks == [vaduz.measured(from: at(47, 9))])
  }

  @Test func nameSearchesAreCachedByRequest() async throws {
    let answering = MockGeocoder { _ in .placemarks(place("Vaduz", 47, 9)) }
    let cache = CachingGeocoder(answering, clock: clock)
    for _ in 0..<2 {
      _ = try await cache.geocode("Vaduz")
      _ = try await cache.geocode("Vaduz", locale: "de")
      _ = try await cache.geocode("Vaduz", near: at(47, 9), locale: nil)
      _ = try await cache.reverseGeocode(at(47, 9), locale: "de")
    }
    #expect(answering.requests.count == 4)
    cache.removeAll()
    #expect(cache.statistics.entries == 0)
    _ = try await cache.geocode("Vaduz")
    #expect(answering.requests.count == 5)
  }

  private struct Foreign: Error {}

  /// Throws errors that no geocoder should throw.
  private struct StrangeGeocoder: Geocoder {
    let error: any Error

    func reverseGeocode(
      _ coordinate: Coordinate, locale: GeocodingLocale?
    ) async throws -> [Placemark] { throw error }

    func geocode(
      _ name: String, near: Coordinate?, locale: GeocodingLocale?
    ) async throws -> [Placemark] { throw error }
  }

  @Test func foreignErrorsBecomeLocationErrors() async throws {
    let cancelling = CachingGeocoder(StrangeGeocoder(error: CancellationError()))
    let cancelled = await #expect(throws: LocationError.self) {
      try await cancelling.geocode("Vaduz")
    }
    #expect(cancelled?.code == .geocodeCanceled)
    let strange = CachingGeocoder(StrangeGeocoder(error: Foreign()))
    let failed = await #expect(throws: LocationError.self) { try await strange.geocode("Vaduz") }
    #expect(failed?.code == .geocoderUnavailable)
    #expect(failed?.cause is Foreign)
  }

  /// Callers make requests and are cancelled on many threads: each gets one answer, and the cache
  /// keeps its limit.
  @Test func manyCallersGetOneAnswerEach() async throws {
    let answering = MockGeocoder { _ in .placemarks(place("Vaduz", 47, 9)) }
    let cache = CachingGeocoder(answering, configuration: .init(limit: 4))
    try await withTaskExecutorPreference(LongWork.shared) {
      try await withThrowingTaskGroup(of: Bool.self) { group in
        for number in 0..<2_000 {
          group.addTask {
            let task = Task { try await cache.reverseGeocode(at(Double(number % 7), 9)) }
            if number.isMultiple(of: 3) { task.cancel() }
            do {
              return try await task.value.map(\.name) == ["Vaduz"]
            } catch is CancellationError {
              return number.isMultiple(of: 3)
            }
          }
        }
        for try await isRight in group { #expect(isRight) }
      }
    }
    #expect(cache.statistics.entries <= 4)
  }
}
