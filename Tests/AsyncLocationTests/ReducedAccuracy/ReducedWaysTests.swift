import Foundation
import MockBackend
import TestSupport
import Testing

@testable import AsyncLocation

@Suite(.inTurn) struct ReducedWaysTests {
  /// The answer at a place depends on the way to it, since a receiver keeps its cell until it has
  /// clearly left it. The documentation states how much nearer the mean of these answers is.
  @Test(.longWork) func theMeanOfTheAnswersOfFourWaysHome() throws {
    var (ofOne, ofMean, most) = (0.0, 0.0, 0)
    let (homes, sides) = (50, 4)
    var random = SplitMix64(seed: 63)
    for index in 0..<homes {
      let key = Globe.key(UInt64(index))
      let home = Globe.anywhere(using: &random)
      let (way, other) = Globe.ground(home)
      var reducer = LocationReducer(key: key)
      var sum = SurfaceNormal(x: 0, y: 0, z: 0)
      var answers: Set<SurfaceNormal> = []
      var time = 0.0
      func answer(_ away: Double, _ direction: SurfaceNormal) throws -> SurfaceNormal {
        time += 100
        let jitter = Globe.deviates(2, using: &random)
        let place = Globe.moved(
          Globe.moved(
            Globe.moved(home, away, along: direction), 5 * jitter[0], along: way),
          5 * jitter[1], along: other)
        let fix = try Location(
          coordinate: Globe.coordinate(place), timestamp: Sample.date(time),
          sourceInformation: SourceInformation(device: "a"))
        return SurfaceNormal(reducer.reduce(fix).coordinate)
      }
      let days = 8
      for day in 0..<days {
        let side = day % sides
        let direction = side < 2 ? way : other
        let sign = side.isMultiple(of: 2) ? 1.0 : -1
        for step in 1...20 { _ = try answer(sign * 1_000 * Double(step), direction) }
        for step in (1...20).reversed() { _ = try answer(sign * 1_000 * Double(step), direction) }
        // The night.
        var last = try answer(0, way)
        for _ in 0..<20 { last = try answer(0, way) }
        answers.insert(last)
        sum = .sum(sum, 1, last, 1, last, 0)
        ofOne += Globe.distance(last, home) / Double(days * homes)
      }
      ofMean += Globe.distance(Globe.unit(sum), home) / Double(homes)
      most = max(most, answers.count)
    }
    #expect(most <= 4)
    #expect(ofMean >= 0.3 * ofOne, "\(ofMean) m of \(ofOne) m")
  }
}
