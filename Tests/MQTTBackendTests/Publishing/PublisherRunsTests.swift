import TestSupport
import Testing

@testable import MQTTBackend

@Suite(.inTurn) struct PublisherRunsTests {
  enum Step: Sendable {
    /// Begins the current run. Expects its number, or nil if a run is in progress.
    case begin(Int?)
    case end(next: Int)
    /// Expects the current run.
    case current(Int)
    /// Expects the run in progress.
    case running(Int?)
  }

  static let steps: [Step] = [
    .current(1), .running(nil), .begin(1), .current(1), .running(1), .begin(nil), .begin(nil),
    .running(1), .end(next: 2), .current(2), .running(nil), .begin(2), .running(2), .begin(nil),
    .end(next: 3), .running(nil), .current(3),
  ]

  @Test func oneRunFollowsTheOther() {
    var runs = PublisherRuns(first: 1)
    for (index, step) in Self.steps.enumerated() {
      switch step {
      case .begin(let run): #expect(runs.begin() == run, "step \(index)")
      case .end(let next): runs.end(next: next)
      case .current(let run): #expect(runs.current == run, "step \(index)")
      case .running(let run): #expect(runs.running == run, "step \(index)")
      }
    }
  }
}
