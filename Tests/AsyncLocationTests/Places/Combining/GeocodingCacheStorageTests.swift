import FoundationEssentials
import TestSupport
import Testing

@testable import AsyncLocation

/// The answers that a cache's state machine restores from a storage, and the changes that it
/// collects for the storage.
@Suite(.inTurn) struct GeocodingCacheStorageTests {
  private static let start = Date(timeIntervalSince1970: 1_800_000_000)
  private static let (a, b, c) = (query("a"), query("b"), query("c"))

  private static func query(_ name: String) -> GeocodingQuery {
    GeocodingQuery(name: name, point: nil, locale: nil)
  }

  private static func stored(_ id: UInt64, _ query: GeocodingQuery, _ age: Double = 0)
    -> StoredAnswer
  {
    StoredAnswer(
      id: id, query: query, answer: .success([place("\(id)", 47, 9)]), date: start - age)
  }

  private static func machine(
    _ answers: [StoredAnswer], limit: Int = 1_000, maximumAge: Duration = .seconds(100),
    at now: Duration = .zero
  ) -> GeocodingCacheStateMachine {
    GeocodingCacheStateMachine(
      CachingGeocoder.Configuration(limit: limit, maximumAge: maximumAge), restoring: answers,
      at: now, on: start)
  }

  @Test(
    arguments: [
      (0, 100), (1, 99), (99.5, 0.5), (100, nil), (-1, 100), (-99, 100), (-100, nil), (1e20, nil),
      (-1e20, nil),
    ] as [(Double, Double?)])
  func storedAnswersExpireByTheirAge(age: Double, remaining: Double?) {
    var machine = Self.machine([Self.stored(7, Self.a, age)], at: .seconds(5))
    guard let remaining else {
      #expect(machine.takeUnstored(at: .seconds(5), on: Self.start) == [.remove(7)])
      #expect(machine.requested(Self.a, by: 1, at: .seconds(5)) == .request(8))
      return
    }
    #expect(!machine.hasUnstored)
    let end = Duration.seconds(5 + remaining)
    let known = Self.stored(7, Self.a).answer
    #expect(machine.requested(Self.a, by: 1, at: end - .milliseconds(1)) == .answer(known))
    #expect(machine.requested(Self.a, by: 2, at: end) == .request(8))
    #expect(machine.takeUnstored(at: end, on: Self.start) == [.remove(7)])
  }

  @Test func answersNeverExpireWithAnUnlimitedAge() {
    for age in [-1e9, 0, 1e9] {
      var machine = Self.machine([Self.stored(1, Self.a, age)], maximumAge: .greatest)
      let known = Self.stored(1, Self.a).answer
      #expect(machine.requested(Self.a, by: 1, at: .seconds(1 << 40)) == .answer(known))
    }
  }

  @Test func theOldestAnswerIsEvicted() {
    var machine = Self.machine(
      [Self.stored(1, Self.a, 1), Self.stored(2, Self.b, 3), Self.stored(3, Self.c, 2)], limit: 2)
    #expect(machine.statistics.entries == 2)
    #expect(machine.takeUnstored(at: .zero, on: Self.start) == [.remove(2)])
    #expect(machine.requested(Self.b, by: 1, at: .zero) == .request(4))
    _ = machine.answered(4, with: .success([]), at: .zero)
    let added = StoredAnswer(id: 4, query: Self.b, answer: .success([]), date: Self.start)
    #expect(machine.takeUnstored(at: .zero, on: Self.start) == [.remove(3), .store(added)])
  }

  @Test func aLimitOfZeroEmptiesTheStorage() {
    var machine = Self.machine([Self.stored(1, Self.a), Self.stored(2, Self.b)], limit: 0)
    #expect(machine.takeUnstored(at: .zero, on: Self.start) == [.remove(1), .remove(2)])
  }

  @Test func eachChangeIsStoredOnce() {
    var machine = Self.machine([Self.stored(1, Self.a)])
    _ = machine.requested(Self.b, by: 1, at: .zero)
    #expect(!machine.hasUnstored, "a request under way is not stored")
    _ = machine.answered(2, with: .success([]), at: .seconds(10))
    let added = StoredAnswer(id: 2, query: Self.b, answer: .success([]), date: Self.start - 3)
    #expect(machine.takeUnstored(at: .seconds(13), on: Self.start) == [.store(added)])
    #expect(machine.takeUnstored(at: .seconds(13), on: Self.start) == [])
    machine.removeAll()
    #expect(machine.takeUnstored(at: .zero, on: Self.start) == [.remove(1), .remove(2)])
  }

  @Test func removedAndFailedAnswersAreNotStored() {
    var machine = Self.machine([])
    _ = machine.requested(Self.a, by: 1, at: .zero)
    _ = machine.answered(1, with: .success([]), at: .zero)
    machine.removeAll()
    #expect(!machine.hasUnstored)
    _ = machine.requested(Self.a, by: 2, at: .zero)
    #expect(machine.cancelled(2) == .cancelRequest(2))
    _ = machine.requested(Self.a, by: 3, at: .zero)
    _ = machine.answered(3, with: .failure(LocationError(.network, "Down.")), at: .zero)
    #expect(!machine.hasUnstored)
  }

  @Test func noChangeIsCollectedWithoutAStorage() {
    var machine = GeocodingCacheStateMachine(CachingGeocoder.Configuration())
    _ = machine.requested(Self.a, by: 1, at: .zero)
    _ = machine.answered(1, with: .success([]), at: .zero)
    #expect(!machine.hasUnstored)
    var ended = Self.machine([Self.stored(1, Self.a)])
    ended.storageEnded()
    ended.removeAll()
    #expect(!ended.hasUnstored)
  }
}
