import Foundation
import MockBackend
import TestSupport
import Testing

@testable import AsyncLocation

@Suite(.inTurn) struct LocationReducerTests {
  private static let key = Globe.key(1)

  /// Returns a fix with all members.
  static func fix(
    _ seconds: Double, at coordinate: Coordinate, device: String? = "a",
    timeSource: SourceInformation.TimeSource = .receiver, altitude: Double? = 301.25
  ) throws -> Location {
    try Location(
      coordinate: coordinate, timestamp: Sample.date(seconds), altitude: altitude,
      ellipsoidalAltitude: 347.75, horizontalAccuracy: 3.21, verticalAccuracy: 5.43,
      speed: 13.57, speedAccuracy: 0.31, course: 101.3, courseAccuracy: 2.13, climb: 0.71,
      floor: 3,
      sourceInformation: SourceInformation(
        isSimulated: true, device: device, timeSource: timeSource),
      gnss: GNSSFix(mode: .threeDimensional, satellitesUsed: 9))
  }

  static func place(_ latitude: Double, _ longitude: Double) throws -> Coordinate {
    try Coordinate(latitude: latitude, longitude: longitude)
  }

  @Test func everyValueIsCoarse() throws {
    var reducer = LocationReducer(key: Self.key)
    let fix = try Self.fix(123.456, at: Self.place(50.123456, 13.654321))
    let reduced = reducer.reduce(fix)
    #expect(reduced.timestamp == Sample.date(0))
    #expect(reduced.altitude == 500)
    #expect(reduced.ellipsoidalAltitude == 500)
    #expect(reduced.horizontalAccuracy == 9_000)
    #expect(reduced.verticalAccuracy == 600)
    #expect(reduced.speed == 10)
    #expect(reduced.speedAccuracy == 10)
    #expect(reduced.course == 90)
    #expect(reduced.courseAccuracy == 45)
    #expect(reduced.climb == 0)
    #expect(reduced.floor == nil)
    #expect(reduced.gnss == nil)
    #expect(reduced.sourceInformation == fix.sourceInformation)
    #expect(reduced.distance(to: fix) < 9_000)
  }

  @Test func absentValuesStayAbsentExceptTheHorizontalAccuracy() throws {
    var reducer = LocationReducer(key: Self.key)
    let reduced = reducer.reduce(
      try Location(coordinate: Self.place(50, 13), timestamp: Sample.date(1)))
    let bare = try Location(
      coordinate: reduced.coordinate, timestamp: Sample.date(0), horizontalAccuracy: 9_000)
    #expect(reduced == bare)
  }

  @Test func aReducedLocationKeepsItsArrival() throws {
    var reducer = LocationReducer(key: Self.key)
    var fix = try Self.fix(1, at: Self.place(50, 13))
    // System clock: it is not read.
    fix.arrival = Arrival(timeline: Timeline(ContinuousClock()), instant: .seconds(-5))
    #expect(reducer.reduce(fix).arrival?.instant == .seconds(-5))
    fix.arrival = nil
    #expect(reducer.reduce(fix).arrival == nil)
  }

  /// A receiver of another host, or of a replay, may have the same name.
  @Test func distantPlacesBelongToDifferentReceivers() throws {
    var reducer = LocationReducer(key: Self.key)
    let (paris, helsinki) = (try Self.place(48.8, 2.3), try Self.place(60.2, 24.9))
    for (index, place) in [paris, helsinki, paris, helsinki].enumerated() {
      let fix = try Self.fix(Double(index), at: place)
      #expect(reducer.reduce(fix).distance(to: fix) < 9_000)
    }
  }

  /// Within a time step no member of a fix changes the output.
  @Test func aTimeStepRepeatsItsFirstFix() throws {
    var random = SplitMix64(seed: 30)
    var reducer = LocationReducer(key: Self.key)
    let first = reducer.reduce(try Self.fix(0, at: Self.place(50, 13)))
    for _ in 0..<1_000 {
      let other = try random.location()
      let fix = try Location(
        coordinate: Self.place(
          50 + .random(in: -1...1, using: &random), 13 + .random(in: -1...1, using: &random)),
        timestamp: Sample.date(.random(in: 0..<300, using: &random)),
        altitude: other.altitude, horizontalAccuracy: other.horizontalAccuracy,
        speed: other.speed, course: other.course, climb: other.climb, floor: other.floor,
        sourceInformation: first.sourceInformation, gnss: other.gnss)
      #expect(reducer.reduce(fix) == first)
    }
    #expect(reducer.reduce(try Self.fix(300, at: Self.place(51, 13))) != first)
  }

