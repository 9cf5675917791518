import Foundation
import MockBackend
import TestSupport
import Testing

@testable import AsyncLocation

@Suite(.inTurn) struct StationaryDetectorTests {
  /// One fix: its time, metres north, accuracy and speed, and the expected decision.
  struct Step: Sendable {
    let seconds: Double
    let metres: Double
    var accuracy: Double? = 5
    var speed: Double?
    var speedAccuracy: Double?
    let isStationary: Bool
  }

  struct Scenario: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let steps: [Step]
  }

  private static func stay(
    _ seconds: ClosedRange<Int>, metres: Double = 0, accuracy: Double? = 5, speed: Double? = nil,
    _ isStationary: Bool
  ) -> [Step] {
    seconds.map {
      Step(
        seconds: Double($0), metres: metres, accuracy: accuracy, speed: speed,
        isStationary: isStationary)
    }
  }

  static let scenarios = [
    Scenario(
      testDescription: "a minute in one place is stationary",
      steps: stay(0...59, false) + stay(60...90, true)),
    Scenario(
      testDescription: "a minute without accuracy and with a low speed is stationary",
      steps: stay(0...59, accuracy: nil, speed: 0.4, false)
        + stay(60...90, accuracy: nil, speed: 0.4, true)),
    Scenario(
      testDescription: "half a metre per second is not stationary",
      steps: stay(0...300, speed: 0.5, false)),
    Scenario(
      testDescription: "a speed below its uncertainty is ignored",
      steps: stay(0...59, false) + [
        Step(seconds: 60, metres: 0, speed: 3, speedAccuracy: 4, isStationary: true),
        Step(seconds: 61, metres: 0, speed: 4, speedAccuracy: 3, isStationary: false),
        Step(seconds: 62, metres: 0, isStationary: false),
      ]),
    Scenario(
      testDescription: "once stationary, movement starts at 1.5 m/s",
      steps: stay(0...59, false) + stay(60...60, true) + stay(61...70, speed: 1.4, true)
        + stay(71...130, speed: 1.5, false)),
    Scenario(
      testDescription: "a position beyond one and a half radii ends the stationary state at once",
      steps: stay(0...59, false) + stay(60...60, true) + stay(61...62, metres: 44, true)
        + stay(63...122, metres: 46, false) + stay(123...125, metres: 46, true)),
    Scenario(
      testDescription: "until stationary, a position beyond the radius restarts the detection",
      steps: stay(0...40, false) + stay(41...100, metres: 31, false)
        + stay(101...110, metres: 31, true)
    ),
    Scenario(
      testDescription: "poor accuracy takes longer",
      steps: stay(0...119, accuracy: 30, false) + stay(120...130, accuracy: 30, true)),
    Scenario(
      testDescription: "a too inaccurate position is ignored in both states",
      steps: stay(0...40, false) + stay(41...45, metres: 400, accuracy: 500, false)
        + stay(46...59, false) + stay(60...61, true)
        + stay(62...65, metres: 400, accuracy: 500, true)
        + stay(66...70, true) + [
          Step(seconds: 71, metres: 0, accuracy: 500, speed: 9, isStationary: false)
        ] + stay(72...131, false) + stay(132...140, true)),
    Scenario(
      testDescription: "a long gap does not count and does not end the stationary state",
      steps: stay(0...40, false) + stay(161...220, false) + stay(221...230, true)
        + stay(4_000...4_010, true)),
    Scenario(
      testDescription: "a fix every two minutes is enough",
      steps: [
        Step(seconds: 0, metres: 0, isStationary: false),
        Step(seconds: 120, metres: 3, isStationary: true),
        Step(seconds: 240, metres: -3, isStationary: true),
      ]),
    Scenario(
      testDescription: "decreasing instants are tolerated",
      steps: [
        Step(seconds: 100, metres: 0, isStationary: false),
        Step(seconds: 0, metres: 0, isStationary: false),
        Step(seconds: 159, metres: 0, isStationary: false),
        Step(seconds: 160, metres: 0, isStationary: true),
      ]),
  ]

  private static func fix(
    _ east: Double, _ north: Double, accuracy: Double?, speed: Double? = nil,
    speedAccuracy: Double? = nil, device: String? = nil
  ) throws -> Location {
    try Location(
      latitude: 50 + north / 111_229, longitude: 13 + east / 71_696, timestamp: Sample.epoch,
      horizontalAccuracy: accuracy, speed: speed, speedAccuracy: speedAccuracy,
      sourceInformation: SourceInformation(device: device))
  }

  @Test(arguments: scenarios)
  func followsTheScenario(_ scenario: Scenario) throws {
    var detector = StationaryDetector()
    for step in scenario.steps {
      let fix = try Self.fix(
        0, step.metres, accuracy: step.accuracy, speed: step.speed,
        speedAccuracy: step.speedAccuracy)
      #expect(
        detector.observe(fix, at: .seconds(step.seconds)) == step.isStationary,
        "second \(step.seconds)")
    }
  }

  /// The error of a simulated receiver: a random walk plus noise.
  struct Noise: CustomTestStringConvertible, Sendable {
    let wander: Double
    let jitter: Double
    let accuracy: Double?
    let hasSpeed: Bool
    var testDescription: String {
      "wander \(wander) m, jitter \(jitter) m, accuracy \(accuracy ?? .nan), speed \(hasSpeed)"
    }
  }

  static let noises = [true, false].flatMap { hasSpeed in
    [
      Noise(wander: 0, jitter: 0, accuracy: nil, hasSpeed: hasSpeed),
      Noise(wander: 5, jitter: 1, accuracy: 10, hasSpeed: hasSpeed),
      Noise(wander: 1, jitter: 5, accuracy: 10, hasSpeed: hasSpeed),
      Noise(wander: 5, jitter: 5, accuracy: nil, hasSpeed: hasSpeed),
      Noise(wander: 12, jitter: 5, accuracy: 45, hasSpeed: hasSpeed),
    ]
  }

  /// The detector's decision each second, along a path given as metres east.
  private func decisions(
    _ noise: Noise, seed: UInt64, seconds: Int, _ east: @Sendable (Int) -> Double
  ) async throws -> [Bool] {
    try await withTaskExecutorPreference(LongWork.shared) {
      try Self.decisions(noise, seed: seed, seconds: seconds, east)
    }
  }

  private static func decisions(
    _ noise: Noise, seed: UInt64, seconds: Int, _ east: (Int) -> Double
  ) throws -> [Bool] {
    var random = SplitMix64(seed: seed)
    var detector = StationaryDetector()
    let deviates = Globe.deviates(seconds * 5, using: &random)
    // A first-order Gauss-Markov process with a time constant of five minutes.
    let memory = exp(-1.0 / 300)
    let fresh = (1 - memory * memory).squareRoot()
    var wander = (deviates[0], deviates[1])
    return try (0..<seconds).map { second in
      let n = Array(deviates[second * 5..<second * 5 + 5])
      wander = (wander.0 * memory + n[0] * fresh, wander.1 * memory + n[1] * fresh)
      let speed = abs(east(second + 1) - east(second) + n[4] * 0.05)
      let fix = try fix(
        east(second) + wander.0 * noise.wander + n[2] * noise.jitter,
        wander.1 * noise.wander + n[3] * noise.jitter, accuracy: noise.accuracy,
        speed: noise.hasSpeed ? speed : nil)
      return detector.observe(fix, at: .seconds(second))
    }
  }

  /// The number of seconds after which the stationary state must be detected.
  private static func detectionLimit(_ noise: Noise) -> Int {
    Int(max(60, 4 * (noise.accuracy ?? 0))) + 60
  }

  @Test(arguments: noises)
  func anHourInOnePlaceIsStationary(_ noise: Noise) async throws {
    for seed in 1...8 as ClosedRange<UInt64> {
      let decisions = try await decisions(noise, seed: seed, seconds: 3_600) { _ in 0 }
      let moving = decisions.count { !$0 }
      #expect(moving <= Self.detectionLimit(noise) * 2, "seed \(seed): \(moving) s")
    }
  }

  @Test(arguments: noises)
  func walkingIsNotStationary(_ noise: Noise) async throws {
    for seed in 1...8 as ClosedRange<UInt64> {
      let decisions = try await decisions(noise, seed: seed, seconds: 1_800) { Double($0) }
      #expect(!decisions.contains(true))
    }
  }

  @Test(arguments: noises)
  func aTrafficLightIsNotStationary(_ noise: Noise) async throws {
    for seed in 1...8 as ClosedRange<UInt64> {
      let decisions = try await decisions(noise, seed: seed, seconds: 600) { second in
        let lap = second % 90  // A minute at 12 m/s, then half a minute stationary.
        return Double(second / 90) * 720 + Double(min(lap, 60)) * 12
      }
      #expect(!decisions.contains(true), "seed \(seed)")
    }
  }

  @Test(arguments: noises)
  func parkingIsStationary(_ noise: Noise) async throws {
    for seed in 1...8 as ClosedRange<UInt64> {
      let decisions = try await decisions(noise, seed: seed, seconds: 900) { second in
        Double(min(second, 300) + max(0, second - 600)) * 12
      }
      #expect(!decisions[..<330].contains(true))
      #expect(decisions[300 + Self.detectionLimit(noise)..<600].contains(true), "seed \(seed)")
      #expect(!decisions[620...].contains(true))
    }
  }

  @Test func receiversAreSeparateUpToALimit() throws {
    var detector = StationaryDetector()
    func observe(_ device: Int, _ seconds: Int, _ metres: Double = 0) throws -> Bool {
      try detector.observe(
        Self.fix(0, metres, accuracy: 5, device: "\(device)"), at: .seconds(seconds))
    }
    let limit = StationaryDetector.rememberedReceivers
    for second in [0, 60] {
      for device in 1...limit {
        let metres = device == 2 ? Double(second) : 0
        #expect(try observe(device, second, metres) == (second == 60 && device != 2))
      }
    }
    // The table is full, so another receiver removes all entries.
    #expect(try observe(limit + 1, 61) == false)
    #expect(try observe(1, 62) == false)
  }
}
