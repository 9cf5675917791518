import AsyncLocation
import Foundation
import MockBackend
import TestSupport
import Testing

@testable import LocationRecording

@Suite(.inTurn) struct TrackStatisticsTests {
  struct Climb: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let altitudes: [Double]
    let up: Double
    let down: Double
  }

  static let climbs = [
    Climb(testDescription: "nothing", altitudes: [], up: 0, down: 0),
    Climb(testDescription: "noise", altitudes: [5, 14, 5, 14.9, 5.1], up: 0, down: 0),
    Climb(testDescription: "the hysteresis counts", altitudes: [0, 10], up: 10, down: 0),
    Climb(
      testDescription: "a rise counts as a whole", altitudes: [0, 3, 1, 6, 12, 13], up: 13, down: 0),
    Climb(
      testDescription: "small dips in a rise do not count", altitudes: [0, 20, 11, 30], up: 30,
      down: 0),
    Climb(
      testDescription: "turning points count fully", altitudes: [0, 20, 5, 25], up: 40, down: 15),
    Climb(testDescription: "a fall first", altitudes: [50, 55, 40, 38, 45, 10], up: 0, down: 45),
    Climb(testDescription: "a slow rise", altitudes: (0...100).map(Double.init), up: 100, down: 0),
  ]

  @Test(arguments: climbs)
  func ascentsAndDescentsAddUp(_ climb: Climb) {
    var change = AltitudeChange(hysteresis: 10)
    for altitude in climb.altitudes { change.add(altitude) }
    #expect(change.sums == AltitudeChange.Sums(up: climb.up, down: climb.down))
  }

  @Test func withoutHysteresisEveryChangeCounts() {
    var change = AltitudeChange(hysteresis: 0)
    for altitude in [1.0, 2, 2, 1, 1, 5] { change.add(altitude) }
    #expect(change.sums == AltitudeChange.Sums(up: 5, down: 1))
  }

  struct Movement: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// Seconds, metres along the equator, the receiver's speed.
    let points: [(seconds: Double, metres: Double, speed: Double?)]
    let movingTime: Double
    let movingLength: Double
    let maximumSpeed: Double?
  }

  static let movements = [
    Movement(
      testDescription: "one point", points: [(0, 0, 3)], movingTime: 0, movingLength: 0,
      maximumSpeed: 3),
    Movement(
      testDescription: "the receiver's speed has precedence",
      points: [(0, 0, nil), (1, 5, 0.1), (2, 5, 4)], movingTime: 1, movingLength: 0,
      maximumSpeed: 0.1),
    Movement(
      testDescription: "the speed of a long step is its mean",
      points: [(0, 0, 0), (20, 100, 0)], movingTime: 20, movingLength: 100, maximumSpeed: 0),
    Movement(
      testDescription: "without reports, the mean", points: [(0, 0, nil), (2, 8, nil)],
      movingTime: 2, movingLength: 8, maximumSpeed: 4),
    Movement(
      testDescription: "without reports, at least the average",
      points: [(0, 0, nil), (600, 3600, nil), (1200, 15600, nil), (1800, 19200, nil)],
      movingTime: 1800, movingLength: 19200, maximumSpeed: 19200.0 / 1800),
    Movement(
      testDescription: "a wrong position does not raise the speed to the average",
      points: (0..<20).map { (Double($0), $0 == 10 ? 100_000 : Double($0), nil) },
      movingTime: 19, movingLength: 199_997, maximumSpeed: 1),
    Movement(
      testDescription: "between the thresholds the state is unchanged",
      points: [
        (0, 0, 0.4), (1, 0, 0.4), (2, 1, 0.56), (3, 1, 0.4), (4, 1, 0.28), (5, 1, 0.27),
        (6, 1, 0.5),
      ],
      movingTime: 3, movingLength: 1, maximumSpeed: 0.4),
    Movement(
      testDescription: "a step without time has no speed", points: [(0, 0, nil), (0, 9, nil)],
      movingTime: 0, movingLength: 0, maximumSpeed: nil),
  ]

  @Test(arguments: movements)
  func moves(_ movement: Movement) throws {
    let metresPerDegree = 6_378_137 * Double.pi / 180
    let statistics = Track(
      try movement.points.map {
        try location(0, $0.metres / metresPerDegree, at: $0.seconds, speed: $0.speed)
      }
    ).statistics()
    #expect(statistics.movingTime == .seconds(movement.movingTime))
    #expect(abs(statistics.movingLength - movement.movingLength) < 1e-6)
    #expect(
      statistics.maximumSpeed.map { ($0 * 1e6).rounded() }
        == movement.maximumSpeed.map { ($0 * 1e6).rounded() })
  }

  @Test func statisticsCoverAllSegments() throws {
    let locations = try [
      location(0, 179.5, at: 0, altitude: 5), location(0, -179.5, at: 10, altitude: 30),
      location(1, -179.5, at: 100, altitude: 100), location(1, 179, at: 120),
    ]
    let statistics = Track(locations, options: TrackOptions(maximumInterval: .seconds(60)))
      .statistics()
    #expect(statistics.pointCount == 4)
    #expect(statistics.segmentCount == 2)
    #expect(statistics.duration == .seconds(120))
    #expect(statistics.recordedTime == .seconds(30))
    // The ascent during the gap is not counted.
    #expect(statistics.ascent == 25)
    #expect(statistics.descent == 0)
    #expect(statistics.lowestAltitude == 5)
    #expect(statistics.highestAltitude == 100)
    #expect(
      statistics.length
        == locations[0].distance(to: locations[1]) + locations[2].distance(to: locations[3]))
    #expect(statistics.averageSpeed == statistics.length / 30)
    #expect(statistics.bounds?.crossesAntimeridian == true)
    #expect(statistics.bounds?.west == 179)
    #expect(statistics.bounds?.east == -179.5)
  }

  @Test func anEmptyTrackHasNoStatistics() {
    let statistics = TrackStatistics()
    #expect(statistics.ascent == nil)
    #expect(statistics.averageSpeed == nil)
    #expect(statistics.averageMovingSpeed == nil)
    #expect(statistics.bounds == nil)
    #expect(statistics.duration == .zero)
    #expect(Track().statistics() == statistics)
  }

  @Test func aStreamHasTheStatisticsOfItsTrack() throws {
    var random = RandomTrack(seed: 1)
    for _ in 0..<20 {
      let track = try random.track()
      var statistics = TrackStatistics()
      var segmentation = TrackSegmentation()
      for point in track.points {
        if point.beginning == .loss {
          _ = segmentation.point(for: .unavailable(LocationError(.locationUnknown, "no fix")))
        }
        let segmented = segmentation.point(for: .location(point.location))
        #expect(segmented == point)
        statistics.add(try #require(segmented))
      }
      #expect(statistics == track.statistics())
      #expect(statistics.bounds == track.bounds)
      #expect(statistics.pointCount == track.pointCount)
    }
  }

  @Test("contradicted points count apart, and the beginning of their segment is kept")
  func contradicted() throws {
    func point(
      _ second: Double, _ latitude: Double, _ reasons: LocationIntegrity.Reasons? = [],
      _ beginning: TrackPoint.Beginning? = nil
    ) throws -> TrackPoint {
      var location = try Location(
        latitude: latitude, longitude: 8, timestamp: Date(timeIntervalSinceReferenceDate: second))
      location.integrity = reasons.map { LocationIntegrity(reasons: $0) }
      return TrackPoint(location, beginning: beginning)
    }
    let good = try [point(0, 50), point(1, 50.0001, .jamming), point(9, 50.0002, nil, .loss)]
    var expected = TrackStatistics()
    for point in good { expected.add(point) }
    var statistics = TrackStatistics()
    for point in try [
      good[0], point(0.5, 60, .jump), good[1], point(8, 60, .drift, .loss), point(8.5, 60, .clock),
      point(9, 50.0002, nil), point(10, 10, .replay),
    ] {
      statistics.add(point)
    }
    #expect(statistics.contradictedCount == 4)
    #expect(statistics.pointCount == 3)
    #expect(statistics.gapCount == 1)
    #expect(statistics.length == expected.length)
    #expect(statistics.bounds == expected.bounds)
    #expect(statistics.end == expected.end)
    #expect("\(statistics)".contains("contradicted: 4"))
  }
}
