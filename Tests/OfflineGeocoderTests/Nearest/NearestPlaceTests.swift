import AsyncLocation
import MockBackend
import TestSupport
import Testing

@testable import OfflineGeocoder

/// Compares the nearest place with that of a search by distance without the tree.
@Suite(.inTurn) struct NearestPlaceTests {
  private let gazetteer = Gazetteer.embedded
  private static let places = PlacesByAxis(.embedded)

  enum Kind: String, CaseIterable, CustomTestStringConvertible {
    case sphere = "all over the sphere"
    case places = "near places"
    case poles = "near the poles"
    case antimeridian = "at the antimeridian"

    var testDescription: String { rawValue }

    var count: Int {
      switch self {
      case .sphere, .places: Rounds.of(1_500)
      case .poles, .antimeridian: Rounds.of(250)
      }
    }
  }

  @Test(arguments: Kind.allCases)
  func placesAreTheNearest(_ kind: Kind) async throws {
    try await withTaskExecutorPreference(LongWork.shared) {
      var random = SplitMix64(seed: 47)
      for _ in 0..<kind.count { try check(point(kind, &random)) }
    }
  }

  /// Points between two places, where chords and distances may disagree.
  @Test(
    .longWork,
    arguments: [
      (0.0, -160.0), (-40.0, -100.0), (60.0, -150.0), (85.0, 30.0), (-85.0, 30.0), (0.0, 80.0),
      (90.0, 0.0), (-90.0, 0.0), (90.0, 180.0), (0.0, 180.0), (0.0, -180.0),
    ])
  func placesOfRemotePointsAreTheNearest(_ latitude: Double, _ longitude: Double) throws {
    try check(Coordinate(latitude: latitude, longitude: longitude))
  }

  /// Points on paths between the surroundings of two places, where chords and distances disagree
  /// about the nearer place.
  @Test(.longWork) func theNearerOfTwoAlmostEquidistantPlacesIsFound() throws {
    var random = SplitMix64(seed: 48)
    for _ in 0..<Rounds.of(40) {
      let start = try anywhere(&random)
      let bearing = Double.random(in: 0..<360, using: &random)
      let first = try #require(gazetteer.nearestPlace(to: start))
      let place = try #require(PlaceTree(nodes: gazetteer.places).point(first).coordinate)
      func isNearest(after metres: Double) throws -> Bool {
        let point = try start.coordinate(atDistance: metres, bearing: bearing)
        return point.distance(to: place) == Self.places.leastDistance(from: point)
      }
      var (near, far) = (0.0, 2_000_000.0)
      guard try !isNearest(after: far) else { continue }
      while far - near > 0.01 {
        let middle = (near + far) / 2
        if try isNearest(after: middle) { near = middle } else { far = middle }
      }
      for offset in [-10, -1, -0.1, 0, 0.1, 1, 10] {
        try check(start.coordinate(atDistance: far + offset, bearing: bearing))
      }
    }
  }

  private func check(_ coordinate: Coordinate) throws {
    let answer = try #require(gazetteer.nearestPlace(to: coordinate))
    let place = try #require(PlaceTree(nodes: gazetteer.places).point(answer).coordinate)
    let least = try #require(Self.places.leastDistance(from: coordinate))
    #expect(
      coordinate.distance(to: place) == least,
      "at \(coordinate.latitude), \(coordinate.longitude)")
  }

  private func point(_ kind: Kind, _ random: inout SplitMix64) throws -> Coordinate {
    func number(_ range: ClosedRange<Double>) -> Double { .random(in: range, using: &random) }
    switch kind {
    case .sphere:
      return try anywhere(&random)
    case .places:
      let index = Int.random(in: 0..<gazetteer.places.count, using: &random)
      let place = try #require(PlaceTree(nodes: gazetteer.places).point(index).coordinate)
      return try place.coordinate(atDistance: number(0...20_000), bearing: number(0...359))
    case .poles:
      let latitude = 90 - number(0...5)
      return try Coordinate(
        latitude: Bool.random(using: &random) ? latitude : -latitude, longitude: number(-180...180))
    case .antimeridian:
      let longitude = 180 - (Bool.random(using: &random) ? 0 : number(0...0.5))
      return try Coordinate(
        latitude: number(-90...90),
        longitude: Bool.random(using: &random) ? longitude : -longitude)
    }
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
}
