import FoundationEssentials
import MockBackend
import TestSupport
import Testing

@testable import LocationRecording

@Suite(.inTurn) struct WaitingActivitiesTests {
  private typealias Activities = WaitingActivities<Int>

  private static func date(_ seconds: Int) -> Date {
    Date(timeIntervalSinceReferenceDate: Double(seconds))
  }

  @Test("An activity is covered if a path overlaps it, and given otherwise", arguments: 1...200)
  func eachActivityIsDecidedOnce(_ seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var activities = Activities()
    var (given, covered): ([Int], [Int]) = ([], [])
    var (expectedGiven, expectedCovered): (Set<Int>, Set<Int>) = ([], [])
    func collect(_ decision: Activities.Decision) {
      given += decision.uncovered
      covered += decision.covered
    }
    // Paths do not overlap one another. Activities may overlap several paths.
    var paths: [ClosedRange<Int>] = []
    for index in 0..<20 where Bool.random(using: &random) {
      paths.append(index * 10...index * 10 + Int.random(in: 0...8, using: &random))
    }
    var periods: [ClosedRange<Int>] = []
    for _ in 0..<20 {
      let start = Int.random(in: 0...210, using: &random)
      periods.append(start...start + Int.random(in: 0...30, using: &random))
    }
    periods.sort { $0.lowerBound < $1.lowerBound }
    var remainingPaths = paths[...]
    for (index, period) in periods.enumerated() {
      while let path = remainingPaths.first, path.lowerBound <= period.lowerBound {
        collect(activities.addPath([Self.date(path.lowerBound), Self.date(path.upperBound)]))
        remainingPaths.removeFirst()
      }
      collect(
        activities.add(
          index, during: Self.date(period.lowerBound)...Self.date(period.upperBound)))
      if paths.contains(where: period.overlaps) {
        expectedCovered.insert(index)
      } else {
        expectedGiven.insert(index)
      }
    }
    for path in remainingPaths {
      collect(activities.addPath([Self.date(path.lowerBound), Self.date(path.upperBound)]))
    }
    collect(activities.settle())
    #expect(given == expectedGiven.sorted(), "in their order, each once")
    #expect(covered.sorted() == expectedCovered.sorted())
  }

  @Test func aPathWithoutTimesCoversNoActivity() {
    var activities = Activities()
    #expect(activities.add(1, during: Self.date(1)...Self.date(2)).uncovered.isEmpty)
    let decision = activities.addPath([])
    #expect(decision.uncovered.isEmpty)
    #expect(decision.covered.isEmpty)
    #expect(activities.settle().uncovered == [1])
    #expect(activities.settle().uncovered.isEmpty)
  }

  @Test func activitiesBeyondTheCapacityAreReleased() {
    var activities = Activities()
    let period = Self.date(1)...Self.date(2)
    for index in 0..<Activities.capacity {
      #expect(activities.add(index, during: period).uncovered.isEmpty)
    }
    #expect(activities.add(-1, during: period).uncovered.count == Activities.capacity)
    #expect(activities.count == 1)
  }
}
