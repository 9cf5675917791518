package import AsyncLocation
import FoundationEssentials
package import LocationFleet
import MockBackend

/// Compares a storage that has ``FleetCommits`` with the storage in memory, which searches its
/// history from the beginning.
package enum FleetComparison {
  package struct Mismatch: Error {
    package let what: String
  }

  /// A session in memory with the commits up to a number, and its stored content.
  package static func model(_ last: UInt64) async throws -> (any FleetSession, StoredFleet) {
    let storage = MemoryFleetStorage()
    let (session, _) = try await storage.open()
    for number in 1..<last + 1 { try await session.commit(FleetCommits.changes(number)) }
    await session.close()
    return try await storage.open()
  }

  /// Requires that a session has the commits up to a number, and answers as the model does.
  package static func compare(
    _ session: any FleetSession, _ stored: StoredFleet, _ last: UInt64, _ comment: String
  ) async throws {
    let (model, expected) = try await Self.model(last)
    try require(stored.problem == nil, "the problem", comment)
    try require(FleetContent(stored) == FleetContent(expected), "the content", comment)
    var random = SplitMix64(seed: last)
    for device in FleetCommits.devices {
      try await compareTracks(session, model, device, last: last, using: &random, comment)
    }
    for area in areas {
      let (start, end) = range(last, using: &random)
      let count = Int.random(in: 1...6, using: &random)
      let found = try await session.visits(to: area, from: start, to: end, after: nil, count: count)
      let expectedVisits = try await model.visits(
        to: area, from: start, to: end, after: nil, count: count)
      try require(found == expectedVisits, "the visits", comment)
      guard let first = found.first?.device else { continue }
      let next = try await session.visits(to: area, from: start, to: end, after: first, count: 9)
      let expectedNext = try await model.visits(
        to: area, from: start, to: end, after: first, count: 9)
      try require(next == expectedNext, "the next visits", comment)
    }
    await model.close()
  }

  private static func compareTracks(
    _ session: any FleetSession, _ model: any FleetSession, _ device: FleetDevice.ID,
    last: UInt64, using random: inout SplitMix64, _ comment: String
  ) async throws {
    let whole = try await session.locations(
      of: device, from: .distantPast, to: .distantFuture, count: .max)
    let expectedTrack = try await model.locations(
      of: device, from: .distantPast, to: .distantFuture, count: .max)
    try require(expectedTrack == whole, "the track", comment)
    for _ in 0..<4 {
      let (start, end) = range(last, using: &random)
      let count = Int.random(in: 1...500, using: &random)
      let part = try await session.locations(of: device, from: start, to: end, count: count)
      let expectedPart = try await model.locations(of: device, from: start, to: end, count: count)
      try require(part == expectedPart, "a part of the track", comment)
      let found = try await session.location(of: device, at: start)
      let expectedLocation = try await model.location(of: device, at: start)
      try require(found == expectedLocation, "a location", comment)
    }
  }

  private static func require(
    _ isEqual: Bool, _ what: String, _ comment: String
  ) throws(Mismatch) {
    guard isEqual else { throw Mismatch(what: "\(what), \(comment)") }
  }

  /// Two times in order, at most two seconds before or after those of the commits.
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
  package static let areas: [Condition] = {
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
