import FoundationEssentials
import TestSupport
import Testing

@testable import AsyncLocation

@Suite(.inTurn) struct DeferralStateMachineTests {
  @Test func travellingTheDistanceEndsTheDeferral() {
    var machine = DeferralStateMachine()
    #expect(machine.located(fix(0)) == nil)
    _ = machine.begin(untilTravelled: 200)
    #expect(machine.isActive)
    #expect(machine.located(fix(0)) == nil)
    #expect(machine.located(fix(1)) == nil)
    #expect(machine.located(fix(2)) == .init(held: [fix(0), fix(1), fix(2)]))
    #expect(!machine.isActive)
    #expect(machine.cancel() == nil)
  }

  @Test(arguments: [0, -5, .nan])
  func theFirstLocationEndsADeferralWithoutADistance(_ distance: Double) {
    var machine = DeferralStateMachine()
    _ = machine.begin(untilTravelled: distance)
    #expect(machine.located(fix(7)) == .init(held: [fix(7)]))
  }

  @Test func onlyTheCurrentTimeoutEndsTheDeferral() {
    var machine = DeferralStateMachine()
    let first = machine.begin(untilTravelled: .infinity)
    let second = machine.begin(untilTravelled: .infinity)
    _ = machine.located(fix(0))
    #expect(machine.timedOut(first) == nil)
    #expect(machine.timedOut(second) == .init(held: [fix(0)]))
    #expect(machine.timedOut(second) == nil)
  }

  @Test func heldLocationsAreBounded() {
    var machine = DeferralStateMachine()
    _ = machine.begin(untilTravelled: .infinity)
    var end: DeferralStateMachine.End?
    for _ in 0..<DeferralStateMachine.capacity {
      #expect(end == nil)
      end = machine.located(fix(0))
    }
    #expect(end?.held.count == DeferralStateMachine.capacity)
    #expect(end?.error == nil)
  }

  @Test func cancellationEndsTheDeferralWithAnError() {
    var machine = DeferralStateMachine()
    _ = machine.begin(untilTravelled: .infinity)
    _ = machine.located(fix(0))
    let end = machine.cancel()
    #expect(end?.held == [fix(0)])
    #expect(end?.error?.code == .deferredCanceled)
  }
}

@Suite(.inTurn) struct CalibrationStateMachineTests {
  private func heading(_ accuracy: Double?, _ source: Heading.Source = .compass) -> Heading {
    try! Heading(
      magneticHeading: 1, headingAccuracy: accuracy, timestamp: fix(0).timestamp, source: source)
  }

  @Test func theDisplayIsShownUntilHeadingsAreAccurate() {
    var machine = CalibrationStateMachine()
    // Accuracies in degrees, and the change of the display: true if it is shown, false if it is
    // dismissed, nil if it does not change.
    let steps: [(Double?, Bool?)] = [
      (nil, nil), (30, nil), (30.5, true), (90, nil), (25, nil), (20, nil), (19, false), (10, nil),
      (40, true),
    ]
    for (accuracy, expected) in steps {
      #expect(machine.received(heading(accuracy)) == expected, "\(String(describing: accuracy))")
    }
    #expect(machine.headingsEnded() == false)
    #expect(machine.headingsEnded() == nil)
  }

  @Test func aCourseHeadingShowsNoCalibration() {
    var machine = CalibrationStateMachine()
    #expect(machine.received(heading(90, .courseOverGround)) == nil)
  }

  @Test func dismissalLastsUntilTheHeadingsWereAccurate() {
    var machine = CalibrationStateMachine()
    #expect(machine.dismissed() == nil)
    #expect(machine.received(heading(90)) == true)
    #expect(machine.dismissed() == false)
    #expect(machine.dismissed() == nil)
    #expect(machine.received(heading(90)) == nil)
    #expect(machine.received(heading(5)) == nil)
    #expect(machine.received(heading(90)) == true)
  }
}
