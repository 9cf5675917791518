import FoundationEssentials
import TestSupport
import Testing

@testable import AsyncLocation

@Suite(.inTurn) struct SignalCheckTests {
  /// The seconds in which a receiver with a view each second is suspect.
  private func suspect(
    during seconds: Range<Int>, strength: (_ index: Int, _ second: Int) -> Double
  ) -> [Int] {
    var check = SignalCheck()
    return seconds.filter { second in
      let view = DrivingReceiver().view { strength($0, second) }
      check.observe(view, at: Double(second))
      return !check.reasons(at: Double(second)).isEmpty
    }
  }

  @Test(arguments: [7.0, 20], [5, 60, 240])
  func anAntennaThatIsUncoveredIsNotSuspect(decrease: Double, duration: Int) {
    let found = suspect(during: 0..<600) { index, second in
      let isCovered = (60..<60 + duration).contains(second)
      return DrivingReceiver.realStrength(index) + 20 - (isCovered ? decrease : 0)
    }
    #expect(found == [])
  }

  @Test func aCoverThatIsAddedSlowlyIsNotSuspect() {
    let found = suspect(during: 0..<600) { index, second in
      let decrease = second < 120 ? min(10, max(0, Double(second - 60))) : 0
      return DrivingReceiver.realStrength(index) + 20 - decrease
    }
    #expect(found == [])
  }

  @Test(arguments: [(60, 13.0), (420, 0)])
  func anIncreaseBeyondADecreaseOfTheLastMinutesIsSuspect(duration: Int, increase: Double) {
    let end = 60 + duration
    let found = suspect(during: 0..<900) { index, second in
      let change = second < 60 ? 0 : second < end ? -7 : increase
      return DrivingReceiver.realStrength(index) + 20 + change
    }
    #expect(found.first == end + 2)
  }

  /// Nearly equal strengths of before do not hide equal ones for long.
  @Test(arguments: [10, 600, 7_200])
  func equalSignalsAreSuspectAfterNearlyEqualOnes(duration: Int) {
    let found = suspect(during: 0..<duration + 60) { index, second in
      let isOdd = index % 2 == 1
      return 40 + (second < duration ? isOdd ? 1.7 : -1.7 : isOdd ? 0.3 : 0)
    }
    #expect(found.first.map { (duration...duration + 15).contains($0) } == true)
  }
}
