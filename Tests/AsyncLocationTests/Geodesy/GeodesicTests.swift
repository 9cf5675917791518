import Glibc
import MockBackend
import TestSupport
import Testing

@testable import AsyncLocation

@Suite(.inTurn) struct GeodesicTests {
  static func point(_ latitude: Double, _ longitude: Double) throws -> Coordinate {
    try Coordinate(latitude: latitude, longitude: longitude)
  }

  struct Published: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let start: (Double, Double)
    let end: (Double, Double)
    let distance: Double
    let bearing: Double
    var distanceError = 1e-6
    var bearingError = 1e-9
  }

  // The worked examples of Karney, "Algorithms for geodesics" (2013), on WGS 84; and the quadrant
  // of Moritz, "Geodetic Reference System 1980" (2000), whose ellipsoid differs from WGS 84 by a
  // tenth of a millimetre.
  static let published = [
    Published(
      testDescription: "Karney's direct example",
      start: (40, 0), end: (41.793_310_205_06, 137.844_900_043_77),
      distance: 10_000_000, bearing: 30, distanceError: 2e-6),
    Published(
      testDescription: "Karney's nearly antipodal example",
      start: (-30, 0), end: (29.9, 179.8),
      distance: 19_989_832.827_61, bearing: 161.890_524_736_33,
      distanceError: 1e-5, bearingError: 1e-10),
    Published(
      testDescription: "a quadrant of a meridian",
      start: (0, 0), end: (90, 0), distance: 10_001_965.729, bearing: 0, distanceError: 1e-3),
    Published(
      testDescription: "a degree of the equator is a π / 180",
      start: (0, 10), end: (0, 11), distance: 6_378_137 * .pi / 180, bearing: 90),
  ]

  @Test(arguments: published)
  func agreesWithPublishedDistances(_ example: Published) throws {
    let start = try Self.point(example.start.0, example.start.1)
    let end = try Self.point(example.end.0, example.end.1)
    #expect(abs(start.distance(to: end) - example.distance) <= example.distanceError)
    #expect(abs(start.bearing(to: end) - example.bearing) <= example.bearingError)
  }

  @Test func agreesWithGeographicLib() throws {
    #expect(GeodesicReference.rows.count >= 200)
    for row in GeodesicReference.rows {
      let numbers = row.numbers
      try #require(numbers.count == 6)
      let start = try Self.point(numbers[0], numbers[1])
      let end = try Self.point(numbers[2], numbers[3])
      let (distance, bearing) = (numbers[4], numbers[5])
      #expect(abs(start.distance(to: end) - distance) <= 2e-8, "\(numbers)")
      #expect(abs(InverseGeodesic.solve(from: start, to: end).distance - distance) <= 2e-8)
      // The error of an azimuth is measured by the displacement of the far end.
      let turn = (start.bearing(to: end) - bearing).remainder(dividingBy: 360) * .pi / 180
      let displacement = abs(turn) * 6_371_000 * sin(min(distance / 6_371_000, .pi))
      #expect(displacement <= 2e-8, "\(numbers): \(start.bearing(to: end))")
    }
  }

  static let hardCases: [(name: String, start: (Double, Double), end: (Double, Double))] = [
    ("pole to pole", (90, 0), (-90, 0)),
    ("pole to pole, other meridians", (90, 90), (-90, -180)),
    ("pole to equator", (-90, 12), (0, 170)),
    ("antipodes on the equator", (0, -90), (0, 90)),
    ("antipodes in the north", (30, 20), (-30, -160)),
    ("nearly antipodal, along the equator", (0, 0), (0, 179.7)),
    ("nearly antipodal, by a hair", (0, 0), (1e-12, 179.999_999_999)),
    ("the cut locus' end", (0, 0), (0, 179.396_5)),
    ("the same meridian over the pole", (89, 10), (88, -170)),
    ("almost the same meridian over the pole", (89, 10), (88, -169.999_999_999_9)),
    ("across the antimeridian", (-17, 179.999), (-17, -179.999)),
    (
      "latitudes that vanish", (Double.leastNonzeroMagnitude, 0),
      (-Double.leastNonzeroMagnitude, 120)
    ),
    (
      "longitudes that vanish", (0, Double.leastNonzeroMagnitude),
      (1, -Double.leastNonzeroMagnitude)
    ),
    ("opposite meridians beside the pole", (89.999_998_4, -79), (89.999_999_8, 47)),
    ("a step from the pole", (90, 0), (90.0.nextDown, 45)),
  ]

  @Test func hardCasesRoundTrip() throws {
    for (name, from, to) in Self.hardCases {
      let start = try Self.point(from.0, from.1)
      let end = try Self.point(to.0, to.1)
      let distance = start.distance(to: end)
      let bearing = start.bearing(to: end)
      #expect(distance >= 0, "\(name)")
      #expect(distance <= 20_003_931.458_626, "\(name)")
      #expect(bearing >= 0, "\(name)")
      #expect(bearing < 360, "\(name)")
      #expect(abs(distance - end.distance(to: start)) <= 1e-8, "\(name)")
      let reached = try start.coordinate(atDistance: distance, bearing: bearing)
      #expect(reached.distance(to: end) <= 1e-7, "\(name): \(reached)")
    }
  }

  /// Every pair of points at which a formula could be singular.
  @Test(.longWork) func everyPairOfSpecialCoordinatesRoundTrips() throws {
    let magnitudes = [
      0, .leastNonzeroMagnitude, 1e-300, 1e-19, 1e-17, 1e-9, 45, 89.999_999, 90.0.nextDown, 90,
    ]
    let latitudes = magnitudes + magnitudes.dropFirst().map { -$0 }
    let longitudes =
      latitudes + [179.4, 179.999_999_9, 180.0.nextDown, 180, -180, -(180.0.nextDown), -179.5]
    var wrong: [(Coordinate, Coordinate)] = []
    for latitude in latitudes {
      let start = try Self.point(latitude, 0)
      for other in latitudes {
        for longitude in longitudes {
          let end = try Self.point(other, longitude)
          let (distance, distanceBack) = (start.distance(to: end), end.distance(to: start))
          let bearing = start.bearing(to: end)
          let reached = try start.coordinate(atDistance: distance, bearing: bearing)
          let isRight =
            distance >= 0 && distance <= 20_003_931.458_626 && bearing >= 0 && bearing < 360
            && abs(distance - distanceBack) <= 2e-8 && reached.distance(to: end) <= 5e-8
          if !isRight { wrong.append((start, end)) }
        }
      }
    }
    #expect(wrong.isEmpty)
  }

  @Test func coincidentPointsHaveZeroDistance() throws {
    let pairs = try [
      (Self.point(12, 34), Self.point(12, 34)), (Self.point(0, 180), Self.point(0, -180)),
      (Self.point(90, 10), Self.point(90, -170)), (Self.point(-90, 0), Self.point(-90, 180)),
      (Self.point(51, -180), Self.point(51, 180)), (Self.point(-0.0, 0), Self.point(0, -0.0)),
    ]
    for (start, end) in pairs {
      #expect(start.distance(to: end) == 0)
      #expect(start.bearing(to: end) == 0)
    }
  }

  @Test func bearingsFollowTheAxes() throws {
    let origin = try Self.point(0, 0)
    #expect(try origin.bearing(to: Self.point(1, 0)) == 0)
    #expect(try origin.bearing(to: Self.point(0, 1)) == 90)
    #expect(try origin.bearing(to: Self.point(-1, 0)) == 180)
    #expect(try origin.bearing(to: Self.point(0, -1)) == 270)
    #expect(try origin.bearing(to: Self.point(0, 180)) == 0)
    #expect(try Self.point(0, 179).bearing(to: Self.point(0, -179)) == 90)
    // At a pole, bearings are relative to the meridian of the given longitude.
    #expect(try abs(Self.point(90, 10).bearing(to: Self.point(80, 10)) - 180) <= 1e-12)
    #expect(try abs(Self.point(90, 10).bearing(to: Self.point(80, 40)) - 150) <= 1e-12)
    #expect(try abs(Self.point(-90, 10).bearing(to: Self.point(80, 40)) - 30) <= 1e-12)
  }

  @Test(.longWork) func directInvertsInverse() throws {
    var random = SplitMix64(seed: 1)
    for _ in 0..<5_000 {
      let start = try Self.point(
        .random(in: -90...90, using: &random), .random(in: -180...180, using: &random))
      // About 10⁻¹⁴ to 1 degree.
      let exponent = Double.random(in: -14...0, using: &random)
      let spread = exp(exponent * 2.3)
      let end =
        switch Int.random(in: 0..<3, using: &random) {
        case 0:
          try Self.point(
            .random(in: -90...90, using: &random), .random(in: -180...180, using: &random))
        case 1:
          try Self.point(
            min(max(start.latitude + .random(in: -spread...spread, using: &random), -90), 90),
            (start.longitude + .random(in: -spread...spread, using: &random))
              .remainder(dividingBy: 360))
        default:
          try Self.point(
            min(max(-start.latitude + .random(in: -spread...spread, using: &random), -90), 90),
            (start.longitude + 180 + .random(in: -spread...spread, using: &random))
              .remainder(dividingBy: 360))
        }
      let distance = start.distance(to: end)
      let bearing = start.bearing(to: end)
      let reached = try start.coordinate(atDistance: distance, bearing: bearing)
      #expect(reached.distance(to: end) <= 5e-8, "\(start) \(end)")
      #expect(abs(distance - end.distance(to: start)) <= 2e-8, "\(start) \(end)")
    }
  }

  @Test(.longWork) func inverseInvertsDirect() throws {
    var random = SplitMix64(seed: 2)
    for _ in 0..<5_000 {
      let start = try Self.point(
        .random(in: -89...89, using: &random), .random(in: -180...180, using: &random))
      let distance = Double.random(in: 1...19_900_000, using: &random)
      let bearing = Double.random(in: 0..<360, using: &random)
      let end = try start.coordinate(atDistance: distance, bearing: bearing)
      #expect(abs(start.distance(to: end) - distance) <= 2e-8, "\(start) \(distance) \(bearing)")
      let back = try end.coordinate(atDistance: -distance, bearing: end.bearing(to: start) + 180)
      #expect(back.distance(to: start) <= 5e-8)
    }
  }

  @Test func directAcceptsEveryFiniteNumber() throws {
    let start = try Self.point(52, 13)
    #expect(try start.coordinate(atDistance: 0, bearing: 77) == start)
    #expect(
      try start.coordinate(atDistance: 1_000, bearing: -90)
        == start.coordinate(atDistance: 1_000, bearing: 270))
    #expect(
      try start.coordinate(atDistance: -1_000, bearing: 45)
        .distance(to: start.coordinate(atDistance: 1_000, bearing: 225)) <= 1e-8)
    let around = try start.coordinate(atDistance: 40_007_862.917_250_9, bearing: 0)
    #expect(around.distance(to: start) <= 1e-6)
    for number in [1e300, -1e300, .greatestFiniteMagnitude, .leastNonzeroMagnitude] {
      let end = try start.coordinate(atDistance: number, bearing: number)
      #expect(end.latitude.isFinite)
      #expect(end.longitude.isFinite)
    }
    for number in [Double.nan, .infinity, -.infinity] {
      let distance = #expect(throws: LocationError.self) {
        try start.coordinate(atDistance: number, bearing: 0)
      }
      #expect(distance?.message.hasPrefix("distance ") == true)
      let bearing = #expect(throws: LocationError.self) {
        try start.coordinate(atDistance: 1, bearing: number)
      }
      #expect(bearing?.message.hasPrefix("bearing ") == true)
    }
  }

  @Test(.longWork) func shortDistancesAgreeWithTheGeneralSolution() throws {
    var random = SplitMix64(seed: 3)
    var shortCount = 0
    for _ in 0..<20_000 {
      let distance = exp(Double.random(in: -7...9.21, using: &random))
      let start = try Self.point(
        [90, -90, 0, .random(in: -90...90, using: &random)].randomElement(using: &random) ?? 0,
        .random(in: -180...180, using: &random))
      let end = try start.coordinate(
        atDistance: distance, bearing: .random(in: 0..<360, using: &random))
      guard let short = ShortDistance.between(start, end) else { continue }
      shortCount += 1
      let exact = InverseGeodesic.solve(from: start, to: end).distance
      #expect(abs(short - exact) <= 1e-8 + 1e-12 * exact, "\(start) \(end)")
      #expect(short == ShortDistance.between(end, start))
    }
    #expect(shortCount > 19_000)
    #expect(try ShortDistance.between(Self.point(0, 0), Self.point(0, 0.0899)) == nil)
  }

  @Test func aLocationMeasuresFromItsCoordinate() throws {
    let start = try Location(latitude: 1, longitude: 2, altitude: 1_000)
    let end = try Location(latitude: 3, longitude: 4)
    #expect(start.distance(to: end) == start.coordinate.distance(to: end.coordinate))
  }

  @Test func astroidRootSolvesItsEquation() {
    for (x, y) in [(-0.5, -0.3), (-1, -1e-9), (-3, -0.1), (-0.1, -2), (-1, -0.5), (0, -1e-6)] {
      let root = InverseStart.astroidRoot(x, y)
      #expect(root > 0)
      #expect(abs(x * x / ((1 + root) * (1 + root)) + y * y / (root * root) - 1) <= 1e-6)
    }
    #expect(InverseStart.astroidRoot(-0.5, 0) == 0)
  }
}