  /// Changing a property within its step, with a fresh reducer, leaves the JSON byte-identical.
  @Test func valuesWithinAStepHaveOneOutput() throws {
    var random = SplitMix64(seed: 31)
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    var outputs: Set<Data> = []
    for home in Globe.homes(60, using: &random) {
      let centre = ReducedGrid(key: Self.key).cell(of: home).centre
      let (east, north) = Globe.ground(centre)
      for _ in 0..<20 {
        func near(_ value: Double, _ range: Double) -> Double {
          value + .random(in: -range...range, using: &random)
        }
        let place = Globe.moved(
          Globe.moved(centre, near(0, 1_500), along: east), near(0, 1_500), along: north)
        let fix = try Location(
          coordinate: Globe.coordinate(place), timestamp: Sample.date(near(150, 149)),
          altitude: near(1_000, 249), ellipsoidalAltitude: near(1_000, 249),
          horizontalAccuracy: near(300, 299), verticalAccuracy: near(50, 49),
          speed: near(20, 4.9), speedAccuracy: near(1, 0.9), course: near(90, 22),
          courseAccuracy: near(5, 4), climb: near(5, 2.4),
          floor: .random(in: 0...9, using: &random),
          sourceInformation: SourceInformation(device: "a"), gnss: random.fix())
        var reducer = LocationReducer(key: Self.key)
        outputs.insert(try encoder.encode(reducer.reduce(fix)))
      }
    }
    #expect(outputs.count <= 60)
    #expect(outputs.count > 50)
  }

  /// For any input, the output is valid, and its accuracies are no better than those of the input.
  @Test(.longWork) func everyLocationCanBeReduced() throws {
    var random = SplitMix64(seed: 32)
    var reducer = LocationReducer(key: Self.key)
    let extremes: [Double] = [
      0, -0.0, .leastNonzeroMagnitude, 1, 1e9, 1e300, .greatestFiniteMagnitude,
    ]
    func check(_ fix: Location) throws {
      let reduced = reducer.reduce(fix)
      let json = try JSONEncoder().encode(reduced)
      #expect(try JSONDecoder().decode(Location.self, from: json) == reduced)
      let step = LocationReducer.timeStep
      #expect(reduced.timestamp.timeIntervalSince1970.remainder(dividingBy: step) == 0)
      #expect((0..<step).contains(fix.timestamp.timeIntervalSince(reduced.timestamp)))
    }
    for _ in 0..<5_000 { try check(random.location()) }
    for value in extremes {
      for sign in [1.0, -1] {
        let altitude = min(max(value * sign, -20_000), 100_000_000)
        let fix = try Location(
          coordinate: Self.place(90 * sign, 180 * sign),
          timestamp: sign > 0
            ? Timestamp.range.lowerBound : Timestamp.range.upperBound.addingTimeInterval(-1e-3),
          altitude: altitude, ellipsoidalAltitude: altitude, horizontalAccuracy: value,
          verticalAccuracy: value, speed: value, speedAccuracy: value,
          course: min(value, 360).nextDown.magnitude, courseAccuracy: min(value, 180),
          climb: value * sign)
        try check(fix)
        var fresh = LocationReducer(key: Self.key)
        let reduced = fresh.reduce(fix)
        #expect(try #require(reduced.horizontalAccuracy) >= min(value, 20_004_000))
        #expect(try #require(reduced.verticalAccuracy) >= min(value, 100_020_000))
      }
    }
  }

  /// Each reported accuracy covers the accuracy of the fix and the error that the reduction adds,
  /// including hysteresis.
  @Test(.longWork) func accuracyCoversTheError() throws {
    var random = SplitMix64(seed: 33)
    var reducer = LocationReducer(key: Self.key)
    var home = Globe.anywhere(using: &random)
    for step in 0..<20_000 {
      let turn = Angle(degrees: .random(in: 0..<360, using: &random))
      let (east, north) = Globe.ground(home)
      home = Globe.unit(
        Globe.moved(
          home, .random(in: 0...4_000, using: &random),
          along: .sum(east, turn.cosine, north, turn.sine, east, 0)))
      let altitude = Double.random(in: 0...3_000, using: &random)
      let fix = try Location(
        coordinate: Globe.coordinate(home), timestamp: Sample.date(Double(step) * 300),
        altitude: altitude,
        ellipsoidalAltitude: altitude + .random(in: -106...86, using: &random),
        horizontalAccuracy: .random(in: 0...3_000, using: &random),
        verticalAccuracy: .random(in: 0...1_000, using: &random),
        speed: .random(in: 0...60, using: &random),
        speedAccuracy: .random(in: 0...20, using: &random),
        course: .random(in: 0..<360, using: &random),
        courseAccuracy: .random(in: 0...180, using: &random))
      let reduced = reducer.reduce(fix)
      func within(_ error: Double, _ accuracy: Double?, _ reduced: Double?) throws -> Bool {
        try error + #require(accuracy) <= #require(reduced)
      }
      #expect(
        try within(reduced.distance(to: fix), fix.horizontalAccuracy, reduced.horizontalAccuracy))
      for height in [fix.altitude, fix.ellipsoidalAltitude] {
        let difference = try abs(#require(reduced.altitude) - #require(height))
        #expect(try within(difference, fix.verticalAccuracy, reduced.verticalAccuracy))
      }
      let speedDifference = try abs(#require(reduced.speed) - #require(fix.speed))
      #expect(try within(speedDifference, fix.speedAccuracy, reduced.speedAccuracy))
      let courseDifference = try (#require(reduced.course) - #require(fix.course))
        .remainder(dividingBy: 360).magnitude
      #expect(
        try within(courseDifference, fix.courseAccuracy, reduced.courseAccuracy)
          || reduced.courseAccuracy == 180)
    }
  }

  struct TimeScenario: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// The time in seconds, its source, and whether the fix gets a new place.
    let steps: [(Double, SourceInformation.TimeSource, Bool)]
  }

