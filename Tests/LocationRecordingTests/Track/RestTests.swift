import AsyncLocation
import Foundation
import MockBackend
import TestSupport
import Testing

@testable import LocationRecording

/// The statistics of tracks with noisy positions, speeds and altitudes.
@Suite(.inTurn) struct RestTests {
  /// Gaussian noise.
  struct Noise: Sendable {
    /// The standard deviation of the position along each axis, in metres.
    var deviation = 0.0
    /// The time constant of the errors' exponential correlation, in seconds; 0 for white noise.
    var correlationTime = 0.0
    /// The standard deviation of the altitude, in metres.
    var altitudeDeviation = 0.0
    /// The standard deviation of the speed, in metres per second; nil if no speed is reported.
    var speedDeviation: Double?
    /// Seconds between outliers, which are 250 m off; nil for none.
    var outlierInterval: Int?
  }

  /// The true motion of the receiver, in metres and metres per second.
  struct Motion: Sendable {
    var north = 0.0
    var height = 0.0
    var speed = 0.0
  }

  struct NoisyReceiver {
    private var random: SplitMix64
    private let noise: Noise
    private var errors = [0.0, 0.0, 0.0]

    init(_ noise: Noise, seed: UInt64) {
      (self.noise, random) = (noise, SplitMix64(seed: seed))
      errors = [
        normal() * noise.deviation, normal() * noise.deviation, normal() * noise.altitudeDeviation,
      ]
    }

    mutating func statistics(
      seconds: Int, every interval: Int = 1, _ motion: @Sendable (Double) -> Motion
    ) throws -> TrackStatistics {
      var locations: [Location] = []
      for second in stride(from: 0, through: seconds, by: interval) {
        let truth = motion(Double(second))
        advanceErrors(by: Double(interval))
        let isOutlier = noise.outlierInterval.map { second % $0 == $0 / 2 } ?? false
        let north = truth.north + errors[0] + (isOutlier ? 250 : 0)
        let speed = noise.speedDeviation.map { abs(truth.speed + normal() * $0) }
        locations.append(
          try location(
            north / 110_574, errors[1] / 111_320, at: Double(second),
            altitude: truth.height + errors[2], speed: speed))
      }
      return Track(locations).statistics()
    }

    private mutating func advanceErrors(by seconds: Double) {
      let kept = noise.correlationTime > 0 ? exp(-seconds / noise.correlationTime) : 0
      let fresh = (1 - kept * kept).squareRoot()
      for (index, deviation) in [
        noise.deviation, noise.deviation, noise.altitudeDeviation,
      ].enumerated() {
        errors[index] = errors[index] * kept + normal() * fresh * deviation
      }
    }

    /// A standard normal variate, by the Box-Muller transform.
    private mutating func normal() -> Double {
      (-2 * log(Double.random(in: .ulpOfOne...1, using: &random))).squareRoot()
        * cos(2 * .pi * Double.random(in: 0..<1, using: &random))
    }
  }

