import AsyncLocation
import Foundation
import LocationFleet
import MockBackend
import Testing

@testable import LocationStorage
@testable import monitor_writer

/// The file of a fleet, and the same commits in memory.
final class FleetBench: Sendable {
  let folder: StorageFolder

  init(isInMemory: Bool = true) throws { folder = try StorageFolder(isInMemory: isInMemory) }

  var path: String { folder("fleet.sqlite") }
  var storage: SQLiteFleetStorage { SQLiteFleetStorage(file: path) }

  /// A session in memory with the commits up to a number, and what it stores.
  static func model(_ last: UInt64) async throws -> (any FleetSession, StoredFleet) {
    let storage = MemoryFleetStorage()
    let (session, _) = try await storage.open()
    for number in 1..<last + 1 { try await session.commit(FleetCommits.changes(number)) }
    await session.close()
    return try await storage.open()
  }

  /// Requires that the file has the commits up to a number, and answers as the model does.
  func check(_ last: UInt64, _ comment: Comment) async throws {
    let (session, stored) = try await storage.open()
    try await Self.compare(session, stored, last, comment)
    await session.close()
  }

  static func compare(
    _ session: any FleetSession, _ stored: StoredFleet, _ last: UInt64, _ comment: Comment
  ) async throws {
    let (model, expected) = try await Self.model(last)
    #expect(stored.problem == nil, comment)
    #expect(FleetContent(stored) == FleetContent(expected), comment)
    var random = SplitMix64(seed: last)
    for device in FleetCommits.devices {
      try await compareTracks(session, model, device, last, using: &random, comment)
    }
    for area in areas {
      let (start, end) = range(last, using: &random)
      let count = Int.random(in: 1...6, using: &random)
      let found = try await session.visits(to: area, from: start, to: end, after: nil, count: count)
      let judged = try await model.visits(to: area, from: start, to: end, after: nil, count: count)
      #expect(found == judged, comment)
      guard let first = found.first?.device else { continue }
      #expect(
        try await session.visits(to: area, from: start, to: end, after: first, count: 9)
          == model.visits(to: area, from: start, to: end, after: first, count: 9), comment)
    }
    await model.close()
  }

  private static func compareTracks(
    _ session: any FleetSession, _ model: any FleetSession, _ device: FleetDevice.ID,
    _ last: UInt64, using random: inout SplitMix64, _ comment: Comment
  ) async throws {
    let whole = try await session.locations(
      of: device, from: .distantPast, to: .distantFuture, count: .max)
    #expect(
      try await model.locations(of: device, from: .distantPast, to: .distantFuture, count: .max)
        == whole, comment)
    for _ in 0..<4 {
      let (start, end) = range(last, using: &random)
      let count = Int.random(in: 1...500, using: &random)
      #expect(
        try await session.locations(of: device, from: start, to: end, count: count)
          == model.locations(of: device, from: start, to: end, count: count), comment)
      #expect(
        try await session.location(of: device, at: start)
          == model.location(of: device, at: start), comment)
    }
  }

  private static func range(_ last: UInt64, using random: inout SplitMix64) -> (Date, Date) {
    let times = (0..<2).map { _ in
      Double(Int.random(in: -4...Int(last) * 4 + 8, using: &random)) / 4
    }.sorted()
    return (
      Date(timeIntervalSinceReferenceDate: times[0]),
      Date(timeIntervalSinceReferenceDate: times[1])
    )
  }

  /// Areas at the places of the commits: beside the antimeridian, around a pole, and with a hole.
  static let areas: [Condition] = {
    func point(_ latitude: Double, _ longitude: Double) -> Coordinate {
      try! Coordinate(latitude: latitude, longitude: longitude)
    }
    return try! [
      .circle(center: point(47, 8), radius: 3_000),
      .circle(center: point(0, -179.999), radius: 4_000),
      .circle(center: point(90, 0), radius: 12_000),
      Condition(
        .polygon(
          Condition.Polygon(
            exterior: [
              point(-33.05, 150.9), point(-33.05, 151.1), point(-32.9, 151.1), point(-32.9, 150.9),
            ],
            holes: [
              [
                point(-33.01, 150.99), point(-33.01, 151.005), point(-32.99, 151.005),
                point(-32.99, 150.99),
              ]
            ]))),
      Condition(
        .corridor(Condition.Corridor(path: [point(46.9, 8), point(47.1, 8.01)], width: 300))),
    ]
  }()
}

/// A content that can be compared, whatever its order.
struct FleetContent: Equatable {
  let devices: [StoredFleet.Device]
  let conditions: [StoredFleet.Condition]
  let events: [FleetEvent]
  let lastNumber: UInt64
  let lastRevision: UInt32

  init(_ stored: StoredFleet) {
    devices = stored.devices.sorted { $0.id < $1.id }
    conditions = stored.conditions.sorted { $0.condition.identifier < $1.condition.identifier }
    (events, lastNumber) = (stored.events, stored.lastNumber)
    lastRevision = stored.lastRevision
  }
}
