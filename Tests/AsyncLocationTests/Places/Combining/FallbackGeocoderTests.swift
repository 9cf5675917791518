import MockBackend
import TestSupport
import Testing

@testable import AsyncLocation

@Suite(.inTurn)
struct FallbackGeocoderTests {
  private static let vaduz = place("Vaduz", 47, 9)
  private static let down = LocationError(.network, "Down.")
  private static let none = LocationError(.geocodeFoundNoResult, "None.")
  private static let part = LocationError.geocodePartialResult([vaduz], "Far.")

  struct Scenario: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let answers: [MockGeocoder.Answer]
    /// The code of the error; nil for a result.
    var code: LocationError.Code?
    let results: [Int]
    let failures: [Int]
  }

  static let scenarios = [
    Scenario(
      testDescription: "the first answers", answers: [.placemarks(vaduz), .error(down)],
      results: [1, 0], failures: [0, 0]),
    Scenario(
      testDescription: "the second answers for the first",
      answers: [.error(down), .placemarks(vaduz)], results: [0, 1], failures: [1, 0]),
    Scenario(
      testDescription: "the second may have a result that the first lacks",
      answers: [.error(none), .placemarks(vaduz)], results: [0, 1], failures: [1, 0]),
    Scenario(
      testDescription: "a failure takes precedence over no result",
      answers: [.error(none), .error(down)],
      code: .network, results: [0, 0], failures: [1, 1]),
    Scenario(
      testDescription: "a partial result takes precedence over a failure",
      answers: [.error(down), .error(part)],
      code: .geocodeFoundPartialResult, results: [0, 0], failures: [1, 1]),
    Scenario(
      testDescription: "no result of any", answers: [.error(none), .placemarks()],
      code: .geocodeFoundNoResult, results: [0, 0], failures: [1, 1]),
  ]

  @Test(arguments: scenarios)
  func geocodersAreAskedInOrder(_ scenario: Scenario) async throws {
    let mocks = scenario.answers.map { answer in MockGeocoder { _ in answer } }
    let geocoder = FallbackGeocoder(mocks[0], mocks[1])
    do {
      let placemarks = try await geocoder.geocode("Vaduz")
      #expect(scenario.code == nil)
      #expect(placemarks == [Self.vaduz])
    } catch let error as LocationError {
      #expect(error.code == scenario.code)
    }
    #expect(geocoder.statistics.results == scenario.results)
    #expect(geocoder.statistics.failures == scenario.failures)
  }

  @Test(.tags(.cancellation)) func cancellationAsksNoFurtherGeocoder() async {
    let (first, second) = (MockGeocoder(), MockGeocoder())
    let geocoder = FallbackGeocoder(first, second)
    let caller = Task.immediate { try await geocoder.reverseGeocode(at(47, 9)) }
    await first.waitForRequests()
    caller.cancel()
    await #expect(throws: CancellationError.self) { try await caller.value }
    #expect(second.requests.isEmpty)
    #expect(geocoder.statistics.failures == [0, 0])
  }
}
