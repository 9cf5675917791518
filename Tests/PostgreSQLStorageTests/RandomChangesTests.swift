import AsyncLocation
import FleetChecks
import Foundation
import LocationFleet
import MockBackend
import TestSupport
import Testing

@testable import PostgreSQLStorage

/// Random changes in any order, compared with the storage in memory.
@Suite(.needsDatabase, .inTurn)
struct RandomChangesTests {
  @Test("changes of any kind in any order are as in memory", .longWork, arguments: 1...4)
  func anyOrder(seed: Int) async throws {
    let storage = PostgreSQLFleetStorage(try await RealDatabase.shared().database())
    let memory = MemoryFleetStorage()
    var (session, stored) = try await storage.open()
    var (model, expected) = try await memory.open()
    var changes = AnyChanges(seed: UInt64(seed))
    for round in 0..<60 {
      let batch = try changes.batch()
      // Some batches are committed twice.
      for _ in 0..<(Int.random(in: 0..<5, using: &changes.random) == 0 ? 2 : 1) {
        try await session.commit(batch)
        try await model.commit(batch)
      }
      guard Bool.random(using: &changes.random) else { continue }
      await session.close()
      await model.close()
      (session, stored) = try await storage.open()
      (model, expected) = try await memory.open()
      try #require(FleetContent(stored) == FleetContent(expected), "round \(round)")
      for device in AnyChanges.devices {
        let whole = try await session.locations(
          of: device, from: .distantPast, to: .distantFuture, count: .max)
        let expectedTrack = try await model.locations(
          of: device, from: .distantPast, to: .distantFuture, count: .max)
        try #require(whole == expectedTrack, "the track in round \(round)")
      }
      let area = try Condition.circle(center: Coordinate(latitude: 25, longitude: 8), radius: 4e6)
      let visits = try await session.visits(
        to: area, from: .distantPast, to: .distantFuture, after: nil, count: 9)
      let expectedVisits = try await model.visits(
        to: area, from: .distantPast, to: .distantFuture, after: nil, count: 9)
      try #require(visits == expectedVisits, "the visits in round \(round)")
    }
    await session.close()
    await model.close()
  }

  /// Batches of changes, half of which are large and contain mostly locations.
  private struct AnyChanges {
    static let devices = Array(FleetCommits.devices.prefix(3))
    var random: SplitMix64
    private var number: UInt64 = 0
    private var revision: UInt32 = 0
    /// The devices that have a location.
    private var known: Set<FleetDevice.ID> = []
    private var time = 0

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    mutating func batch() throws -> [FleetStorageChange] {
      let isLarge = Bool.random(using: &random)
      let kinds = isLarge ? 120 : 24
      return try (0..<(isLarge ? 250 : Int.random(in: 1...12, using: &random))).map { _ in
        try change(Int.random(in: 0..<kinds, using: &random))
      }
    }

    private mutating func change(_ kind: Int) throws -> FleetStorageChange {
      let device = Self.devices[Int.random(in: 0..<Self.devices.count, using: &random)]
      switch kind {
      case 0:
        known.remove(device)
        return .forget(device)
      case 1 where Int.random(in: 0..<3, using: &random) == 0:
        known.remove(device)
        return .erase(device)
      case 2...4 where known.contains(device):
        return .states(device, [UInt8.random(in: 0...255, using: &random)])
      case 5, 6:
        number += 1
        return .event(
          FleetEvent(
            device: device, identifier: "c", previousState: .unknown, state: .satisfied,
            location: try location(), revision: revision, number: number))
      case 7 where number > 0: return .offer(number: .random(in: 1...number, using: &random))
      case 8 where number > 0: return .finish(number: .random(in: 1...number, using: &random))
      case 9:
        revision += 1
        return .numbers(lastNumber: number, lastRevision: revision)
      case 10...15: return .location(device, try location(), isLast: false)
      default:
        known.insert(device)
        return .location(device, try location(), isLast: true)
      }
    }

    /// Some locations are late, and some have the time of another one.
    private mutating func location() throws -> Location {
      time += Int.random(in: 0...2, using: &random)
      let isLate = Int.random(in: 0..<4, using: &random) == 0
      let seconds = isLate ? Int.random(in: 0...(time + 5), using: &random) : time
      return try Location(
        latitude: Double(Int.random(in: 0...50, using: &random)), longitude: 8,
        timestamp: Date(timeIntervalSinceReferenceDate: Double(seconds)))
    }
  }
}
