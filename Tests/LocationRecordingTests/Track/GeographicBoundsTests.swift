import AsyncLocation
import MockBackend
import TestSupport
import Testing

@testable import LocationRecording

@Suite(.inTurn) struct GeographicBoundsTests {
  struct Scenario: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// Latitudes and longitudes.
    let points: [(Double, Double)]
    /// South, west, north, east.
    let box: [Double]
    let width: Double
  }

  static let scenarios = [
    Scenario(testDescription: "one point", points: [(1, 2)], box: [1, 2, 1, 2], width: 0),
    Scenario(
      testDescription: "two points", points: [(1, 2), (-3, -4)], box: [-3, -4, 1, 2], width: 6),
    Scenario(
      testDescription: "across the antimeridian, eastwards", points: [(0, 179), (0, -178)],
      box: [0, 179, 0, -178], width: 3),
    Scenario(
      testDescription: "across the antimeridian, westwards", points: [(0, -178), (0, 179)],
      box: [0, 179, 0, -178], width: 3),
    Scenario(
      testDescription: "both names of the antimeridian", points: [(0, 180), (0, -180), (0, 179)],
      box: [0, 179, 0, 180], width: 1),
    Scenario(
      testDescription: "both names, from the other side", points: [(0, -179), (0, -180), (0, 180)],
      box: [0, -180, 0, -179], width: 1),
    Scenario(
      testDescription: "a pole has every longitude", points: [(80, 10), (90, -100), (81, 12)],
      box: [80, 10, 90, 12], width: 2),
    Scenario(
      testDescription: "a pole first", points: [(-90, 77), (-89, -170), (-89, 170)],
      box: [-90, 170, -89, -170], width: 20),
    Scenario(
      testDescription: "around the Earth",
      points: stride(from: -180.0, through: 180, by: 10).map { (5, $0) },
      box: [5, -180, 5, 170], width: 350),
    Scenario(
      testDescription: "around a pole",
      points: stride(from: 0.0, to: 720, by: 50).map { (89, $0.remainder(dividingBy: 360)) },
      box: [89, -20, 89, -60], width: 320),
  ]

  @Test(arguments: scenarios)
  func boundsContainTheirPoints(_ scenario: Scenario) throws {
    let coordinates = try scenario.points.map { try Coordinate(latitude: $0.0, longitude: $0.1) }
    let first = GeographicBounds(try #require(coordinates.first))
    let bounds = coordinates.dropFirst().reduce(first) { $0.union($1) }
    #expect([bounds.south, bounds.west, bounds.north, bounds.east] == scenario.box)
    #expect(bounds.width == scenario.width)
    #expect(bounds.height == scenario.box[2] - scenario.box[0])
    for coordinate in coordinates { #expect(bounds.contains(coordinate), "\(coordinate)") }
  }

  @Test func boundsExcludeOtherPoints() throws {
    let bounds = GeographicBounds(try Coordinate(latitude: 1, longitude: 179))
      .union(try Coordinate(latitude: 2, longitude: -179))
    #expect(bounds.contains(try Coordinate(latitude: 1.5, longitude: 180)))
    #expect(bounds.contains(try Coordinate(latitude: 1.5, longitude: -180)))
    #expect(!bounds.contains(try Coordinate(latitude: 1.5, longitude: 0)))
    #expect(!bounds.contains(try Coordinate(latitude: 2.5, longitude: 180)))
    let pole = GeographicBounds(try Coordinate(latitude: 90, longitude: 5))
    #expect(pole.contains(try Coordinate(latitude: 90, longitude: 100)))
  }

  @Test func randomPathsAreContained() throws {
    var random = RandomTrack(seed: 7)
    for _ in 0..<300 {
      let path = try random.path(count: 40, step: 0...900_000)
      let bounds = path.dropFirst().reduce(GeographicBounds(path[0])) { $0.union($1) }
      for coordinate in path { #expect(bounds.contains(coordinate), "\(bounds) \(coordinate)") }
    }
  }
}
