import AsyncLocation
import Foundation
import MockBackend
import TestSupport
import Testing

@testable import LocationRecording

@Suite(.inTurn) struct TrackSimplificationTests {
  struct Scenario: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let tolerance: Double
    /// Latitudes and longitudes.
    let points: [(Double, Double)]
    let kept: [Int]
  }

  static let scenarios = [
    Scenario(testDescription: "nothing", tolerance: 1, points: [], kept: []),
    Scenario(testDescription: "one point", tolerance: 1, points: [(1, 1)], kept: [0]),
    Scenario(
      testDescription: "along the equator", tolerance: 0.001,
      points: [(0, 0), (0, 0.01), (0, 0.02), (0, 0.03)], kept: [0, 3]),
    Scenario(
      testDescription: "along a parallel, which is no geodesic", tolerance: 10,
      points: [(60, 0), (60, 1), (60, 2)], kept: [0, 1, 2]),
    Scenario(
      testDescription: "a corner", tolerance: 10,
      points: [(0, 0), (0, 0.5), (0, 1), (0.5, 1), (1, 1)], kept: [0, 2, 4]),
    Scenario(
      testDescription: "a step of 1.1 m against 1 m", tolerance: 1,
      points: [(0, 0), (0.00001, 0.5), (0, 1)], kept: [0, 1, 2]),
    Scenario(
      testDescription: "a step of 1.1 m against 1.2 m", tolerance: 1.2,
      points: [(0, 0), (0.00001, 0.5), (0, 1)], kept: [0, 2]),
    Scenario(
      testDescription: "across the antimeridian", tolerance: 1,
      points: [(0, 179.9), (0, 180), (0, -180), (0, -179.9)], kept: [0, 3]),
    Scenario(
      testDescription: "over a pole", tolerance: 1,
      points: [(89, 10), (89.5, 10), (90, 0), (89.5, -170), (89, -170)], kept: [0, 4]),
    Scenario(
      testDescription: "a closed loop", tolerance: 1000,
      points: [(0, 0), (0, 1), (1, 1), (1, 0), (0, 0)], kept: [0, 1, 2, 3, 4]),
    Scenario(
      testDescription: "a standing receiver", tolerance: 0,
      points: [(5, 5), (5, 5), (5, 5), (5, 5)], kept: [0, 3]),
    Scenario(
      testDescription: "an edge of at most 5,000 km", tolerance: 1e9,
      points: stride(from: 0.0, through: 100, by: 10).map { (0, $0) }, kept: [0, 2, 5, 7, 10]),
    Scenario(
      testDescription: "the antipode", tolerance: 1e9,
      points: [(0, 0), (0, 90), (0, 180)], kept: [0, 1, 2]),
  ]

  @Test(arguments: scenarios)
  func simplificationKeepsTheExpectedPoints(_ scenario: Scenario) throws {
    let path = try scenario.points.map { try Coordinate(latitude: $0.0, longitude: $0.1) }
    #expect(
      PathSimplification.keptIndices(of: path, tolerance: scenario.tolerance) == scenario.kept)
  }

  @Test func rejectsTolerances() throws {
    for tolerance in [-1, .nan, Double.infinity] {
      #expect(throws: LocationError.self) { try Track().simplified(tolerance: tolerance) }
    }
  }

  /// Compares with a search along the geodesic that shares no code with the simplification.
  @Test func droppedPointsAreWithinTheTolerance() async throws {
    try await withTaskExecutorPreference(LongWork.shared) {
      var random = RandomTrack(seed: 11)
      var dropped = 0
      for round in 0..<60 {
        let scale = [1.0, 100, 50_000][round % 3]
        let path = try random.path(count: 80, step: 0...20 * scale)
        let tolerance = random.number(0.5...30) * scale
        let kept = PathSimplification.keptIndices(of: path, tolerance: tolerance)
        #expect(kept.first == 0)
        #expect(kept.last == path.count - 1)
        for (first, last) in zip(kept, kept.dropFirst()) {
          for index in first + 1..<last {
            dropped += 1
            let distance = try Self.distance(
              from: path[index], toGeodesicFrom: path[first], to: path[last])
            #expect(distance <= tolerance + 1e-3, "\(tolerance) \(path[first...last])")
          }
        }
      }
      #expect(dropped > 1000)
    }
  }

  /// Returns the distance in metres to a geodesic: finds the nearest of many points, then searches
  /// between its neighbours.
  private static func distance(
    from point: Coordinate, toGeodesicFrom start: Coordinate, to end: Coordinate
  ) throws -> Double {
    let (length, bearing) = (start.distance(to: end), start.bearing(to: end))
    func distance(_ part: Double) throws -> Double {
      try start.coordinate(atDistance: part * length, bearing: bearing).distance(to: point)
    }
    let parts = try (0...50).map { try ($0, distance(Double($0) / 50)) }
    let best = parts.min { $0.1 < $1.1 }!.0
    var (low, high) = (max(0, Double(best - 1) / 50), min(1, Double(best + 1) / 50))
    for _ in 0..<60 {
      let (left, right) = ((2 * low + high) / 3, (low + 2 * high) / 3)
      if try distance(left) < distance(right) { high = right } else { low = left }
    }
    return try distance((low + high) / 2)
  }

  /// Segments keep their ends and beginnings, and simplifying again without a tolerance removes
  /// nothing.
  @Test func segmentsKeepTheirEnds() throws {
    var random = RandomTrack(seed: 5)
    let track = try random.track(segments: 6, points: 200)
    let simple = try track.simplified(tolerance: 20)
    #expect(simple.segments.count == track.segments.count)
    for (left, right) in zip(simple.segments, track.segments) {
      #expect(left.locations.first == right.locations.first)
      #expect(left.locations.last == right.locations.last)
      #expect(left.beginning == right.beginning)
    }
    #expect(simple.pointCount < track.pointCount / 2)
    #expect(simple.length <= track.length)
    #expect(try simple.simplified(tolerance: 0).pointCount == simple.pointCount)
  }

  /// The worst path for the division: each point is farther out than the previous one.
  @Test func theWorstPathIsSimplifiedInBoundedTime() async throws {
    let kept = try await withTaskExecutorPreference(LongWork.shared) {
      let path = try (0..<20_000).map { index in
        let side = index.isMultiple(of: 2) ? 1.0 : -1.0
        return try Coordinate(latitude: side * Double(index) / 1000, longitude: 0)
      }
      return PathSimplification.keptIndices(of: path, tolerance: 1)
    }
    #expect(kept.count == 20_000)
  }
}
