import AsyncLocation
import Foundation
import MockBackend
import TestSupport
import Testing

@testable import LocationStorage

/// The content of a cache in the next run.
@Suite(.inTurn)
struct StoredCacheTests {
  private let folder: CacheFolder

  init() throws { folder = try CacheFolder() }

  @Test func resultsSurviveWithTheirAttribution() async throws {
    let first = try await folder.open(server())
    let found = try await first.geocode("Vaduz", near: point(47, 9), locale: "de")
    let here = try await first.reverseGeocode(point(10, 179.99999))
    _ = try await first.reverseGeocode(point(90, 5))
    await first.close()
    let second = try await folder.open()
    #expect(second.storageProblem == nil)
    #expect(second.statistics.entries == 3)
    #expect(try await second.geocode("Vaduz", near: point(47, 9), locale: "de") == found)
    #expect(found[0].attribution == "© Test contributors, ODbL")
    let across = try await second.reverseGeocode(point(10, -179.99999))
    #expect(across.map(\.coordinate) == here.map(\.coordinate))
    #expect(across[0].distance != here[0].distance, "measured from the caller's point")
    #expect(try await second.reverseGeocode(point(90, -170)).count == 1)
    #expect(second.statistics.hits == 3)
    #expect(second.statistics.requests == 0)
  }

  @Test func partialAndMissingResultsSurvive() async throws {
    let far = place("Far", point(40, 9))
    let answers = MockGeocoder { request in
      guard case .geocode = request else { return .error(.geocodePartialResult([far], "Far.")) }
      return .error(LocationError(.geocodeFoundNoResult, "None."))
    }
    let first = try await folder.open(answers)
    await #expect(throws: LocationError.self) { try await first.geocode("Nowhere") }
    await #expect(throws: LocationError.self) { try await first.reverseGeocode(point(0, 9)) }
    await first.close()
    let second = try await folder.open(at: 30)
    let none = await #expect(throws: LocationError.self) { try await second.geocode("Nowhere") }
    #expect(none == LocationError(.geocodeFoundNoResult, "None."))
    let part = await #expect(throws: LocationError.self) {
      try await second.reverseGeocode(point(0, 9))
    }
    #expect(part?.code == .geocodeFoundPartialResult)
    #expect(part?.message == "Far.")
    #expect(part?.partialPlacemarks == [far.measured(from: point(0, 9))])
  }

  @Test func failuresAreNotStored() async throws {
    let first = try await folder.open(
      MockGeocoder { _ in .error(LocationError(.network, "Down.")) })
    await #expect(throws: LocationError.self) { try await first.geocode("Vaduz") }
    await first.close()
    #expect(try await folder.open().statistics.entries == 0)
  }

  /// A clock that was set back neither keeps an answer forever nor drops a recent one.
  @Test(arguments: [
    (0, true), (86_399, true), (86_400, false), (-3_600, true), (-86_399, true),
    (-86_400, false), (1e9, false), (-1e9, false), (1e30, false), (-1e30, false),
  ])
  func agesIncludeTheTimeBetweenRuns(seconds: Double, isKept: Bool) async throws {
    let first = try await folder.open(server())
    _ = try await first.geocode("Vaduz")
    await first.close()
    let second = try await folder.open(at: seconds)
    #expect(second.statistics.entries == (isKept ? 1 : 0))
    await second.close()
    let third = try await folder.open()
    #expect(third.statistics.entries == (isKept ? 1 : 0), "what was dropped is not in the file")
  }

  @Test(arguments: [(-3_600, 86_400), (86_000, 400)] as [(Double, Int)])
  func agesContinueOnTheNextRunsClock(seconds: Double, remaining: Int) async throws {
    let first = try await folder.open(server())
    _ = try await first.geocode("Vaduz")
    await first.close()
    let (clock, laterServer) = (ManualClock(), server())
    let second = try await folder.open(laterServer, at: seconds, clock: clock)
    clock.advance(by: .seconds(remaining - 1))
    _ = try await second.geocode("Vaduz")
    #expect(laterServer.requests.isEmpty)
    clock.advance(by: .seconds(1))
    _ = try await second.geocode("Vaduz")
    #expect(laterServer.requests.count == 1)
  }

  @Test func theLimitAppliesToTheFile() async throws {
    let first = try await folder.open(server(), limit: 2)
    for name in ["a", "b", "c"] { _ = try await first.geocode(name) }
    await first.close()
    let second = try await folder.open()
    #expect(second.statistics.entries == 2)
    await second.close()
    let smaller = try await folder.open(limit: 1)
    _ = try await smaller.geocode("c")
    await smaller.close()
    #expect(try await folder.open().statistics.entries == 1)
  }

  @Test func identifiersAreNotReused() async throws {
    for names in [["a", "b"], ["c"], ["a", "b", "c"]] {
      let cache = try await folder.open(server())
      for name in names { #expect(try await cache.geocode(name)[0].name == name) }
      await cache.close()
    }
    #expect(try await folder.open().statistics.entries == 3)
  }

  @Test func removeAllEmptiesTheFile() async throws {
    let first = try await folder.open(server())
    _ = try await first.geocode("Vaduz")
    await first.waitUntilStored()
    first.removeAll()
    await first.close()
    #expect(try await folder.open().statistics.entries == 0)
  }

  /// No byte is left in the log either, while the cache is still open.
  @Test func removingAllAnswersOverwritesThem() async throws {
    let cache = try await folder.open(server())
    for name in ["Vaduz", "Balzers"] { _ = try await cache.geocode(name) }
    await cache.waitUntilStored()
    let secret = Data("Vaduz".utf8)
    func leaks() throws -> [String] {
      try folder.folder.names().filter {
        try Data(folder.folder.bytes($0)).range(of: secret) != nil
      }
    }
    #expect(try !leaks().isEmpty)
    cache.removeAll()
    await cache.waitUntilStored()
    #expect(try leaks() == [])
    await cache.close()
  }

  @Test func anAnswerIsStoredAfterACallerIsCancelled() async throws {
    let server = MockGeocoder()
    let first = try await folder.open(server)
    let callers = [10, 11].map { longitude in
      Task.immediate { try await first.reverseGeocode(point(47, 10 + longitude * 1e-7)) }
    }
    await server.waitForRequests()
    callers[0].cancel()
    await #expect(throws: CancellationError.self) { try await callers[0].value }
    server.answer(place("Vaduz", point(47, 9)))
    #expect(try await callers[1].value.count == 1)
    await first.close()
    let second = try await folder.open()
    #expect(try await second.reverseGeocode(point(47, 10)).map(\.name) == ["Vaduz"])
  }

  @Test func aClosedCacheAnswersFromMemory() async throws {
    let cache = try await folder.open(server())
    _ = try await cache.geocode("a")
    await cache.close()
    // A second close has no effect.
    await cache.close()
    _ = try await cache.geocode("a")
    _ = try await cache.geocode("b")
    #expect(cache.statistics.hits == 1)
    #expect(cache.storageProblem == nil)
    #expect(try await folder.open().statistics.entries == 1)
  }
}
