import Foundation
import MockBackend
import TestSupport
import Testing

@testable import AsyncLocation

/// A receiver that returns home repeatedly has one answer there. If answers depended on the route
/// or on a pause, their mean would be nearer to the home than a single answer.
@Suite(.inTurn) struct ReducedWaysTests {
  private struct Errors {
    /// The mean distances in metres from a home to one answer and to the mean of all answers.
    var ofOne = 0.0
    var ofMean = 0.0
    var mostAnswers = 0
  }

  /// A receiver whose fixes have a jitter of 5 m, and the reducer of its locations.
  private struct Receiver {
    private var reducer: LocationReducer
    private var time = 0.0
    private let east: SurfaceNormal
    private let north: SurfaceNormal

    init(_ key: ReducedAccuracyKey, near home: SurfaceNormal) {
      reducer = LocationReducer(key: key)
      (east, north) = Globe.ground(home)
    }

    mutating func answer(
      at place: SurfaceNormal, after seconds: Double, of device: String = "a",
      using random: inout SplitMix64
    ) throws -> SurfaceNormal {
      time += seconds
      let jitter = Globe.deviates(2, using: &random)
      let place = Globe.moved(
        Globe.moved(place, 5 * jitter[0], along: east), 5 * jitter[1], along: north)
      let fix = try Location(
        coordinate: Globe.coordinate(place), timestamp: Sample.date(time),
        sourceInformation: SourceInformation(device: device))
      return SurfaceNormal(reducer.reduce(fix).coordinate)
    }
  }

  /// - Parameters:
  ///   - homes: The number of homes.
  ///   - border: The distance from home to the border of its cell; nil for a home anywhere.
  ///   - day: Returns the answer of a day at home.
  private static func errors(
    homes: Int, days: Int, fromBorder border: Double? = nil,
    _ day: (Int, SurfaceNormal, inout Receiver, inout SplitMix64) throws -> SurfaceNormal
  ) rethrows -> Errors {
    var errors = Errors()
    var random = SplitMix64(seed: 63)
    for index in 0..<homes {
      let key = Globe.key(UInt64(index))
      var home = Globe.anywhere(using: &random)
      if let border {
        let east = Globe.ground(home).0
        let inside = Globe.border(from: home, along: east, in: ReducedGrid(key: key)).inside
        home = Globe.moved(home, inside - border, along: east)
      }
      var receiver = Receiver(key, near: home)
      var sum = SurfaceNormal(x: 0, y: 0, z: 0)
      var answers: Set<SurfaceNormal> = []
      for number in 0..<days {
        let answer = try day(number, home, &receiver, &random)
        answers.insert(answer)
        sum = .sum(sum, 1, answer, 1, answer, 0)
        errors.ofOne += Globe.distance(answer, home) / Double(days * homes)
      }
      errors.ofMean += Globe.distance(Globe.unit(sum), home) / Double(homes)
      errors.mostAnswers = max(errors.mostAnswers, answers.count)
    }
    return errors
  }

  /// The receiver is always on, moves at 36 km/h, and comes from each side in turn.
  @Test(.longWork, arguments: [1, 2, 4])
  func arrivalsFromSeveralSidesDoNotRevealAHome(_ sides: Int) throws {
    let errors = try Self.errors(homes: 100, days: 8) { day, home, receiver, random in
      let (east, north) = Globe.ground(home)
      let side = day % sides
      let direction = side < 2 ? east : north
      let sign = side.isMultiple(of: 2) ? 1_000.0 : -1_000
      func drive(_ steps: some Sequence<Int>) throws {
        for step in steps {
          _ = try receiver.answer(
            at: Globe.moved(home, sign * Double(step), along: direction), after: 100,
            using: &random)
        }
      }
      try drive((1...20).reversed())
      // The night at home.
      for _ in 0..<20 { _ = try receiver.answer(at: home, after: 100, using: &random) }
      let answer = try receiver.answer(at: home, after: 100, using: &random)
      try drive(1...20)
      return answer
    }
    print("F43: home from \(sides) sides:", errors)
    #expect(errors.ofMean >= 0.95 * errors.ofOne, "\(errors)")
  }

  /// The receiver is on at home and at work, and off in between.
  @Test(.longWork, arguments: [2.0, 50, 1_000])
  func aReceiverThatIsOffOnTheWayDoesNotRevealAHome(_ border: Double) throws {
    let errors = try Self.errors(homes: 50, days: 100, fromBorder: border) {
      day, home, receiver, random in
      let work = Globe.moved(home, 30_000, along: Globe.ground(home).1)
      _ = try receiver.answer(at: work, after: 600, using: &random)
      return try receiver.answer(at: home, after: 600, using: &random)
    }
    print("F43: home \(border) m from a border, asleep on the way:", errors)
    #expect(errors.mostAnswers == 1, "\(errors)")
  }

  /// The receivers of a fleet report in turn from one place: each is forgotten before its next fix.
  @Test(.longWork) func forgottenReceiversDoNotRevealAHome() throws {
    let receivers = LocationReducer.rememberedReceivers + 44
    let errors = try Self.errors(homes: 4, days: 40, fromBorder: 2) { _, home, receiver, random in
      for number in 1..<receivers {
        _ = try receiver.answer(at: home, after: 0, of: "\(number)", using: &random)
      }
      return try receiver.answer(at: home, after: 1, of: "0", using: &random)
    }
    #expect(errors.mostAnswers == 1, "\(errors)")
  }
}