  struct Case: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let noise: Noise
  }

  static let cases = [
    Case(testDescription: "no noise", noise: Noise()),
    Case(
      testDescription: "white, without speeds", noise: Noise(deviation: 3, altitudeDeviation: 6)),
    Case(
      testDescription: "white, with speeds",
      noise: Noise(deviation: 3, altitudeDeviation: 6, speedDeviation: 0.4)),
    Case(
      testDescription: "correlated for a minute",
      noise: Noise(deviation: 5, correlationTime: 60, altitudeDeviation: 8)),
    Case(
      testDescription: "correlated for ten minutes",
      noise: Noise(deviation: 6, correlationTime: 600, altitudeDeviation: 10, speedDeviation: 0.3)),
    Case(
      testDescription: "outliers",
      noise: Noise(deviation: 3, correlationTime: 60, altitudeDeviation: 6, outlierInterval: 100)),
  ]

  @Test("an hour at rest has no movement and no ascent", arguments: cases, [1, 10, 60])
  func rests(_ example: Case, interval: Int) throws {
    for seed in 1...5 as ClosedRange<UInt64> {
      var receiver = NoisyReceiver(example.noise, seed: seed)
      let statistics = try receiver.statistics(seconds: 3_600, every: interval) { _ in Motion() }
      #expect(statistics.movingTime == .zero, "seed \(seed)")
      #expect(statistics.movingLength == 0, "seed \(seed)")
      #expect(statistics.ascent == 0, "seed \(seed)")
      #expect(statistics.recordedTime == .seconds(3_600))
    }
  }

  @Test("a slow walk is movement", arguments: cases)
  func moves(_ example: Case) throws {
    let walk = { @Sendable (second: Double) in Motion(north: 0.8 * second, speed: 0.8) }
    for seed in 1...5 as ClosedRange<UInt64> {
      var receiver = NoisyReceiver(example.noise, seed: seed)
      let time = try receiver.statistics(seconds: 1_200, walk).movingTime / .seconds(1)
      #expect(time > 0.85 * 1_200, "seed \(seed): \(time) s")
    }
  }

  @Test("a stop of ten minutes is no part of the moving time", arguments: cases)
  func stops(_ example: Case) throws {
    let drive = { @Sendable (second: Double) in
      let driven = min(second, 600) + max(0, second - 1_200)
      return Motion(north: 15 * driven, speed: (600..<1_200).contains(second) ? 0 : 15)
    }
    for seed in 1...5 as ClosedRange<UInt64> {
      var receiver = NoisyReceiver(example.noise, seed: seed)
      let time = try receiver.statistics(seconds: 1_800, drive).movingTime / .seconds(1)
      #expect(abs(time - 1_200) < 25, "seed \(seed): \(time) s")
    }
  }

  /// Speeds before the stop must not delay the detection of the rest.
  @Test("a short stop after a fast drive is a rest", arguments: [0.0, nil])
  func abruptStop(_ speedAtRest: Double?) throws {
    let locations = try (0...780).map { second in
      let drives = second <= 600
      return try location(
        Double(min(second, 600)) * 30 / 110_574, 0, at: Double(second),
        altitude: drives ? 0 : Double(second % 60), speed: drives ? 30 : speedAtRest)
    }
    let statistics = Track(locations).statistics()
    #expect(statistics.movingTime >= .seconds(598))
    #expect(statistics.movingTime <= .seconds(605))
    #expect(statistics.ascent == 0)
  }

  @Test("a reported speed within a small area is movement") func swims() throws {
    var receiver = NoisyReceiver(Noise(deviation: 2, speedDeviation: 0.1), seed: 1)
    let statistics = try receiver.statistics(seconds: 1_800) { second in
      Motion(north: 12.5 * sin(second * 0.08), speed: 1)
    }
    #expect(statistics.movingTime > .seconds(1_700))
  }

  /// The positions alone look like a rest.
  @Test("a slow climb ascends") func climbs() throws {
    var receiver = NoisyReceiver(Noise(deviation: 3, altitudeDeviation: 3), seed: 1)
    let ascent = try receiver.statistics(seconds: 1_800) { second in
      Motion(north: 0.25 * second, height: 0.2 * second)
    }.ascent
    #expect(abs(try #require(ascent) - 360) < 40)
  }

  @Test("positions with the host's time never count as a rest") func hostTimestamps() throws {
    let points = try (0..<200).map { index in
      TrackPoint(
        try Location(
          latitude: Double(index) * 1e-6, longitude: 0,
          timestamp: Date(timeIntervalSinceReferenceDate: Double(index)),
          altitude: Double(index),
          sourceInformation: SourceInformation(device: "a", timeSource: .host)))
    }
    var statistics = TrackStatistics()
    for point in points { statistics.add(point) }
    #expect(statistics.ascent == 199)
  }
}