  static let times = [
    TimeScenario(
      testDescription: "each time step has one place",
      steps: [
        (0, .receiver, true), (1, .receiver, false), (299.999, .receiver, false),
        (300, .receiver, true), (599, .receiver, false), (600, .receiver, true),
      ]),
    TimeScenario(
      testDescription: "a clock that was far ahead is set back",
      steps: [
        (1e9, .receiver, true), (1e9 - 3_000, .receiver, false), (0, .receiver, true),
        (1, .receiver, false), (301, .receiver, true),
      ]),
    TimeScenario(
      testDescription: "one of two sources lags",
      steps: [
        (899, .receiver, true), (900, .receiver, true), (899, .receiver, false),
        (901, .receiver, false), (600, .receiver, false), (1_199, .receiver, false),
        (1_200, .receiver, true), (900, .receiver, false), (0, .receiver, false),
        (1_201, .receiver, false),
      ]),
    TimeScenario(
      testDescription: "host timestamps have steps too",
      steps: [(10, .host, true), (20, .host, false), (310, .host, true)]),
    TimeScenario(
      testDescription: "different clocks have separate steps",
      steps: [
        (10, .receiver, true), (50_000, .host, true), (11, .receiver, false),
        (50_001, .host, false), (12, .receiver, false), (50_100, .host, true),
        (13, .receiver, false), (310, .receiver, true), (50_101, .host, false),
      ]),
  ]

  @Test(arguments: times)
  func timeStepsFollowTheTimestamps(_ scenario: TimeScenario) throws {
    var reducer = LocationReducer(key: Self.key)
    var last: Coordinate?
    for (index, step) in scenario.steps.enumerated() {
      // In different cells, but closer than an aircraft flies in a time step.
      let place = try Self.place(Double(index) / 6, 20)
      let reduced = reducer.reduce(try Self.fix(step.0, at: place, timeSource: step.1))
      #expect((reduced.coordinate.distance(to: place) < 9_000) == step.2, "step \(index)")
      #expect((reduced.coordinate != last) == step.2, "step \(index)")
      #expect(reduced.timestamp == Sample.date((step.0 / 300).rounded(.down) * 300))
      #expect(reduced.sourceInformation?.timeSource == step.1)
      last = reduced.coordinate
    }
  }

  @Test func receiversAreSeparateUpToALimit() throws {
    var reducer = LocationReducer(key: Self.key)
    let limit = LocationReducer.rememberedReceivers
    let (first, other) = (try Self.place(50, 13), try Self.place(51, 13))
    /// Returns whether a receiver that is now elsewhere is still reported at its first place.
    func isRemembered(_ device: Int) throws -> Bool {
      let reduced = reducer.reduce(try Self.fix(1, at: other, device: "\(device)"))
      return reduced.distance(to: try Self.fix(1, at: first)) < 9_000
    }
    for device in 1...limit {
      _ = reducer.reduce(try Self.fix(0, at: first, device: "\(device)"))
    }
    #expect(try isRemembered(1))
    _ = reducer.reduce(try Self.fix(0, at: first, device: "one more"))
    // Only the receiver that was reduced least recently is discarded.
    #expect(try isRemembered(1))
    #expect(try (3...limit).allSatisfy(isRemembered))
    #expect(try !isRemembered(2))
  }

  /// The receiver comes home over a pass each day. If jitter decided at 250 m, the mean of many
  /// days would reveal the contour line.
  @Test(.longWork) func altitudeJitterDoesNotChangeTheOutput() throws {
    var random = SplitMix64(seed: 77)
    var reducer = LocationReducer(key: Self.key)
    let (home, pass) = (try Self.place(47, 11), try Self.place(47.2, 11))
    var altitudes: Set<Double> = []
    for day in 0..<40 {
      let time = Double(day) * 86_400
      _ = reducer.reduce(try Self.fix(time, at: pass, altitude: 1_000))
      let jitter = 5 * Globe.deviates(1, using: &random)[0]
      let fix = try Self.fix(time + 3_600, at: home, altitude: 250 + jitter)
      altitudes.insert(try #require(reducer.reduce(fix).altitude))
    }
    #expect(altitudes.count == 1)
    // Within the reported vertical accuracy.
    #expect(altitudes.allSatisfy { abs($0 - 250) <= 375 })
  }
}
