import AsyncLocation
import MockBackend
import TestSupport
import Testing

@testable import OfflineGeocoder

/// Compares answers with those of a search through all places.
@Suite(.hangLimit) struct NearestPlaceTests {
  /// The number of points of each kind.
  private static let points = 60

  private let gazetteer = Gazetteer.embedded
  private let places: [SpacePoint]

  init() {
    let tree = PlaceTree(nodes: gazetteer.places)
    places = (0..<gazetteer.places.count).map(tree.point)
  }

  @Test func answersAreNearest() async throws {
    try await withTaskExecutorPreference(LongWork.shared) {
      var random = SplitMix64(seed: 47)
      for number in 0..<2 * Self.points {
        let point =
          number < Self.points ? try anywhere(&random) : try nearAPlace(&random)
        try check(point)
      }
    }
  }

  /// Points between two places, where a chord may mislead.
  @Test(arguments: [
    (0.0, -160.0), (-40.0, -100.0), (60.0, -150.0), (85.0, 30.0), (-85.0, 30.0), (0.0, 80.0),
  ])
  func remotePointsAreNearest(_ latitude: Double, _ longitude: Double) throws {
    try check(Coordinate(latitude: latitude, longitude: longitude))
  }

  private func check(_ coordinate: Coordinate) throws {
    let point = SpacePoint(coordinate)
    let chords = places.map { $0.squaredChord(to: point) }
    let least = try #require(chords.min())
    // Geodesics of one chord differ by less than this for points on land or sea.
    let candidates = chords.indices.filter { chords[$0] <= least * 1.02 + 1e6 }
    let distances = try candidates.map {
      coordinate.distance(to: try #require(places[$0].coordinate))
    }
    let answer = gazetteer.nearestPlace(to: coordinate)
    let distance = coordinate.distance(to: try #require(places[answer].coordinate))
    #expect(distance == distances.min(), "at \(coordinate.latitude), \(coordinate.longitude)")
  }

  private func anywhere(_ random: inout SplitMix64) throws -> Coordinate {
    // A uniform point of a ball, projected onto its surface.
    while true {
      let axes = (0..<3).map { _ in Double.random(in: -1...1, using: &random) }
      let length = (axes.map { $0 * $0 }.reduce(0, +)).squareRoot()
      guard length <= 1, length > 0.1 else { continue }
      let point = SpacePoint(x: axes[0] / length, y: axes[1] / length, z: axes[2] / length)
      if let coordinate = point.coordinate { return coordinate }
    }
  }

  private func nearAPlace(_ random: inout SplitMix64) throws -> Coordinate {
    let place = try #require(places.randomElement(using: &random)?.coordinate)
    return try place.coordinate(
      atDistance: .random(in: 0...20_000, using: &random),
      bearing: .random(in: 0..<360, using: &random))
  }
}
