import AsyncLocation
import TestSupport
import Testing

@testable import MockBackend

@Suite(.inTurn) struct PositionNoiseTests {
  /// The first outputs of the published generator for seed 1234567.
  @Test func splitMix64FollowsThePublishedSequence() {
    var generator = SplitMix64(seed: 1_234_567)
    let numbers = (0..<5).map { _ in generator.next() }
    #expect(
      numbers == [
        6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
        4_593_380_528_125_082_431, 16_408_922_859_458_223_821,
      ])
  }

  @Test func theNoiseDependsOnItsSeed() throws {
    let track = TimedEvent.track(try (0..<20).map(location))
    let noise = try PositionNoise(seed: 7, standardDeviation: 3)
    #expect(noise.applied(to: track) == noise.applied(to: track))
    let other = try PositionNoise(seed: 8, standardDeviation: 3)
    #expect(noise.applied(to: track) != other.applied(to: track))
    let still = try PositionNoise(seed: 7, standardDeviation: 0)
    #expect(still.applied(to: track) == track)
  }

  @Test func movesOnlyThePosition() throws {
    let original = try location(3)
    let noise = try PositionNoise(seed: 7, standardDeviation: 3)
    var generator = SplitMix64(seed: noise.seed)
    let moved = noise.perturbed(original, using: &generator)
    #expect(moved.coordinate != original.coordinate)
    #expect(moved.moved(to: original.coordinate) == original)
    let script: MockScript = [
      .locations(original), .wait(.seconds(1)), .unavailable(breakdown), .end,
    ]
    let noisy = noise.applied(to: script)
    #expect(noisy.steps == [.locations(moved)] + script.steps.dropFirst())
    #expect(
      noise.applied(to: MockScript([], restartsWithEachRun: true)).restartsWithEachRun)
    #expect(
      noise.applied(to: [TimedEvent(offset: .zero, event: .unavailable(breakdown))]).count == 1)
  }

  @Test(arguments: [0.0, 60, -60, 85])
  func theNoiseHasItsStandardDeviation(_ latitude: Double) throws {
    let center = try Coordinate(latitude: latitude, longitude: 25)
    let origin = try Location(coordinate: center, timestamp: location(0).timestamp)
    let noise = try PositionNoise(seed: 1, standardDeviation: 10)
    var generator = SplitMix64(seed: noise.seed)
    let coordinates = (0..<4000).map { _ in
      noise.perturbed(origin, using: &generator).coordinate
    }
    // Two axes of 10 m have a root mean square distance of 14.1 m. The core computes distances
    // independently of the noise.
    let squares = coordinates.map { center.distance(to: $0) }.map { $0 * $0 }
    let rootMeanSquare = (squares.reduce(0, +) / 4000).squareRoot()
    #expect((13.6...14.7).contains(rootMeanSquare))
    let north = coordinates.map { $0.latitude - latitude }.reduce(0, +) / 4000 * 111_000
    let east = coordinates.map { $0.longitude - 25 }.reduce(0, +) / 4000
    #expect(abs(north) < 0.6)
    // In degrees: a degree of longitude has more than 9 km up to 85° of latitude.
    #expect(abs(east) < 0.6 / 9_000)
  }

  @Test(arguments: [
    (0, 0, 0.0, 1_000.0), (60, 25, 1_000, 0), (-45, 179.9999, 0, 100_000), (0, -180, 0, -500),
    (89.9999, 10, 500, 0), (-89.9999, 10, -500, 0), (90, 0, 0, 100), (-90, 0, 50, 50),
  ])
  func displacementsStayOnTheEarth(
    _ latitude: Double, _ longitude: Double, _ north: Double, _ east: Double
  ) throws {
    let start = try Coordinate(latitude: latitude, longitude: longitude)
    let end = try #require(PositionNoise.displaced(start, north: north, east: east))
    let distance = (north * north + east * east).squareRoot()
    // East is undefined at a pole.
    let expected = abs(latitude) == 90 ? abs(north) : distance
    #expect(abs(start.distance(to: end) - expected) <= expected * 0.001 + 0.001)
  }

  @Test(arguments: [-1, .nan, .infinity, 100_001])
  func refusesAnInvalidDeviation(_ deviation: Double) {
    let error = #expect(throws: LocationError.self) {
      try PositionNoise(seed: 1, standardDeviation: deviation)
    }
    #expect(error?.code == .invalidValue)
  }
}
