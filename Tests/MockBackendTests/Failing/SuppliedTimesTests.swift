import AsyncLocation
import FoundationEssentials
import TestSupport
import Testing

@testable import MockBackend

@Suite(.inTurn) struct SuppliedTimesTests {
  @Test(arguments: [
    ([[1, 2], [3]], [[1, 2], [3]]), ([[1], [1]], [[1], [2]]),
    ([[5, 7], [1, 2], [9]], [[5, 7], [8, 9], [10]]), ([[], [4], []], [[], [4], []]),
  ])
  func timesIncrease(_ supplied: [[Int]], _ expected: [[Int]]) throws {
    var times = SuppliedTimes()
    for (supplied, expected) in zip(supplied, expected) {
      let arranged = times.arranged(try supplied.map(event))
      #expect(
        arranged.map(\.locationTime) == (try expected.map { try location($0).timestamp }))
    }
  }

  @Test func otherEventsAreUnchanged() {
    var times = SuppliedTimes()
    #expect(times.arranged([.unavailable(breakdown)]) == [.unavailable(breakdown)])
  }
}

extension BackendEvent {
  fileprivate var locationTime: Date? {
    if case .location(let location) = self { location.timestamp } else { nil }
  }
}
